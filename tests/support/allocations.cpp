#include "support/allocations.h"

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CORLISS_TEST_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CORLISS_TEST_SANITIZED 1
#endif

namespace {

thread_local std::size_t allocation_calls = 0;
thread_local std::size_t allocation_bytes = 0;

void note(std::size_t size) noexcept {
  ++allocation_calls;
  allocation_bytes += size;
}

}  // namespace

#ifdef CORLISS_TEST_SANITIZED

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { note(size); }, [](const volatile void*) {});
}  // namespace

#else

// glibc lets a program put its own malloc in place and keeps the old one under these names.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  note(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  note(count * size);
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  note(size);
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}
}

#endif

namespace corliss::test {

AllocationCount::AllocationCount() noexcept
    : calls_before_(allocation_calls), bytes_before_(allocation_bytes) {
#ifdef CORLISS_TEST_SANITIZED
  (void)installed;
#endif
}
std::size_t AllocationCount::calls() const noexcept {
  return allocation_calls - calls_before_;
}
std::size_t AllocationCount::bytes() const noexcept {
  return allocation_bytes - bytes_before_;
}

}  // namespace corliss::test
