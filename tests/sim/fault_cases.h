#pragma once

#include "sim/client_probe.h"

#include <corliss/crypto/errc.h>
#include <corliss/io/errc.h>
#include <corliss/net/errc.h>
#include <corliss/proto/errc.h>
#include <corliss/sim/faults.h>

#include <chrono>
#include <string>
#include <vector>

namespace corliss::sim::test {

/// What a good client makes of a fault on one transport.
struct FaultCase {
  std::string name;
  FaultRule rule;
  Schemes on;
  /// The reasons that its Closed may have; in order of their likeliness where timing decides.
  std::vector<std::error_code> reasons;
  std::optional<proto::EResult> logon = proto::EResult::OK;
  std::vector<std::uint64_t> answers{100, 101, 102};
  std::optional<proto::EResult> logged_off = std::nullopt;
  std::error_code broken{};
  std::int32_t detail = 0;  ///< 0: any
};

/// Every fault on every transport where it exists; a row may cover several.
inline std::vector<FaultCase> fault_cases() {
  using namespace std::chrono_literals;
  using K = FaultKind;
  const std::error_code reset = io::Errc::connection_reset;
  const std::error_code by_peer = net::Errc::closed_by_peer;
  const std::error_code here = net::Errc::closed_here;
  const Schemes tcp = Scheme::tcp;
  const Schemes udp = Scheme::udp;
  const Schemes ws = Scheme::ws;
  const Schemes wss = Scheme::wss;
  const Schemes web = ws | wss;
  const Schemes streams = tcp | web;
  const Schemes all = Schemes::all();
  const auto none = std::nullopt;
  const std::vector<std::uint64_t> nothing;
  // The end of a connection that went well: the CM closes after ClientLogOff.
  return {
      {"refuse", {.kind = K::refuse}, streams, {reset}, none, nothing},
      {"refuse", {.kind = K::refuse}, udp, {by_peer}, none, nothing},
      {"delay", {.kind = K::delay, .by = 50ms}, all, {by_peer}},
      {"split", {.kind = K::split}, streams, {by_peer}},
      {"stall at once", {.kind = K::stall}, all, {net::Errc::handshake_timeout}, none, nothing},
      {"stall in the handshake",
       {.kind = K::stall, .after_bytes = 60},
       tcp,
       {net::Errc::handshake_timeout},
       none,
       nothing},
      {"stall in the upgrade",
       {.kind = K::stall, .after_bytes = 60},
       web,
       {net::Errc::handshake_timeout},
       none,
       nothing},
      {"stall in a message",
       {.kind = K::stall, .after_bytes = 100},
       tcp,
       {net::Errc::stall_timeout},
       none,
       nothing},
      {"stall in a session",
       {.kind = K::stall, .after_bytes = 36 * 8},
       udp,
       {net::Errc::idle_timeout, net::Errc::handshake_timeout},
       none,
       nothing},
      {"stall in a message",
       {.kind = K::stall, .after_bytes = 140},
       ws,
       {net::Errc::stall_timeout},
       none,
       nothing},
      {"reset at once", {.kind = K::reset}, streams, {reset}, none, nothing},
      {"reset in the handshake", {.kind = K::reset, .after_bytes = 50}, streams, {reset}, none, nothing},
      {"half close at once",
       {.kind = K::half_close},
       streams,
       {net::Errc::stream_truncated, by_peer},
       none,
       nothing},
      {"half close in a message",
       {.kind = K::half_close, .after_bytes = 100},
       tcp | ws,
       {net::Errc::stream_truncated},
       none,
       nothing},
      {"half close in the TLS handshake",
       {.kind = K::half_close, .after_bytes = 100},
       wss,
       {by_peer},
       none,
       nothing},
      {"garbled magic", {.kind = K::garble, .after_bytes = 4}, tcp, {net::Errc::bad_magic}, none, nothing},
      {"garbled challenge",
       {.kind = K::garble, .after_bytes = 40},
       tcp,
       {net::Errc::handshake_refused},
       none,
       nothing,
       none,
       {},
       2},
      {"garbled packet",
       {.kind = K::garble, .after_bytes = 100},
       tcp,
       {crypto::Errc::unauthenticated},
       none,
       nothing},
      {"garbled datagram", {.kind = K::garble, .after_bytes = 1}, udp, {by_peer}},
      {"garbled upgrade", {.kind = K::garble, .after_bytes = 1}, ws, {net::Errc::bad_http}, none, nothing},
      {"garbled TLS", {.kind = K::garble, .after_bytes = 200}, wss, {io::Errc::tls_failed}, none, nothing},
      {"garbled frame", {.kind = K::garble, .after_bytes = 129}, ws, {net::Errc::bad_frame}, none, nothing},
      {"wrong MAC", {.kind = K::wrong_mac}, tcp | udp, {crypto::Errc::unauthenticated}, none, nothing},
      {"wrong MAC later",
       {.kind = K::wrong_mac, .after_messages = 3},
       tcp | udp,
       {crypto::Errc::unauthenticated},
       proto::EResult::OK,
       {100}},
      {"wrong MAC of TLS", {.kind = K::wrong_mac}, wss, {io::Errc::tls_failed}, none, nothing},
      {"wrong MAC of TLS later",
       {.kind = K::wrong_mac, .after_messages = 3},
       wss,
       {io::Errc::tls_failed},
       proto::EResult::OK,
       {100}},
      {"replay under TLS",
       {.kind = K::replay, .after_messages = 2},
       wss,
       {io::Errc::tls_failed},
       proto::EResult::OK,
       {100}},
      {"replay",
       {.kind = K::replay, .after_messages = 2},
       tcp | ws,
       {by_peer},
       proto::EResult::OK,
       {100, 100, 101, 102}},
      {"replay", {.kind = K::replay, .after_messages = 2}, udp, {by_peer}},
      {"duplicate",
       {.kind = K::duplicate, .after_messages = 3},
       all,
       {by_peer},
       proto::EResult::OK,
       {100, 101, 101, 102}},
      {"oversized",
       {.kind = K::oversized, .after_messages = 2},
       all,
       {net::Errc::frame_too_large},
       proto::EResult::OK,
       nothing},
      {"Multi bomb", {.kind = K::multi_bomb}, all, {here}, none, nothing, none, proto::Errc::multi_bad_size},
      {"Busy at the channel",
       {.kind = K::result, .at = FaultPoint::channel, .result = proto::EResult::Busy},
       tcp | udp,
       {net::Errc::handshake_refused},
       none,
       nothing,
       none,
       {},
       10},
      {"ServiceUnavailable",
       {.kind = K::result, .at = FaultPoint::logon},
       all,
       {by_peer},
       proto::EResult::ServiceUnavailable,
       nothing},
      {"drop", {.kind = K::drop, .percent = 25}, udp, {by_peer, net::Errc::idle_timeout}},
      {"drop all", {.kind = K::drop, .percent = 100}, udp, {net::Errc::handshake_timeout}, none, nothing},
      {"late", {.kind = K::late, .by = 50ms}, all, {by_peer}},
      {"another CM", {.kind = K::try_another_cm}, all, {by_peer}, proto::EResult::TryAnotherCM, nothing},
      {"another CM later",
       {.kind = K::try_another_cm, .after_messages = 3},
       all,
       {by_peer},
       proto::EResult::OK,
       {100},
       proto::EResult::TryAnotherCM},
  };
}

inline void expect_outcome(const FaultCase& expected, const Outcome& got) {
  ASSERT_TRUE(got.closed);
  EXPECT_NE(std::find(expected.reasons.begin(), expected.reasons.end(), got.closed->reason),
            expected.reasons.end())
      << got.closed->reason << ": " << got.closed->reason.message();
  if (expected.detail != 0) {
    EXPECT_EQ(got.closed->detail, expected.detail);
  }
  EXPECT_EQ(got.logon, expected.logon);
  EXPECT_EQ(got.answers, expected.answers);
  EXPECT_EQ(got.logged_off, expected.logged_off);
  EXPECT_EQ(got.broken, expected.broken);
}

}  // namespace corliss::sim::test
