#pragma once

#include "bench/allocations.h"

#include <cstddef>

namespace corliss::test {

/// What this thread has allocated since the object was made, libraries written in C included: malloc itself
/// is counted (through the sanitizer's hooks where there is one).
class AllocationCount {
 public:
  [[nodiscard]] std::size_t calls() const noexcept { return bench::allocations().calls - before_.calls; }
  /// Asked for in all, whether freed since or not.
  [[nodiscard]] std::size_t bytes() const noexcept { return bench::allocations().bytes - before_.bytes; }

 private:
  bench::AllocationCount before_ = bench::allocations();
};

}  // namespace corliss::test
