#pragma once

#include <corliss/base/result.h>
#include <corliss/proto/enums.h>
#include <corliss/proto/ids.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace corliss::proto {

/// How a SteamId is written.
enum class SteamIdForm : std::uint8_t {
  steam3,         ///< `[U:1:8983980]`: any id, but drops some instances (see to_string).
  steam2,         ///< `STEAM_0:0:4491990`; ids that are neither Individual nor Invalid as `number`.
  steam2_modern,  ///< The same with the public universe as 1: `STEAM_1:0:4491990`.
  number,         ///< `76561197969249708`: lossless.
};

/// The 64-bit name of a user, game server, group or chat.
///
/// Bits: 0-31 account id, 32-51 instance, 52-55 account type, 56-63 universe; on the wire one little-endian
/// 64-bit number. Source: SteamKit SteamID.cs. Any 64-bit value is kept; `is_valid` tells which make sense.
/// Ordered and hashed by the number. A default one is 0.
///
///     CORLISS_TRY(const auto id, SteamId::parse("STEAM_0:0:4491990"));
///     to_string(id);                       // [U:1:8983980]
///     to_string(id, SteamIdForm::number);  // 76561197969249708
class SteamId {
 public:
  static constexpr std::uint32_t all_instances = 0;
  static constexpr std::uint32_t desktop_instance = 1;
  static constexpr std::uint32_t console_instance = 2;
  static constexpr std::uint32_t web_instance = 4;
  static constexpr std::uint32_t max_instance = 0xFFFFF;
  /// Flags in the instance of a chat.
  static constexpr std::uint32_t clan_chat_flag = 0x80000;
  static constexpr std::uint32_t lobby_flag = 0x40000;
  static constexpr std::uint32_t mms_lobby_flag = 0x20000;  ///< Matchmaking lobbies carry both lobby flags.

  constexpr SteamId() noexcept = default;
  constexpr explicit SteamId(std::uint64_t value) noexcept : value_(value) {}
  /// Keeps the low 20 bits of `instance` and the low 4 of `type`.
  constexpr SteamId(AccountId account, std::uint32_t instance, EUniverse universe, EAccountType type) noexcept
      : value_(std::uint64_t{account.value()} | std::uint64_t{instance & max_instance} << 32 |
               std::uint64_t{static_cast<std::uint8_t>(type) & 0xFU} << 52 |
               std::uint64_t{static_cast<std::uint8_t>(universe)} << 56) {}
  /// With the usual instance: 0 for Clan and GameServer, otherwise 1.
  constexpr SteamId(AccountId account, EUniverse universe, EAccountType type) noexcept
      : SteamId(account, type == EAccountType::Clan || type == EAccountType::GameServer ? 0U : 1U, universe,
                type) {}

  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  [[nodiscard]] constexpr AccountId account_id() const noexcept {
    return AccountId(static_cast<std::uint32_t>(value_));
  }
  [[nodiscard]] constexpr std::uint32_t instance() const noexcept {
    return static_cast<std::uint32_t>(value_ >> 32) & max_instance;
  }
  [[nodiscard]] constexpr EAccountType type() const noexcept {
    return static_cast<EAccountType>(value_ >> 52 & 0xF);
  }
  [[nodiscard]] constexpr EUniverse universe() const noexcept { return static_cast<EUniverse>(value_ >> 56); }

  /// This id with one field changed; bits that do not fit the field are dropped.
  [[nodiscard]] constexpr SteamId with_account_id(AccountId account) const noexcept {
    return {account, instance(), universe(), type()};
  }
  [[nodiscard]] constexpr SteamId with_instance(std::uint32_t instance) const noexcept {
    return {account_id(), instance, universe(), type()};
  }
  [[nodiscard]] constexpr SteamId with_type(EAccountType type) const noexcept {
    return {account_id(), instance(), universe(), type};
  }
  [[nodiscard]] constexpr SteamId with_universe(EUniverse universe) const noexcept {
    return {account_id(), instance(), universe, type()};
  }
  /// The id without its instance, by which accounts are compared.
  [[nodiscard]] constexpr std::uint64_t static_account_key() const noexcept {
    return with_instance(0).value();
  }

  /// Type 1 to 10, universe 1 to 4; Individual: an account, instance at most 4; Clan: an account, instance 0;
  /// GameServer: an account. (ValvePython refuses a blank AnonGameServer as well.)
  [[nodiscard]] constexpr bool is_valid() const noexcept {
    if (type() < EAccountType::Individual || type() > EAccountType::AnonUser ||
        universe() < EUniverse::Public || universe() > EUniverse::Dev) {
      return false;
    }
    const bool has_account = account_id() != AccountId();
    switch (type()) {
      case EAccountType::Individual:
        return has_account && instance() <= web_instance;
      case EAccountType::Clan:
        return has_account && instance() == 0;
      case EAccountType::GameServer:
        return has_account;
      default:
        return true;
    }
  }

