#pragma once

#include <corliss/base/bytes.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace corliss::content::detail {

/// Decodes standard base64 (`+`, `/`, padding required) with blanks, tabs, CR and LF anywhere. Writes at most
/// text.size() / 4 * 3 + 2 bytes to `out`, which may begin where `text` does. Returns how many, or nothing
/// where it is no base64.
[[nodiscard]] std::optional<std::size_t> decode_base64(std::string_view text, std::uint8_t* out) noexcept;

/// Standard base64 with padding, a line feed after every 72 characters and at the end, as in Steam's
/// manifests.
[[nodiscard]] std::string encode_base64_lines(ConstBytes bytes);

}  // namespace corliss::content::detail
