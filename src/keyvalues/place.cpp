#include "keyvalues/place.h"

#include <algorithm>
#include <cstring>

namespace corliss::keyvalues::detail {
namespace {

bool starts_code_point(std::uint8_t c) noexcept {
  return (c & 0xC0) != 0x80;
}

std::uint64_t code_points(ConstBytes text) noexcept {
  return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

}  // namespace

void PlaceTracker::advance(ConstBytes text) noexcept {
  if (text.empty()) {
    return;
  }
  if (utf16_) {
    const auto pairs = std::count_if(text.begin(), text.end(), [](std::uint8_t c) { return c >= 0xF0; });
    place_.offset += 2 * (code_points(text) + static_cast<std::uint64_t>(pairs));
  } else {
    place_.offset += text.size();
  }
  if (!after_cr_ && std::memchr(text.data(), '\r', text.size()) == nullptr) {
    const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines != 0) {
      place_.line += lines;
      place_.column = 1;
      const auto last = std::find(text.rbegin(), text.rend(), '\n');
      text = text.last(static_cast<std::size_t>(last - text.rbegin()));
    }
    place_.column += code_points(text);
    return;
  }
  for (const std::uint8_t c : text) {
    if (c == '\n' && after_cr_) {
      after_cr_ = false;
    } else if (c == '\n' || c == '\r') {
      ++place_.line;
      place_.column = 1;
      after_cr_ = c == '\r';
    } else {
      place_.column += starts_code_point(c) ? 1 : 0;
      after_cr_ = false;
    }
  }
}

}  // namespace corliss::keyvalues::detail
