#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace corliss::keyvalues::detail {

/// Whether the expression between the brackets holds, with these symbols (without `$`, ASCII case ignored)
/// and no others. Nothing when it is not an expression of `$NAME`, `!`, `&&`, `||` and parentheses.
[[nodiscard]] std::optional<bool> evaluate(std::string_view condition, std::span<const std::string> symbols);

}  // namespace corliss::keyvalues::detail
