#include "proto/enum_names.h"

#include <corliss/proto/eresult.h>

namespace corliss::proto {
namespace {

constexpr detail::EnumName names[] = {
#include <corliss/proto/eresult_names.inc>
};

/// An error code of value 0 is no error, so OK and Invalid change places; their own inverse.
constexpr int swap_ok(int value) noexcept {
  return value == 0 || value == 1 ? 1 - value : value;
}

Fault fault_of(EResult result) noexcept {
  switch (result) {
    case EResult::Timeout:
      return Fault::timeout;
    case EResult::NoConnection:
    case EResult::ServiceUnavailable:
    case EResult::ConnectFailed:
    case EResult::HandshakeFailed:
    case EResult::RemoteDisconnect:
    case EResult::TryAnotherCM:
      return Fault::closed;
    default:
      return Fault::refused;
  }
}

class EResultCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "steam.eresult"; }
  std::string message(int value) const override { return to_string(static_cast<EResult>(swap_ok(value))); }
  std::error_condition default_error_condition(int value) const noexcept override {
    if (value == 0) {
      return {value, *this};
    }
    return make_error_condition(fault_of(static_cast<EResult>(swap_ok(value))));
  }
};

}  // namespace

std::string_view name_of(EResult result) noexcept {
  return detail::find_name(names, static_cast<std::int64_t>(result));
}

std::optional<EResult> eresult_of_name(std::string_view name) noexcept {
  const auto value = detail::find_value(names, name);
  return value ? std::optional(static_cast<EResult>(*value)) : std::nullopt;
}

std::string to_string(EResult result) {
  const auto number = std::to_string(static_cast<std::int32_t>(result));
  const auto name = name_of(result);
  return name.empty() ? "EResult " + number : std::string(name) + " (" + number + ")";
}

const std::error_category& eresult_category() noexcept {
  static const EResultCategory category;
  return category;
}

std::error_code make_error_code(EResult result) noexcept {
  return {swap_ok(static_cast<int>(result)), eresult_category()};
}

std::optional<EResult> eresult_of(const std::error_code& error) noexcept {
  if (error.category() != eresult_category()) {
    return std::nullopt;
  }
  return static_cast<EResult>(swap_ok(error.value()));
}

Result<void> check(EResult result) noexcept {
  if (result != EResult::OK) {
    return fail(result);
  }
  return {};
}

}  // namespace corliss::proto
