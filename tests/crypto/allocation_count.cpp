#include "crypto/allocation_count.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include <malloc.h>
#include <openssl/crypto.h>

namespace corliss::test {
namespace {

constinit thread_local std::size_t count = 0;
constinit thread_local std::size_t bytes = 0;
constinit std::atomic<void (*)(ConstBytes)> on_free{nullptr};

// Blocks made while frees are watched; a fixed table, since this is the allocator.
constinit std::mutex mutex;
constinit std::array<void*, 4096> watched{};

ConstBytes block_of(void* block) {
  return {static_cast<std::uint8_t*>(block), malloc_usable_size(block)};
}

void* counted(void* block, std::size_t size) noexcept {
  ++count;
  bytes += size;
  if (block != nullptr && on_free.load() != nullptr) {
    const std::lock_guard lock(mutex);
    for (auto& slot : watched) {
      if (slot == nullptr) {
        slot = block;
        break;
      }
    }
  }
  return block;
}

void before_free(void* block) noexcept {
  const auto look = on_free.load();
  if (block == nullptr || look == nullptr) {
    return;
  }
  look(block_of(block));
  const std::lock_guard lock(mutex);
  for (auto& slot : watched) {
    if (slot == block) {
      slot = nullptr;
    }
  }
}

void* crypto_malloc(std::size_t size, const char*, int) {
  return counted(std::malloc(size), size);
}
void* crypto_realloc(void* block, std::size_t size, const char*, int) {
  before_free(block);
  return counted(std::realloc(block, size), size);
}
void crypto_free(void* block, const char*, int) {
  before_free(block);
  std::free(block);
}
const int hooked = CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free);

}  // namespace

std::size_t allocations() noexcept {
  if (hooked != 1) {
    std::abort();  // libcrypto allocated before us: every count would be wrong
  }
  return count;
}
std::size_t allocated_bytes() noexcept {
  return bytes;
}

void watch_frees(void (*look)(ConstBytes)) noexcept {
  on_free = look;
  const std::lock_guard lock(mutex);
  watched.fill(nullptr);
}

void for_each_watched_block(void (*look)(ConstBytes)) noexcept {
  const std::lock_guard lock(mutex);
  for (auto* block : watched) {
    if (block != nullptr) {
      look(block_of(block));
    }
  }
}

}  // namespace corliss::test

using corliss::test::before_free;
using corliss::test::counted;

void* operator new(std::size_t size) {
  if (void* block = counted(std::malloc(size == 0 ? 1 : size), size)) {
    return block;
  }
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  if (void* block = counted(std::aligned_alloc(align, (size + align - 1) / align * align), size)) {
    return block;
  }
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  before_free(block);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  operator delete(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  operator delete(block);
}
