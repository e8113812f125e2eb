#include "proto/enum_names.h"

#include <corliss/proto/emsg.h>

namespace corliss::proto {
namespace {

constexpr detail::EnumName names[] = {
#include <corliss/proto/emsg_names.inc>
};

}  // namespace

std::string_view name_of(EMsg emsg) noexcept {
  return detail::find_name(names, static_cast<std::int64_t>(emsg));
}

std::optional<EMsg> emsg_of_name(std::string_view name) noexcept {
  const auto value = detail::find_value(names, name);
  return value ? std::optional(static_cast<EMsg>(*value)) : std::nullopt;
}

std::string to_string(EMsg emsg) {
  const auto number = std::to_string(static_cast<std::uint32_t>(emsg));
  const auto name = name_of(emsg);
  return name.empty() ? "EMsg " + number : std::string(name) + " (" + number + ")";
}

}  // namespace corliss::proto
