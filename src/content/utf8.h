#pragma once

#include <corliss/base/bytes.h>

#include <cstdint>
#include <string_view>

namespace corliss::content::detail {

/// One code point from the front of `text` and its length in bytes; length 0 where `text` does not begin with
/// well-formed UTF-8 (RFC 3629: no surrogates, nothing overlong, at most U+10FFFF) or is empty.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;
};
[[nodiscard]] CodePoint decode_utf8(std::string_view text) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Simple case folding of one letter: ASCII, Latin-1, Latin Extended-A, Greek, Cyrillic, Armenian. Others
/// stay. Source: Unicode CaseFolding.txt, status C, in these blocks.
[[nodiscard]] char32_t fold_case(char32_t letter) noexcept;

}  // namespace corliss::content::detail
