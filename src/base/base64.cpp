#include <corliss/base/base64.h>

namespace corliss {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(ConstBytes bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const unsigned three = static_cast<unsigned>(bytes[i]) << 16 |
                           static_cast<unsigned>(left > 1 ? bytes[i + 1] : 0) << 8 |
                           static_cast<unsigned>(left > 2 ? bytes[i + 2] : 0);
    out += alphabet[three >> 18];
    out += alphabet[three >> 12 & 0x3f];
    out += left > 1 ? alphabet[three >> 6 & 0x3f] : '=';
    out += left > 2 ? alphabet[three & 0x3f] : '=';
  }
  return out;
}

Result<std::vector<std::uint8_t>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return fail(BaseErrc::bad_base64);
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::string_view digits = text.substr(0, text.size() - padding);
  std::vector<std::uint8_t> out;
  out.reserve(text.size() / 4 * 3);
  unsigned bits = 0;
  unsigned count = 0;
  for (const char digit : digits) {
    const std::size_t value = alphabet.find(digit);
    if (value == std::string_view::npos) {
      return fail(BaseErrc::bad_base64);
    }
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<std::uint8_t>(bits >> count));
      bits &= (1u << count) - 1;
    }
  }
  if (bits != 0) {
    return fail(BaseErrc::bad_base64);
  }
  return out;
}

}  // namespace corliss
