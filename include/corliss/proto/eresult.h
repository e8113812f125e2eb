#pragma once

#include <corliss/base/fault.h>
#include <corliss/base/result.h>
#include <corliss/proto/eresult_values.h>

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace corliss::proto {

/// `AccessDenied`, or nothing for a number without a name. Lives forever.
[[nodiscard]] std::string_view name_of(EResult result) noexcept;

/// The EResult of exactly this name.
[[nodiscard]] std::optional<EResult> eresult_of_name(std::string_view name) noexcept;

/// `AccessDenied (15)`, or `EResult 4711` for a number without a name.
[[nodiscard]] std::string to_string(EResult result);

/// The category of what servers answer. An error code of it holds the number (read it with `eresult_of`,
/// since `value()` has OK as 0) and its message is `to_string`. Faults: Timeout is Fault::timeout;
/// where another server may do better (TryAnotherCM, ServiceUnavailable, NoConnection and the like)
/// Fault::closed; anything else Fault::refused, LoggedInElsewhere too, which to answer by connecting again
/// would be a quarrel.
const std::error_category& eresult_category() noexcept;

/// No error for OK, otherwise an error of `eresult_category`; Invalid is one.
std::error_code make_error_code(EResult result) noexcept;

/// The EResult in an error code, if that is what it holds.
[[nodiscard]] std::optional<EResult> eresult_of(const std::error_code& error) noexcept;

/// Nothing for OK, otherwise the error.
[[nodiscard]] Result<void> check(EResult result) noexcept;

}  // namespace corliss::proto

template <>
struct std::is_error_code_enum<corliss::proto::EResult> : std::true_type {};
