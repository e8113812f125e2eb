#include <corliss/base/endian.h>
#include <corliss/base/reader.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/struct_messages.h>

namespace corliss::proto {
namespace {

std::uint32_t u32_or_zero(Reader& in) noexcept {
  return in.u32().value_or(0);
}

std::int32_t i32_or_zero(Reader& in) noexcept {
  return in.i32().value_or(0);
}

std::uint32_t u32_of(std::int32_t value) noexcept {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t u32_of(EResult value) noexcept {
  return static_cast<std::uint32_t>(value);
}

/// The result, without which a body means nothing.
Result<EResult> read_result(Reader& in) noexcept {
  const auto result = in.i32();
  if (!result) {
    return fail(Errc::bad_body);
  }
  return static_cast<EResult>(*result);
}

}  // namespace

Result<MsgClientServerUnavailable> MsgClientServerUnavailable::parse(ConstBytes body) noexcept {
  if (body.size() < size) {
    return fail(Errc::bad_body);
  }
  return MsgClientServerUnavailable{JobId(load_le<std::uint64_t>(body.data())),
                                    static_cast<EMsg>(load_le<std::uint32_t>(body.data() + 8)),
                                    static_cast<std::int32_t>(load_le<std::uint32_t>(body.data() + 12))};
}

std::array<std::uint8_t, MsgClientServerUnavailable::size> MsgClientServerUnavailable::bytes()
    const noexcept {
  std::array<std::uint8_t, size> out{};
  store_le(out.data(), job_id_sent.value());
  store_le(out.data() + 8, static_cast<std::uint32_t>(emsg_sent));
  store_le(out.data() + 12, u32_of(server_type_unavailable));
  return out;
}

Result<MsgClientLogOnResponse> MsgClientLogOnResponse::parse(ConstBytes body) noexcept {
  Reader in(body);
  MsgClientLogOnResponse out;
  CORLISS_TRY(out.result, read_result(in));
  out.out_of_game_heartbeat_seconds = i32_or_zero(in);
  out.in_game_heartbeat_seconds = i32_or_zero(in);
  const auto id = in.u64();
  if (!id) {
    return out;
  }
  out.client_supplied_steam_id = SteamId(*id);
  out.ip_public = u32_or_zero(in);
  out.server_real_time = u32_or_zero(in);
  return out;
}

std::array<std::uint8_t, MsgClientLogOnResponse::size> MsgClientLogOnResponse::bytes() const noexcept {
  std::array<std::uint8_t, size> out{};
  store_le(out.data(), u32_of(result));
  store_le(out.data() + 4, u32_of(out_of_game_heartbeat_seconds));
  store_le(out.data() + 8, u32_of(in_game_heartbeat_seconds));
  store_le(out.data() + 12, client_supplied_steam_id.value());
  store_le(out.data() + 20, ip_public);
  store_le(out.data() + 24, server_real_time);
  return out;
}

Result<MsgClientLoggedOff> MsgClientLoggedOff::parse(ConstBytes body) noexcept {
  Reader in(body);
  MsgClientLoggedOff out;
  CORLISS_TRY(out.result, read_result(in));
  out.min_reconnect_hint_seconds = i32_or_zero(in);
  out.max_reconnect_hint_seconds = i32_or_zero(in);
  return out;
}

std::array<std::uint8_t, MsgClientLoggedOff::size> MsgClientLoggedOff::bytes() const noexcept {
  std::array<std::uint8_t, size> out{};
  store_le(out.data(), u32_of(result));
  store_le(out.data() + 4, u32_of(min_reconnect_hint_seconds));
  store_le(out.data() + 8, u32_of(max_reconnect_hint_seconds));
  return out;
}

}  // namespace corliss::proto
