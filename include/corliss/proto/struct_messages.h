#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/proto/emsg.h>
#include <corliss/proto/eresult.h>
#include <corliss/proto/job_id.h>
#include <corliss/proto/steam_id.h>

#include <array>
#include <cstdint>

/// The bodies of the old messages that are still in use: packed structures, little-endian, behind an
/// ExtendedClientMsgHdr. Source: SteamKit steammsg.steamd. Bytes behind a structure are ignored.
namespace corliss::proto {

/// ClientServerUnavailable (5500): no server for a request. Wire: u64 job, u32 EMsg, i32 EServerType.
struct MsgClientServerUnavailable {
  static constexpr std::size_t size = 16;
  JobId job_id_sent;  ///< The source job of the request.
  EMsg emsg_sent = EMsg::Invalid;
  std::int32_t server_type_unavailable = 0;

  /// Errors: Errc::bad_body for fewer bytes.
  [[nodiscard]] static Result<MsgClientServerUnavailable> parse(ConstBytes body) noexcept;
  [[nodiscard]] std::array<std::uint8_t, size> bytes() const noexcept;
};

/// ClientLogOnResponse (751) without the protobuf flag: always a failure, sent where no logon came. Wire: i32
/// result, i32 and i32 heartbeat seconds, u64 SteamID, u32 IPv4 (first octet in the high byte), u32 Unix
/// time.
struct MsgClientLogOnResponse {
  static constexpr std::size_t size = 28;
  EResult result = EResult::Fail;
  std::int32_t out_of_game_heartbeat_seconds = 0;
  std::int32_t in_game_heartbeat_seconds = 0;
  SteamId client_supplied_steam_id;
  std::uint32_t ip_public = 0;
  std::uint32_t server_real_time = 0;

  /// Takes a body of 4 bytes or more; fields that are not whole stay 0. Errors: Errc::bad_body for fewer.
  [[nodiscard]] static Result<MsgClientLogOnResponse> parse(ConstBytes body) noexcept;
  [[nodiscard]] std::array<std::uint8_t, size> bytes() const noexcept;
};

/// ClientLoggedOff (757) without the protobuf flag. Wire: three i32.
struct MsgClientLoggedOff {
  static constexpr std::size_t size = 12;
  EResult result = EResult::Fail;
  std::int32_t min_reconnect_hint_seconds = 0;
  std::int32_t max_reconnect_hint_seconds = 0;

  /// Takes a body of 4 bytes or more; fields that are not whole stay 0. Errors: Errc::bad_body for fewer.
  [[nodiscard]] static Result<MsgClientLoggedOff> parse(ConstBytes body) noexcept;
  [[nodiscard]] std::array<std::uint8_t, size> bytes() const noexcept;
};

}  // namespace corliss::proto
