#include "bench/allocations.h"

#include <cerrno>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CORLISS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CORLISS_SANITIZED 1
#endif

namespace {

// The initial-exec model: otherwise the first access in a thread could itself allocate.
thread_local corliss::bench::AllocationCount counted __attribute__((tls_model("initial-exec")));

void count(std::size_t size) noexcept {
  ++counted.calls;
  counted.bytes += size;
}

}  // namespace

#ifdef CORLISS_SANITIZED

// A sanitizer needs malloc for itself, but tells who asks.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { count(size); }, [](const volatile void*) {});
}  // namespace

#else

// glibc lets a program put its own malloc in place and keeps the old one under these names. NOLINTBEGIN
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t items, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* old);

void* malloc(std::size_t size) {
  count(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t items, std::size_t size) {
  count(items * size);
  return __libc_calloc(items, size);
}
void* realloc(void* old, std::size_t size) {
  count(size);
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (alignment == 0 || alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  void* made = memalign(alignment, size);
  if (made == nullptr) {
    return ENOMEM;
  }
  *out = made;
  return 0;
}
void free(void* old) {
  __libc_free(old);
}
}
// NOLINTEND

#endif

namespace corliss::bench {

AllocationCount allocations() noexcept {
  return counted;
}

}  // namespace corliss::bench
