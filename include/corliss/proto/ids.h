#pragma once

#include <corliss/base/result.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

/// `proto`: what a message is: ids, EMsg, EResult, headers, the protobuf messages, Multi.
namespace corliss::proto {

namespace detail {
/// A decimal number of at most `max`: ASCII digits only, the whole text, no sign, no space. Leading zeros are
/// digits like others. Errors: Errc::bad_id, Errc::id_out_of_range.
[[nodiscard]] Result<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t max) noexcept;
}  // namespace detail

/// A number that names one kind of thing. Two kinds never mix, and neither mixes with plain numbers. Ordered
/// and hashed by the number; a default one is 0.
template <class Tag, std::unsigned_integral Rep>
class Id {
 public:
  using rep = Rep;

  constexpr Id() noexcept = default;
  constexpr explicit Id(Rep value) noexcept : value_(value) {}

  [[nodiscard]] constexpr Rep value() const noexcept { return value_; }

  /// Reads the decimal form, whole text, ASCII digits only. Errors: Errc::bad_id, Errc::id_out_of_range.
  [[nodiscard]] static Result<Id> parse(std::string_view text) noexcept {
    return detail::parse_decimal(text, std::numeric_limits<Rep>::max()).map([](std::uint64_t value) {
      return Id(static_cast<Rep>(value));
    });
  }

  friend constexpr bool operator==(Id, Id) noexcept = default;
  friend constexpr auto operator<=>(Id, Id) noexcept = default;

 private:
  Rep value_ = 0;
};

/// The decimal form.
template <class Tag, class Rep>
[[nodiscard]] std::string to_string(Id<Tag, Rep> id) {
  return std::to_string(id.value());
}

using AccountId = Id<struct AccountIdTag, std::uint32_t>;        ///< The low 32 bits of a SteamId.
using AppId = Id<struct AppIdTag, std::uint32_t>;                ///< A game or other application.
using CellId = Id<struct CellIdTag, std::uint32_t>;              ///< A region, for choosing servers.
using ChangeNumber = Id<struct ChangeNumberTag, std::uint32_t>;  ///< A state of the app data (PICS).
using DepotId = Id<struct DepotIdTag, std::uint32_t>;            ///< A set of files of an app.
using ManifestId = Id<struct ManifestIdTag, std::uint64_t>;      ///< One version of a depot, its "gid".
using PackageId = Id<struct PackageIdTag, std::uint32_t>;  ///< A licence to apps and depots, its "subid".
/// A workshop item. Servers write 0 for none, some clients 2^64-1.
using PublishedFileId = Id<struct PublishedFileIdTag, std::uint64_t>;

}  // namespace corliss::proto

template <class Tag, class Rep>
struct std::hash<corliss::proto::Id<Tag, Rep>> {
  std::size_t operator()(corliss::proto::Id<Tag, Rep> id) const noexcept {
    return std::hash<std::uint64_t>()(id.value());
  }
};