  /// What a server replaces by an id of its own when it is logged on with.
  [[nodiscard]] constexpr bool is_blank_anonymous() const noexcept {
    return account_id() == AccountId() && instance() == 0 && is_anonymous();
  }
  /// AnonUser or AnonGameServer.
  [[nodiscard]] constexpr bool is_anonymous() const noexcept {
    return is_anonymous_user() || type() == EAccountType::AnonGameServer;
  }
  [[nodiscard]] constexpr bool is_anonymous_user() const noexcept { return type() == EAccountType::AnonUser; }
  /// GameServer or AnonGameServer.
  [[nodiscard]] constexpr bool is_game_server() const noexcept {
    return type() == EAccountType::GameServer || type() == EAccountType::AnonGameServer;
  }
  [[nodiscard]] constexpr bool is_content_server() const noexcept {
    return type() == EAccountType::ContentServer;
  }
  /// Individual or, as SteamKit has it, ConsoleUser.
  [[nodiscard]] constexpr bool is_individual() const noexcept {
    return type() == EAccountType::Individual || is_console_user();
  }
  [[nodiscard]] constexpr bool is_console_user() const noexcept {
    return type() == EAccountType::ConsoleUser;
  }
  [[nodiscard]] constexpr bool is_clan() const noexcept { return type() == EAccountType::Clan; }
  [[nodiscard]] constexpr bool is_chat() const noexcept { return type() == EAccountType::Chat; }
  /// A chat with the lobby flag (the MMS flag alone is not enough, as in SteamKit).
  [[nodiscard]] constexpr bool is_lobby() const noexcept {
    return is_chat() && (instance() & lobby_flag) != 0;
  }

  /// The chat room of a clan. Errors: Errc::not_a_clan.
  [[nodiscard]] Result<SteamId> to_clan_chat() const noexcept;
  /// The clan of a clan chat; nothing for any other id, chats with further flags included.
  [[nodiscard]] constexpr std::optional<SteamId> to_clan() const noexcept {
    if (!is_chat() || instance() != clan_chat_flag) {
      return std::nullopt;
    }
    return with_instance(0).with_type(EAccountType::Clan);
  }

  /// Reads a number, Steam2 or Steam3 text, whichever it is. Whole text, ASCII digits, every part checked
  /// against its range. An id that reads well may still not be `is_valid`. A small number is an id, not an
  /// account: for that use AccountId::parse. Errors of all four: Errc::bad_id, Errc::id_out_of_range.
  [[nodiscard]] static Result<SteamId> parse(std::string_view text) noexcept;
  /// Decimal digits, up to 2^64-1.
  [[nodiscard]] static Result<SteamId> parse_number(std::string_view text) noexcept;
  /// `STEAM_X:Y:Z`, prefix in any case, X 0 to 4 (0 read as Public), Y 0 or 1, Z at most 2^31-1. `universe`
  /// overrides X; SteamKit's own parser always does, with Public.
  [[nodiscard]] static Result<SteamId> parse_steam2(std::string_view text,
                                                    std::optional<EUniverse> universe = {}) noexcept;
  /// `[L:U:A]`, `[L:U:A:I]` or the old `[L:U:A(I)]`. A missing instance is 0 for g T c L and otherwise 1; `c`
  /// and `L` add their flag to it.
  [[nodiscard]] static Result<SteamId> parse_steam3(std::string_view text) noexcept;
  /// A friend invite code such as `cv-dgb` or `https://s.team/p/cv-dgb`; dashes are ignored. The id is a
  /// public Individual. Errors as above.
  [[nodiscard]] static Result<SteamId> parse_invite_code(std::string_view text) noexcept;

  friend constexpr bool operator==(SteamId, SteamId) noexcept = default;
  friend constexpr auto operator<=>(SteamId, SteamId) noexcept = default;

 private:
  std::uint64_t value_ = 0;
};

/// Writes an id. steam3 has no place for the instance of clans, game servers, anonymous users, pending and
/// content server accounts, nor for chat flags other than the one its letter shows; steam2 has none for any
/// instance. Use `number` where it must come back the same.
[[nodiscard]] std::string to_string(SteamId id, SteamIdForm form = SteamIdForm::steam3);

/// The invite code of the account, 1 to 9 characters: `cv-dgb`. Other fields of the id do not show.
[[nodiscard]] std::string to_invite_code(SteamId id);

}  // namespace corliss::proto

template <>
struct std::hash<corliss::proto::SteamId> {
  std::size_t operator()(corliss::proto::SteamId id) const noexcept {
    return std::hash<std::uint64_t>()(id.value());
  }
};
