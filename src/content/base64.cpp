#include "content/base64.h"

#include <array>

namespace corliss::content::detail {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t line_size = 72;
constexpr std::uint8_t blank = 0xfe;
constexpr std::uint8_t invalid = 0xff;  // any value of 0x40 and more stops the fast path

constexpr auto values = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(invalid);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  for (const char c : {' ', '\t', '\r', '\n'}) {
    table[static_cast<std::uint8_t>(c)] = blank;
  }
  return table;
}();

constexpr std::uint32_t value_of(char c) noexcept {
  return values[static_cast<std::uint8_t>(c)];
}

}  // namespace

std::optional<std::size_t> decode_base64(std::string_view text, std::uint8_t* out) noexcept {
  const auto* const begin = out;
  std::uint32_t bits = 0;
  unsigned count = 0;  // characters in `bits`, 0 to 3
  std::size_t i = 0;
  while (i < text.size()) {
    if (count == 0 && text.size() - i >= 4) {
      const std::uint32_t a = value_of(text[i]);
      const std::uint32_t b = value_of(text[i + 1]);
      const std::uint32_t c = value_of(text[i + 2]);
      const std::uint32_t d = value_of(text[i + 3]);
      if ((a | b | c | d) < 0x40) {
        const std::uint32_t three = a << 18 | b << 12 | c << 6 | d;
        *out++ = static_cast<std::uint8_t>(three >> 16);
        *out++ = static_cast<std::uint8_t>(three >> 8);
        *out++ = static_cast<std::uint8_t>(three);
        i += 4;
        continue;
      }
    }
    const std::uint32_t value = value_of(text[i]);
    if (value == blank) {
      ++i;
      continue;
    }
    if (value == invalid) {
      break;  // padding, or no base64
    }
    ++i;
    bits = bits << 6 | value;
    if (++count == 4) {
      *out++ = static_cast<std::uint8_t>(bits >> 16);
      *out++ = static_cast<std::uint8_t>(bits >> 8);
      *out++ = static_cast<std::uint8_t>(bits);
      count = 0;
    }
  }
  unsigned padding = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '=') {
      ++padding;
    } else if (value_of(text[i]) != blank) {
      return std::nullopt;
    }
  }
  if (count == 1 || padding != (4 - count) % 4) {
    return std::nullopt;
  }
  if (count >= 2) {
    bits <<= 6 * (4 - count);
    *out++ = static_cast<std::uint8_t>(bits >> 16);
    if (count == 3) {
      *out++ = static_cast<std::uint8_t>(bits >> 8);
    }
  }
  return static_cast<std::size_t>(out - begin);
}

std::string encode_base64_lines(ConstBytes bytes) {
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + bytes.size() / 54 + 6);
  std::size_t column = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const std::uint32_t three = static_cast<std::uint32_t>(bytes[i]) << 16 |
                                static_cast<std::uint32_t>(left > 1 ? bytes[i + 1] : 0) << 8 |
                                static_cast<std::uint32_t>(left > 2 ? bytes[i + 2] : 0);
    out += alphabet[three >> 18];
    out += alphabet[three >> 12 & 0x3f];
    out += left > 1 ? alphabet[three >> 6 & 0x3f] : '=';
    out += left > 2 ? alphabet[three & 0x3f] : '=';
    column += 4;
    if (column == line_size || left <= 3) {
      out += '\n';
      column = 0;
    }
  }
  return out;
}

}  // namespace corliss::content::detail
