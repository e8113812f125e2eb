#include "content/utf8.h"

#include <corliss/base/endian.h>

namespace corliss::content::detail {
namespace {

constexpr bool between(char32_t value, char32_t low, char32_t high) noexcept {
  return value >= low && value <= high;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) noexcept {
  if (text.empty()) {
    return {};
  }
  const auto lead = static_cast<std::uint8_t>(text[0]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
    return {};
  }
  char32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<std::uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) {
      return {};
    }
    value = (value << 6) | (next & 0x3fU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || between(value, 0xd800, 0xdfff) || value > 0x10ffff) {
    return {};
  }
  return {value, length};
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    if (text.size() >= 8 && (load_le<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(text.data())) &
                             0x8080808080808080U) == 0) {
      text.remove_prefix(8);
      continue;
    }
    const auto point = decode_utf8(text);
    if (point.length == 0) {
      return false;
    }
    text.remove_prefix(point.length);
  }
  return true;
}

char32_t fold_case(char32_t letter) noexcept {
  if (letter < 0x80) {
    return between(letter, 'A', 'Z') ? letter + 0x20 : letter;
  }
  if (between(letter, 0xc0, 0xde) && letter != 0xd7) {
    return letter + 0x20;
  }
  // Latin Extended-A: pairs, the capital even in most of the block and odd in two stretches of it.
  if (between(letter, 0x139, 0x148) || between(letter, 0x179, 0x17e)) {
    return letter + (letter & 1);
  }
  if (letter == 0x178) {
    return 0xff;
  }
  if (between(letter, 0x100, 0x177) && letter != 0x130 && letter != 0x131 && letter != 0x138 &&
      letter != 0x149) {
    return letter | 1;
  }
  if (between(letter, 0x391, 0x3ab) && letter != 0x3a2) {
    return letter + 0x20;
  }
  if (letter == 0x3c2) {
    return 0x3c3;
  }
  if (letter == 0x386) {
    return 0x3ac;
  }
  if (between(letter, 0x388, 0x38a)) {
    return letter + 37;
  }
  if (letter == 0x38c) {
    return 0x3cc;
  }
  if (between(letter, 0x38e, 0x38f)) {
    return letter + 63;
  }
  if (between(letter, 0x400, 0x40f)) {
    return letter + 0x50;
  }
  if (between(letter, 0x410, 0x42f)) {
    return letter + 0x20;
  }
  if (between(letter, 0x460, 0x481) || between(letter, 0x48a, 0x4bf) || between(letter, 0x4d0, 0x52f)) {
    return letter | 1;
  }
  if (between(letter, 0x4c1, 0x4ce)) {
    return letter + (letter & 1);
  }
  if (letter == 0x4c0) {
    return 0x4cf;
  }
  if (between(letter, 0x531, 0x556)) {
    return letter + 0x30;
  }
  return letter;
}

}  // namespace corliss::content::detail
