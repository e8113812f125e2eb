#pragma once

#include <cstdint>

#ifdef CORLISS_MEMCHECK
#include <valgrind/memcheck.h>
#endif

/// Arithmetic on secrets without branches: masks are all ones or zero. Each leaves through a barrier, so that
/// the optimiser cannot know that it is one of two values and turn what it selects back into a branch (clang
/// 14 at -O3 did: tests/trace).
namespace corliss::crypto::detail {

[[nodiscard]] inline std::uint32_t ct_barrier(std::uint32_t value) noexcept {
  __asm__("" : "+r"(value));
  return value;
}
/// The mask of the top bit.
[[nodiscard]] inline std::uint32_t ct_top_bit(std::uint32_t value) noexcept {
  return ct_barrier(0U - (ct_barrier(value) >> 31));
}
/// a < b, both below 2^31.
[[nodiscard]] inline std::uint32_t ct_less(std::uint32_t a, std::uint32_t b) noexcept {
  return ct_top_bit(a - b);
}
[[nodiscard]] inline std::uint32_t ct_zero(std::uint32_t a) noexcept {
  return ct_top_bit(~a & (a - 1));
}
[[nodiscard]] inline std::uint32_t ct_equal(std::uint32_t a, std::uint32_t b) noexcept {
  return ct_zero(a ^ b);
}
[[nodiscard]] inline std::uint32_t ct_select(std::uint32_t mask, std::uint32_t a, std::uint32_t b) noexcept {
  return (a & mask) | (b & ~mask);
}

/// Where a secret becomes public: whether a packet is accepted, and then its size. Does nothing; in the build
/// for memcheck, where secrets are undefined, its result is defined.
template <class T>
[[nodiscard]] T ct_tell(T value) noexcept {
#ifdef CORLISS_MEMCHECK
  VALGRIND_MAKE_MEM_DEFINED(&value, sizeof value);
#endif
  return value;
}

/// The PKCS#7 padding at the end of a decrypted block of 16 bytes. A wrong one counts as one byte of padding.
struct Padding {
  std::uint32_t size;  // 1 to 16, secret
  std::uint32_t good;  // mask
};
[[nodiscard]] inline Padding check_padding(const std::uint8_t* last_block) noexcept {
  const std::uint32_t size = last_block[15];
  std::uint32_t wrong = ct_zero(size) | ct_less(16, size);
  for (std::uint32_t i = 0; i < 16; ++i) {
    wrong |= ct_less(i, size) & (last_block[15 - i] ^ size);
  }
  const auto good = ct_zero(wrong);
  return {ct_select(good, size, 1), good};
}

}  // namespace corliss::crypto::detail
