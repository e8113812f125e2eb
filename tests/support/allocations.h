#pragma once

#include <cstddef>

namespace corliss::test {

/// What this thread has allocated since the object was made, libraries written in C included: malloc itself
/// is counted (through the sanitizer's hooks where there is one).
class AllocationCount {
 public:
  AllocationCount() noexcept;
  [[nodiscard]] std::size_t calls() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;  ///< asked for in all, whether freed since or not

 private:
  std::size_t calls_before_;
  std::size_t bytes_before_;
};

}  // namespace corliss::test
