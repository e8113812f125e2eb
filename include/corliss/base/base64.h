#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace corliss {

/// Standard base64 (RFC 4648 §4) with padding, in one line. Not constant-time: not for secrets.
[[nodiscard]] std::string to_base64(ConstBytes bytes);

/// The bytes of `text`: standard alphabet, padding required, unused bits zero, nothing else.
/// Errors: BaseErrc::bad_base64.
[[nodiscard]] Result<std::vector<std::uint8_t>> from_base64(std::string_view text);

}  // namespace corliss
