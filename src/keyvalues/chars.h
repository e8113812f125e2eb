#pragma once

#include <cstdint>
#include <string_view>

namespace corliss::keyvalues::detail {

/// Blank, TAB, LF, VT, FF, CR: the white space of KeyValues.
constexpr bool is_space(std::uint8_t c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// Equal without regard to ASCII case.
constexpr bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && lower(a[i]) != lower(b[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace corliss::keyvalues::detail
