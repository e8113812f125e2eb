#include <corliss/crypto/checksum.h>

#include <libdeflate.h>

namespace corliss::crypto {

// libdeflate answers a null buffer with the initial value whatever was passed, so empty spans never reach it.

std::uint32_t crc32(ConstBytes bytes, std::uint32_t previous) noexcept {
  return bytes.empty() ? previous : libdeflate_crc32(previous, bytes.data(), bytes.size());
}

std::uint32_t adler32(ConstBytes bytes, std::uint32_t seed) noexcept {
  // libdeflate delays its modulo by as much as reduced halves allow.
  constexpr std::uint32_t modulus = 65521;
  const std::uint32_t reduced = (((seed >> 16) % modulus) << 16) | ((seed & 0xFFFF) % modulus);
  return bytes.empty() ? reduced : libdeflate_adler32(reduced, bytes.data(), bytes.size());
}

}  // namespace corliss::crypto
