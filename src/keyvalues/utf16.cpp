#include "keyvalues/utf16.h"

namespace corliss::keyvalues::detail {
namespace {

constexpr std::uint32_t replacement = 0xFFFD;

void append_utf8(std::uint32_t c, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

}  // namespace

Mark find_mark(ConstBytes input) noexcept {
  if (input.size() >= 3 && input[0] == 0xEF && input[1] == 0xBB && input[2] == 0xBF) {
    return {Encoding::utf8, 3};
  }
  if (input.size() >= 2 && input[0] == 0xFF && input[1] == 0xFE) {
    return {Encoding::utf16_le, 2};
  }
  if (input.size() >= 2 && input[0] == 0xFE && input[1] == 0xFF) {
    return {Encoding::utf16_be, 2};
  }
  return {};
}

void Utf16Decoder::decode(ConstBytes input, std::string& out) {
  for (const std::uint8_t byte : input) {
    if (!has_half_) {
      half_ = byte;
      has_half_ = true;
      continue;
    }
    has_half_ = false;
    const unsigned high = big_endian_ ? half_ : byte;
    const unsigned low = big_endian_ ? byte : half_;
    unit(static_cast<std::uint16_t>((high << 8) | low), out);
  }
}

void Utf16Decoder::unit(std::uint16_t unit, std::string& out) {
  const bool is_low = unit >= 0xDC00 && unit < 0xE000;
  if (high_ != 0) {
    const std::uint32_t high = high_;
    high_ = 0;
    if (is_low) {
      append_utf8(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00U), out);
      return;
    }
    append_utf8(replacement, out);
  }
  if (unit >= 0xD800 && unit < 0xDC00) {
    high_ = unit;
  } else {
    append_utf8(is_low ? replacement : unit, out);
  }
}

bool Utf16Decoder::finish(std::string& out) {
  if (high_ != 0) {
    high_ = 0;
    append_utf8(replacement, out);
  }
  return !has_half_;
}

}  // namespace corliss::keyvalues::detail
