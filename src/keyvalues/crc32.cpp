#include "keyvalues/crc32.h"

#include <array>

namespace corliss::keyvalues::detail {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1) != 0 ? 0xEDB88320 ^ (value >> 1) : value >> 1;
    }
    table[i] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> table = make_table();

}  // namespace

std::uint32_t crc32(ConstBytes bytes) noexcept {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8);
  }
  return ~crc;
}

}  // namespace corliss::keyvalues::detail
