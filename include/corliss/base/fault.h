#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace corliss {

/// What a caller can do about an error. Every `Errc` of every layer maps to exactly one; compare with
/// `error == Fault::malformed`. The exact cause stays in the error code.
enum class Fault {
  malformed = 1,    ///< The input breaks its format. Drop it; the same bytes will fail again.
  unauthenticated,  ///< A MAC, padding, checksum or key does not fit. Close, or fetch again from elsewhere.
  limit,            ///< A named limit is exceeded. Raise the limit if the input is trusted.
  closed,           ///< The other side, or this one, ended it. Connect again.
  timeout,          ///< A deadline passed. Connect or ask again.
  refused,          ///< The other side understood and said no. Change the request.
  local,  ///< This side: wrong use, a buffer too small, no memory, disk or randomness. Mend it here.
};

/// The category of `Fault`; its conditions match every Corliss error code that maps to them. Never fails.
const std::error_category& fault_category() noexcept;
std::error_condition make_error_condition(Fault fault) noexcept;

/// One line of a layer's error table: the text that people read (what, and what to do) and its `Fault`.
struct ErrcRow {
  std::string_view text;
  Fault fault;
};

/// The error category of one layer. Its table is indexed by the enumerator; row 0 is unused (success).
/// Use one function-local static per layer; the table must live as long.
class ErrcCategory final : public std::error_category {
 public:
  ErrcCategory(const char* name, std::span<const ErrcRow> rows) noexcept : name_(name), rows_(rows) {}

  const char* name() const noexcept override { return name_; }
  std::string message(int value) const override;
  std::error_condition default_error_condition(int value) const noexcept override;

 private:
  const char* name_;
  std::span<const ErrcRow> rows_;
};

/// Causes that belong to no layer in particular.
enum class BaseErrc {
  truncated = 1,       ///< Fewer bytes than the format needs. Fault::malformed.
  trailing_bytes,      ///< Bytes after the end of the value. Fault::malformed.
  bad_hex,             ///< Not an even number of hexadecimal digits. Fault::malformed.
  buffer_too_small,    ///< The caller's buffer is smaller than the function says it needs. Fault::local.
  random_unavailable,  ///< The random generator failed; nothing was written. Fault::local.
  bad_base64,          ///< Not standard base64 with its padding. Fault::malformed.
};

std::error_code make_error_code(BaseErrc errc) noexcept;

}  // namespace corliss

template <>
struct std::is_error_condition_enum<corliss::Fault> : std::true_type {};
template <>
struct std::is_error_code_enum<corliss::BaseErrc> : std::true_type {};
