#pragma once

#include <cstdint>

/// Counts heap allocations of the calling thread by standing in for malloc in the whole program, libcrypto
/// and operator new included; under a sanitizer, which needs malloc for itself, through its hooks.
namespace corliss::bench {

struct AllocationCount {
  std::uint64_t calls = 0;  ///< malloc, calloc, realloc, aligned allocations
  std::uint64_t bytes = 0;  ///< as asked for, whether freed since or not
};

/// What this thread has allocated since it began.
[[nodiscard]] AllocationCount allocations() noexcept;

}  // namespace corliss::bench
