#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace corliss {

/// Lower-case hexadecimal, two digits a byte, no separators. Not constant-time: not for secrets.
[[nodiscard]] std::string to_hex(ConstBytes bytes);

/// The bytes of `text`: digits of either case, nothing else. Errors: BaseErrc::bad_hex.
[[nodiscard]] Result<std::vector<std::uint8_t>> from_hex(std::string_view text);

/// As above into `out`, which must be exactly half as long as `text`. Allocates nothing and looks nothing up
/// in a table, so it suits keys. Errors: BaseErrc::bad_hex, `out` wiped.
[[nodiscard]] Result<void> from_hex(std::string_view text, Bytes out) noexcept;

}  // namespace corliss
