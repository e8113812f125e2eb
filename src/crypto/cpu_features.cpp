#include "crypto/cpu_features.h"

#if defined(__x86_64__)

#include <cstdint>

#include <cpuid.h>

namespace corliss::crypto::detail {
namespace {

struct Leaf {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

Leaf leaf(std::uint32_t number) noexcept {
  Leaf out;
  __get_cpuid_count(number, 0, &out.eax, &out.ebx, &out.ecx, &out.edx);
  return out;
}

constexpr bool bit(std::uint32_t word, unsigned index) noexcept {
  return (word >> index & 1) != 0;
}

/// Whether the operating system saves the registers of `mask` (bits of XCR0).
bool system_saves(std::uint32_t mask) noexcept {
  if (!bit(leaf(1).ecx, 27)) {  // OSXSAVE
    return false;
  }
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & mask) == mask;
}

}  // namespace

bool cpu_has_shani() noexcept {
  const auto one = leaf(1);
  const auto seven = leaf(7);
  return bit(one.ecx, 9) && bit(one.ecx, 19) && bit(one.ecx, 25) && bit(seven.ebx, 29);
}

bool cpu_has_vaes() noexcept {
  const auto seven = leaf(7);
  return cpu_has_shani() && bit(seven.ebx, 5) && bit(seven.ecx, 9) && system_saves(0x6);
}

bool cpu_has_avx512() noexcept {
  const auto seven = leaf(7);
  return cpu_has_vaes() && bit(seven.ebx, 16) && bit(seven.ebx, 30) && system_saves(0xe6);
}

}  // namespace corliss::crypto::detail

#endif
