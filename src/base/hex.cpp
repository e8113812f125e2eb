#include <corliss/base/hex.h>
#include <corliss/base/secret.h>

namespace corliss {
namespace {

/// 0–15, or -1.
int digit(char c) noexcept {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

}  // namespace

std::string to_hex(ConstBytes bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
  }
  return out;
}

Result<void> from_hex(std::string_view text, Bytes out) noexcept {
  bool good = text.size() == out.size() * 2;
  for (std::size_t i = 0; good && i < out.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    out[i] = static_cast<std::uint8_t>((high << 4) | (low & 15));
  }
  if (!good) {
    wipe(out);
    return fail(BaseErrc::bad_hex);
  }
  return {};
}

Result<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  std::vector<std::uint8_t> out(text.size() / 2);
  CORLISS_CHECK(from_hex(text, out));
  return out;
}

}  // namespace corliss
