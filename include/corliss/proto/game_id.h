#pragma once

#include <corliss/base/result.h>
#include <corliss/proto/ids.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace corliss::proto {

/// What a GameId names. Other numbers are kept.
enum class EGameIdType : std::uint8_t { App = 0, GameMod = 1, Shortcut = 2, P2P = 3 };

/// The 64-bit name of something that can be launched: an app, a mod of an app, a shortcut to a foreign
/// program.
///
/// Bits: 0-23 app id, 24-31 type, 32-63 mod id, whose top bit is set for mods and shortcuts; on the wire one
/// little-endian 64-bit number, as text decimal. Source: SteamKit GameID.cs and its tests. Any 64-bit value
/// is kept. Ordered and hashed by the number.
class GameId {
 public:
  static constexpr std::uint32_t max_app_id = 0xFFFFFF;

  constexpr GameId() noexcept = default;
  constexpr explicit GameId(std::uint64_t value) noexcept : value_(value) {}

  /// The id of an app, which is the app id. Errors: Errc::id_out_of_range above `max_app_id`.
  [[nodiscard]] static Result<GameId> for_app(AppId app) noexcept;
  /// The id of the mod in the folder `path` of `app`; CRC-32 of the bytes of `path`. Errors as above.
  [[nodiscard]] static Result<GameId> for_mod(AppId app, std::string_view path) noexcept;
  /// The id of a shortcut; CRC-32 of `executable` followed by `name`, both as stored, quotes included.
  /// Allocates nothing.
  [[nodiscard]] static GameId for_shortcut(std::string_view executable, std::string_view name) noexcept;
  /// Reads the decimal form. Errors: Errc::bad_id, Errc::id_out_of_range.
  [[nodiscard]] static Result<GameId> parse(std::string_view text) noexcept;

  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  [[nodiscard]] constexpr AppId app_id() const noexcept {
    return AppId(static_cast<std::uint32_t>(value_) & max_app_id);
  }
  [[nodiscard]] constexpr EGameIdType type() const noexcept {
    return static_cast<EGameIdType>(value_ >> 24 & 0xFF);
  }
  /// All high 32 bits, the top one included.
  [[nodiscard]] constexpr std::uint32_t mod_id() const noexcept {
    return static_cast<std::uint32_t>(value_ >> 32);
  }

  /// This id with other fields; bits that do not fit are dropped. `with_mod_id` sets the top bit as well.
  [[nodiscard]] constexpr GameId with_app_id(AppId app) const noexcept {
    return GameId((value_ & ~std::uint64_t{max_app_id}) | (app.value() & max_app_id));
  }
  [[nodiscard]] constexpr GameId with_type(EGameIdType type) const noexcept {
    return GameId((value_ & ~(std::uint64_t{0xFF} << 24)) | std::uint64_t{static_cast<std::uint8_t>(type)}
                                                                << 24);
  }
  [[nodiscard]] constexpr GameId with_mod_id(std::uint32_t mod) const noexcept {
    return GameId((value_ & 0xFFFFFFFF) | std::uint64_t{mod} << 32 | std::uint64_t{1} << 63);
  }

  friend constexpr bool operator==(GameId, GameId) noexcept = default;
  friend constexpr auto operator<=>(GameId, GameId) noexcept = default;

 private:
  std::uint64_t value_ = 0;
};

/// The decimal form.
[[nodiscard]] inline std::string to_string(GameId id) {
  return std::to_string(id.value());
}

}  // namespace corliss::proto

template <>
struct std::hash<corliss::proto::GameId> {
  std::size_t operator()(corliss::proto::GameId id) const noexcept {
    return std::hash<std::uint64_t>()(id.value());
  }
};
