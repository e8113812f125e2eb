#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace corliss::proto::detail {

/// A row of a generated table, which is sorted by value.
struct EnumName {
  std::int64_t value;
  std::string_view name;
};

inline std::string_view find_name(std::span<const EnumName> table, std::int64_t value) noexcept {
  const auto row = std::lower_bound(table.begin(), table.end(), value,
                                    [](const EnumName& r, std::int64_t wanted) { return r.value < wanted; });
  return row != table.end() && row->value == value ? row->name : std::string_view();
}

inline std::optional<std::int64_t> find_value(std::span<const EnumName> table,
                                              std::string_view name) noexcept {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const EnumName& r) { return r.name == name; });
  return row != table.end() ? std::optional(row->value) : std::nullopt;
}

}  // namespace corliss::proto::detail
