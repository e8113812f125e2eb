#pragma once

#include <corliss/base/result.h>
#include <corliss/base/time.h>
#include <corliss/proto/ids.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace corliss::proto {

/// A number that is unique across Steam (a "GID"): messages, events, gifts, uploaded files and jobs have one.
///
/// Bits: 0-19 sequential count, 20-49 seconds since 2005-01-01 00:00:00 UTC, 50-53 process, 54-63 box; on the
/// wire one little-endian 64-bit number, as text decimal. Source: SteamKit GlobalID.cs. A default one is
/// `none`, 2^64-1. Ordered and hashed by the number.
class GlobalId {
 public:
  /// 2005-01-01 00:00:00 UTC.
  static constexpr UnixTime epoch{std::chrono::seconds{1104537600}};
  /// 2039-01-10 13:37:03 UTC, the last start time that fits.
  static constexpr UnixTime max_start_time{epoch + std::chrono::seconds{0x3FFFFFFF}};
  static constexpr std::uint32_t max_sequential_count = 0xFFFFF;

  constexpr GlobalId() noexcept = default;
  constexpr explicit GlobalId(std::uint64_t value) noexcept : value_(value) {}
  /// Keeps the bits of each part that fit; a start time outside [epoch, max_start_time] wraps.
  constexpr GlobalId(std::uint32_t sequential_count, UnixTime start_time, std::uint32_t process_id,
                     std::uint32_t box_id) noexcept
      : value_(std::uint64_t{sequential_count & max_sequential_count} |
               (static_cast<std::uint64_t>((start_time - epoch).count()) & 0x3FFFFFFF) << 20 |
               std::uint64_t{process_id & 0xF} << 50 | std::uint64_t{box_id & 0x3FF} << 54) {}

  /// Reads the decimal form. Errors: Errc::bad_id, Errc::id_out_of_range.
  [[nodiscard]] static Result<GlobalId> parse(std::string_view text) noexcept;

  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  [[nodiscard]] constexpr bool is_none() const noexcept { return value_ == none; }
  [[nodiscard]] constexpr std::uint32_t sequential_count() const noexcept {
    return static_cast<std::uint32_t>(value_) & max_sequential_count;
  }
  [[nodiscard]] constexpr UnixTime start_time() const noexcept {
    return epoch + std::chrono::seconds{value_ >> 20 & 0x3FFFFFFF};
  }
  [[nodiscard]] constexpr std::uint32_t process_id() const noexcept {
    return static_cast<std::uint32_t>(value_ >> 50 & 0xF);
  }
  [[nodiscard]] constexpr std::uint32_t box_id() const noexcept {
    return static_cast<std::uint32_t>(value_ >> 54);
  }

  friend constexpr bool operator==(GlobalId, GlobalId) noexcept = default;
  friend constexpr auto operator<=>(GlobalId, GlobalId) noexcept = default;

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t value_ = none;
};

/// The decimal form.
[[nodiscard]] inline std::string to_string(GlobalId id) {
  return std::to_string(id.value());
}

/// A file in the cloud of a user.
using UgcHandle = GlobalId;

}  // namespace corliss::proto

template <>
struct std::hash<corliss::proto::GlobalId> {
  std::size_t operator()(corliss::proto::GlobalId id) const noexcept {
    return std::hash<std::uint64_t>()(id.value());
  }
};
