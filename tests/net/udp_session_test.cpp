#include "support/allocations.h"
#include "support/test_support.h"

#include <corliss/net/errc.h>
#include <corliss/net/udp_packet.h>
#include <corliss/net/udp_session.h>

#include <fstream>

namespace corliss::net {
namespace {

using std::chrono::seconds;
using Datagram = std::vector<std::uint8_t>;

constexpr TimePoint start{};
constexpr std::uint32_t server_id = 0x1000;
constexpr std::uint32_t challenge = 0x12345678;

UdpSessionOptions client_options() {
  return {};
}
UdpSessionOptions server_options() {
  return {.side = UdpSessionOptions::Side::server,
          .connection_id = server_id,
          .challenge = challenge,
          .server_load = 77,
          .limits = {},
          .timeouts = udp_timeouts};
}

std::vector<Datagram> drain(UdpSession& session) {
  std::vector<Datagram> out;
  for (auto datagram = session.outgoing(); !datagram.empty(); datagram = session.outgoing()) {
    out.emplace_back(datagram.begin(), datagram.end());
    session.sent();
  }
  return out;
}

std::error_code close_reason(UdpSession& session) {
  while (auto event = session.poll_event()) {
    if (auto* closed = std::get_if<Closed>(&*event)) {
      EXPECT_FALSE(session.poll_event()) << "Closed is the last event";
      return closed->reason;
    }
  }
  return {};
}

std::vector<std::string> messages(UdpSession& session) {
  std::vector<std::string> out;
  while (auto event = session.poll_event()) {
    if (auto* received = std::get_if<Received>(&*event)) {
      out.emplace_back(text_of(received->message));
    }
  }
  return out;
}

void send(UdpSession& session, std::string_view text, TimePoint now = start) {
  const auto room = session.prepare(text.size()).value();
  std::copy(text.begin(), text.end(), room.begin());
  ASSERT_TRUE(session.commit(now));
}

/// All that one side has to say goes to the other.
void pass(UdpSession& from, UdpSession& to, TimePoint now = start) {
  for (const auto& datagram : drain(from)) {
    (void)to.feed(datagram, now);
  }
}

struct Pair {
  UdpSession client{client_options(), start};
  UdpSession server{server_options(), start};

  Pair() {
    for (int i = 0; i < 3; ++i) {
      pass(client, server);
      pass(server, client);
    }
    EXPECT_TRUE(std::holds_alternative<Connected>(client.poll_event().value()));
    EXPECT_TRUE(std::holds_alternative<Connected>(server.poll_event().value()));
  }
};

Datagram datagram(UdpHeader header, ConstBytes payload = {}) {
  header.payload_size = static_cast<std::uint16_t>(payload.size());
  Datagram out(udp_header_size);
  write_udp_header(std::span(out).first<udp_header_size>(), header);
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

/// A Data packet from the server of Pair; its first has number 3.
UdpHeader server_data(std::uint32_t seq, std::uint32_t parts, std::uint32_t first, std::uint32_t size) {
  return {.type = UdpPacketType::Data,
          .source_id = server_id,
          .dest_id = udp_first_client_id,
          .seq_this = seq,
          .seq_ack = 1,
          .packets_in_msg = parts,
          .msg_start_seq = first,
          .msg_size = size};
}

TEST(UdpSession, BothSidesOfTheVectorExchange) {
  const auto cases = nlohmann::json::parse(std::ifstream(test::data("net/transport.json")));
  std::map<std::string, Datagram> wire;
  for (const auto& vector : cases["udp"]) {
    wire[vector["name"]] = test::hex(vector["bytes"]);
  }
  const auto only = [](const Datagram& one) { return std::vector<Datagram>{one}; };

  UdpSession client(client_options(), start);
  UdpSession server(server_options(), start);
  ASSERT_EQ(drain(client), only(wire["1-challenge-request"]));
  ASSERT_TRUE(server.feed(wire["1-challenge-request"], start));
  ASSERT_EQ(drain(server), only(wire["2-challenge"]));
  ASSERT_TRUE(client.feed(wire["2-challenge"], start));
  ASSERT_EQ(drain(client), only(wire["3-connect"]));
  ASSERT_TRUE(server.feed(wire["3-connect"], start));
  ASSERT_EQ(drain(server), only(wire["4-accept"]));
  EXPECT_TRUE(std::holds_alternative<Connected>(server.poll_event().value()));
  ASSERT_TRUE(client.feed(wire["4-accept"], start));
  ASSERT_EQ(drain(client), only(wire["5-ack-of-accept"]));
  EXPECT_TRUE(std::holds_alternative<Connected>(client.poll_event().value()));
  ASSERT_TRUE(server.feed(wire["5-ack-of-accept"], start));

  std::string message;
  for (const char* part : {"6-data-part-1-of-3", "6-data-part-2-of-3", "6-data-part-3-of-3"}) {
    message += text_of(ConstBytes(wire[part]).subspan(udp_header_size));
  }
  ASSERT_EQ(message.size(), 3000u);
  send(client, message);
  ASSERT_EQ(drain(client), (std::vector<Datagram>{wire["6-data-part-1-of-3"], wire["6-data-part-2-of-3"],
                                                  wire["6-data-part-3-of-3"]}));
  ASSERT_TRUE(server.feed(wire["6-data-part-1-of-3"], start));
  ASSERT_TRUE(server.feed(wire["6-data-part-2-of-3"], start));
  EXPECT_TRUE(messages(server).empty());
  ASSERT_TRUE(server.feed(wire["6-data-part-3-of-3"], start));
  EXPECT_EQ(messages(server), std::vector<std::string>{message});
  ASSERT_EQ(drain(server), only(wire["7-server-ack"]));
  ASSERT_TRUE(client.feed(wire["7-server-ack"], start));
  EXPECT_EQ(client.queued(), 0u);

  send(server, "hello");
  ASSERT_EQ(drain(server), only(wire["8-server-data-single"]));
  ASSERT_TRUE(client.feed(wire["8-server-data-single"], start));
  EXPECT_EQ(messages(client), std::vector<std::string>{"hello"});
  ASSERT_TRUE(client.close(start));
  ASSERT_EQ(drain(client), only(wire["9-disconnect"]));
  EXPECT_EQ(server.feed(wire["9-disconnect"], start).error(), Errc::closed_by_peer);
  EXPECT_EQ(close_reason(server), Errc::closed_by_peer);
  pass(server, client);  // the last acknowledgement
  EXPECT_EQ(close_reason(client), Errc::closed_here);
  EXPECT_FALSE(client.deadline());
}

TEST(UdpSession, MalformedVectorsChangeNothingOrClose) {
  const auto cases = nlohmann::json::parse(std::ifstream(test::data("net/transport.json")));
  for (const auto& vector : cases["udp_malformed"]) {
    Pair pair;
    const auto fed = pair.client.feed(test::hex(vector["bytes"]), start);
    if (vector["name"] == "zero-packets-in-msg") {
      EXPECT_EQ(fed.error(), Errc::bad_split);
      EXPECT_EQ(close_reason(pair.client), Errc::bad_split);
      EXPECT_EQ(pair.client.prepare(1).error(), Errc::not_connected);
    } else {
      EXPECT_TRUE(fed) << vector["name"];
      EXPECT_FALSE(pair.client.poll_event());
      send(pair.server, "still here");
      pass(pair.server, pair.client);
      EXPECT_EQ(messages(pair.client), std::vector<std::string>{"still here"});
    }
  }
}

TEST(UdpSession, RefusesContradictingSplits) {
  struct Case {
    const char* why;
    std::vector<UdpHeader> headers;
    std::size_t payload;
    Errc errc;
  };
  const std::vector<Case> table{
      {"no parts", {server_data(3, 0, 3, 1)}, 1, Errc::bad_split},
      {"starts elsewhere", {server_data(3, 1, 4, 1)}, 1, Errc::bad_split},
      {"more bytes than announced", {server_data(3, 1, 3, 0)}, 1, Errc::bad_split},
      {"fewer bytes than announced", {server_data(3, 1, 3, 2)}, 1, Errc::bad_split},
      {"other part count", {server_data(3, 2, 3, 2), server_data(4, 3, 3, 2)}, 1, Errc::bad_split},
      {"other start", {server_data(3, 2, 3, 2), server_data(4, 2, 4, 2)}, 1, Errc::bad_split},
      {"other size", {server_data(3, 2, 3, 2), server_data(4, 2, 3, 3)}, 1, Errc::bad_split},
      {"above the limit", {server_data(3, 1, 3, max_frame_size + 1)}, 1, Errc::frame_too_large},
      {"2^31 bytes", {server_data(3, 1, 3, std::uint32_t{1} << 31)}, 1, Errc::frame_too_large},
      {"2^32 - 1 bytes", {server_data(3, 1, 3, UINT32_MAX)}, 1, Errc::frame_too_large},
      {"2^32 - 1 parts", {server_data(3, UINT32_MAX, 3, 10)}, 1, Errc::frame_too_large},
      {"one part too many",
       {server_data(3, max_frame_size / max_udp_payload + 2, 3, 10)},
       1,
       Errc::frame_too_large},
  };
  for (const auto& c : table) {
    Pair pair;
    const std::vector<std::uint8_t> payload(c.payload);
    Result<void> fed;
    const test::AllocationCount count;
    for (const auto& header : c.headers) {
      fed = pair.client.feed(datagram(header, payload), start);
    }
    EXPECT_LE(count.bytes(), 4096u) << c.why;
    ASSERT_FALSE(fed) << c.why;
    EXPECT_EQ(fed.error(), c.errc) << c.why;
    EXPECT_EQ(close_reason(pair.client), c.errc) << c.why;
    const auto farewell = drain(pair.client);
    ASSERT_EQ(farewell.size(), 1u);
    EXPECT_EQ(parse_udp_packet(farewell[0])->header.type, UdpPacketType::Disconnect);
  }
}

TEST(UdpSession, LimitsAreExact) {
  for (const std::uint32_t size : {0u, 1u, 2000u, 2001u}) {
    Pair pair;
    pair.client.set_message_limit(2000);
    const std::uint32_t parts = size > max_udp_payload ? 2 : 1;
    const std::vector<std::uint8_t> payload(size);
    Result<void> fed;
    for (std::uint32_t i = 0; i < parts; ++i) {
      const auto part = ConstBytes(payload).subspan(i * max_udp_payload);
      fed = pair.client.feed(
          datagram(server_data(3 + i, parts, 3, size), part.first(std::min(part.size(), max_udp_payload))),
          start);
    }
    EXPECT_EQ(fed.has_value(), size <= 2000) << size;
    EXPECT_EQ(messages(pair.client).size(), size <= 2000 ? 1u : 0u) << size;
  }
  Pair pair;
  pair.client.set_message_limit(2000);
  EXPECT_TRUE(pair.client.prepare(2000));
  EXPECT_EQ(pair.client.prepare(2001).error(), Errc::message_too_large);
  EXPECT_EQ(pair.client.prepare(SIZE_MAX).error(), Errc::message_too_large);
}

TEST(UdpSession, AcceptsTheEmptyLastPartOfSteamKit) {
  Pair pair;
  const std::vector<std::uint8_t> payload(max_udp_payload, 7);
  ASSERT_TRUE(pair.client.feed(datagram(server_data(3, 2, 3, max_udp_payload), payload), start));
  EXPECT_TRUE(messages(pair.client).empty());
  ASSERT_TRUE(pair.client.feed(datagram(server_data(4, 2, 3, max_udp_payload)), start));
  EXPECT_EQ(messages(pair.client).at(0).size(), max_udp_payload);
}

TEST(UdpSession, ReordersAndDropsRepeats) {
  Pair pair;
  for (const char* text : {"a", "b", "c", "d"}) {
    send(pair.server, text);
  }
  const auto sent = drain(pair.server);
  ASSERT_EQ(sent.size(), 4u);
  for (const int i : {3, 1, 1, 3, 2}) {
    ASSERT_TRUE(pair.client.feed(sent[static_cast<std::size_t>(i)], start));
    EXPECT_TRUE(messages(pair.client).empty());
  }
  ASSERT_TRUE(pair.client.feed(sent[0], start));
  EXPECT_EQ(messages(pair.client), (std::vector<std::string>{"a", "b", "c", "d"}));
  drain(pair.client);
  ASSERT_TRUE(pair.client.feed(sent[3], start));
  EXPECT_TRUE(messages(pair.client).empty());
  const auto again = drain(pair.client);  // the repeat is acknowledged again
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(parse_udp_packet(again[0])->header.seq_ack, 6u);
}

TEST(UdpSession, ReorderBufferIsBounded) {
  Pair pair;
  const std::uint8_t byte = 1;
  ASSERT_TRUE(pair.client.feed(
      datagram(server_data(3 + udp_max_reorder, 1, 3 + udp_max_reorder, 1), {&byte, 1}), start));
  const test::AllocationCount count;
  for (const std::uint32_t seq :
       {3 + udp_max_reorder, 4 + udp_max_reorder, std::uint32_t{1} << 31, UINT32_MAX}) {
    ASSERT_TRUE(pair.client.feed(datagram(server_data(seq, 1, seq, 1), {&byte, 1}), start));
  }
  EXPECT_LE(count.bytes(), 4096u);
  EXPECT_FALSE(pair.client.poll_event());
}

TEST(UdpSession, PacketsOutOfTheirStateChangeNothing) {
  const std::array<std::uint8_t, 8> payload{};
  const auto packet = [&](UdpPacketType type, std::uint32_t seq, std::size_t size) {
    return datagram({.type = type,
                     .source_id = server_id,
                     .dest_id = 0,
                     .seq_this = seq,
                     .packets_in_msg = 1,
                     .msg_start_seq = seq,
                     .msg_size = static_cast<std::uint32_t>(size)},
                    ConstBytes(payload).first(size));
  };
  using Type = UdpPacketType;
  {  // A client that waits for Challenge.
    UdpSession client(client_options(), start);
    drain(client);
    for (const auto& wrong :
         {packet(Type::ChallengeReq, 0, 0), packet(Type::Connect, 1, 4), packet(Type::Accept, 1, 0),
          packet(Type::Data, 1, 4), packet(Type::Challenge, 0, 8), packet(Type::Challenge, 1, 7)}) {
      EXPECT_TRUE(client.feed(wrong, start));
      EXPECT_FALSE(client.poll_event());
      EXPECT_TRUE(drain(client).empty());
    }
    ASSERT_TRUE(client.feed(packet(Type::Challenge, 1, 8), start));
    drain(client);
    // … and then for Accept.
    for (const auto& wrong : {packet(Type::ChallengeReq, 0, 0), packet(Type::Connect, 2, 4),
                              packet(Type::Data, 2, 4), packet(Type::Challenge, 2, 8)}) {
      EXPECT_TRUE(client.feed(wrong, start));
      EXPECT_FALSE(client.poll_event());
      EXPECT_TRUE(drain(client).empty());
    }
    ASSERT_TRUE(client.feed(packet(Type::Accept, 2, 0), start));
    EXPECT_TRUE(client.poll_event());
  }
  {  // A server that listens, then waits for Connect.
    UdpSession server(server_options(), start);
    for (const auto type :
         {Type::Challenge, Type::Connect, Type::Accept, Type::Disconnect, Type::Data, Type::Datagram}) {
      EXPECT_TRUE(server.feed(packet(type, 1, 4), start));
      EXPECT_FALSE(server.poll_event());
      EXPECT_TRUE(drain(server).empty());
    }
    ASSERT_TRUE(server.feed(packet(Type::ChallengeReq, 0, 0), start));
    EXPECT_EQ(drain(server).size(), 1u);
    for (const auto type : {Type::Challenge, Type::Accept, Type::Data}) {
      EXPECT_TRUE(server.feed(packet(type, 1, 4), start));
      EXPECT_FALSE(server.poll_event());
      EXPECT_TRUE(drain(server).empty());
    }
    EXPECT_EQ(server.feed(packet(Type::Connect, 1, 4), start).error(), Errc::bad_challenge_answer);
    EXPECT_EQ(close_reason(server), Errc::bad_challenge_answer);
  }
  {  // Both sides connected.
    Pair pair;
    for (const auto type : {Type::Challenge, Type::Connect, Type::Accept}) {
      EXPECT_TRUE(pair.client.feed(packet(type, 3, 8), start));
      EXPECT_FALSE(pair.client.poll_event());
      EXPECT_TRUE(drain(pair.client).empty());
    }
  }
}

TEST(UdpSession, ForeignDatagramsChangeNothing) {
  Pair pair;
  const std::uint8_t byte = 1;
  auto header = server_data(3, 1, 3, 1);
  header.source_id = server_id + 1;
  EXPECT_TRUE(pair.client.feed(datagram(header, {&byte, 1}), start));
  header = server_data(3, 1, 3, 1);
  header.dest_id = udp_first_client_id + 256;
  EXPECT_TRUE(pair.client.feed(datagram(header, {&byte, 1}), start));
  EXPECT_FALSE(pair.client.poll_event());
  EXPECT_TRUE(drain(pair.client).empty());
}

TEST(UdpSession, IgnoresAcknowledgementsOfWhatWasNeverSent) {
  Pair pair;
  send(pair.client, "kept");
  auto header = server_data(0, 0, 0, 0);
  header.type = UdpPacketType::Datagram;
  for (const std::uint32_t ack : {3u, 1000u, UINT32_MAX}) {
    header.seq_ack = ack;
    EXPECT_TRUE(pair.client.feed(datagram(header), start));
    EXPECT_EQ(pair.client.queued(), 4u);
  }
  header.seq_ack = 2;
  EXPECT_TRUE(pair.client.feed(datagram(header), start));
  EXPECT_EQ(pair.client.queued(), 0u);
}

TEST(UdpSession, KeepsTheWindowAndResendsInBursts) {
  Pair pair;
  for (int i = 0; i < 12; ++i) {
    send(pair.client, "message");
  }
  EXPECT_EQ(drain(pair.client).size(), udp_window);
  EXPECT_EQ(*pair.client.deadline(), start + udp_resend_delay);
  ASSERT_TRUE(pair.client.on_deadline(start + seconds(2)));
  EXPECT_TRUE(drain(pair.client).empty());
  ASSERT_TRUE(pair.client.on_deadline(start + seconds(3)));
  const auto again = drain(pair.client);
  ASSERT_EQ(again.size(), udp_resend_burst);
  EXPECT_EQ(parse_udp_packet(again[0])->header.seq_this, 2u);
  EXPECT_EQ(parse_udp_packet(again[2])->header.seq_this, 4u);
}

TEST(UdpSession, RepeatsTheChallengeRequest) {
  UdpSession client(client_options(), start);
  EXPECT_EQ(drain(client).size(), 1u);
  EXPECT_EQ(*client.deadline(), start + seconds(3));
  ASSERT_TRUE(client.on_deadline(start + seconds(3)));
  EXPECT_EQ(drain(client).size(), 1u);
  TimePoint now = *client.deadline();
  while (client.on_deadline(now)) {
    ASSERT_LE(now, start + seconds(60));
    now = *client.deadline();
  }
  EXPECT_EQ(now, start + seconds(60));
  EXPECT_EQ(close_reason(client), Errc::handshake_timeout);
}

TEST(UdpSession, SilenceEndsItAfterSixtySeconds) {
  Pair pair;
  TimePoint now = start;
  while (pair.client.on_deadline(now)) {
    now = pair.client.deadline().value();
  }
  EXPECT_EQ(now, start + seconds(60));
  EXPECT_EQ(close_reason(pair.client), Errc::idle_timeout);
  EXPECT_FALSE(pair.client.deadline());
  EXPECT_EQ(pair.client.on_deadline(now).error(), Errc::idle_timeout);
}

TEST(UdpSession, CloseIsBoundedWhenThePeerIsSilent) {
  Pair pair;
  send(pair.client, "unheard");
  drain(pair.client);
  ASSERT_TRUE(pair.client.close(start));
  EXPECT_TRUE(drain(pair.client).empty()) << "Disconnect must not overtake the message";
  EXPECT_EQ(pair.client.prepare(1).error(), Errc::not_connected);
  TimePoint now = start;
  while (pair.client.on_deadline(now)) {
    now = pair.client.deadline().value();
  }
  EXPECT_LE(now, start + seconds(3));
  EXPECT_EQ(close_reason(pair.client), Errc::closed_here);
}

TEST(UdpSession, CloseDeliversWhatWasSentBefore) {
  Pair pair;
  for (int i = 0; i < 8; ++i) {
    send(pair.client, std::to_string(i));
  }
  ASSERT_TRUE(pair.client.close(start));
  std::vector<std::string> got;
  std::error_code reason;
  for (int round = 0; round < 10 && !reason; ++round) {
    for (const auto& one : drain(pair.client)) {
      (void)pair.server.feed(one, start);
      while (auto event = pair.server.poll_event()) {
        if (auto* received = std::get_if<Received>(&*event)) {
          got.emplace_back(text_of(received->message));
        } else if (auto* closed = std::get_if<Closed>(&*event)) {
          reason = closed->reason;
        }
      }
    }
    pass(pair.server, pair.client);
  }
  EXPECT_EQ(reason, Errc::closed_by_peer);
  EXPECT_EQ(got, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"}));
  EXPECT_EQ(close_reason(pair.client), Errc::closed_here);
}

TEST(UdpSession, FailTellsTheReasonOnce) {
  Pair pair;
  pair.client.fail(make_error_code(std::errc::connection_refused));
  pair.client.fail(Errc::closed_by_peer);
  EXPECT_EQ(close_reason(pair.client), make_error_code(std::errc::connection_refused));
  EXPECT_EQ(pair.client.close(start).error(), make_error_code(std::errc::connection_refused));
}

TEST(UdpSession, CommitNeedsPrepareAndTheQueueIsBounded) {
  auto options = client_options();
  UdpSession unconnected(options, start);
  EXPECT_EQ(unconnected.prepare(1).error(), Errc::not_connected);
  Pair pair;
  EXPECT_EQ(pair.client.commit(start).error(), Errc::nothing_prepared);
  ASSERT_TRUE(pair.client.prepare(1));
  ASSERT_TRUE(pair.client.commit(start));
  EXPECT_EQ(pair.client.commit(start).error(), Errc::nothing_prepared);
}

TEST(UdpSession, SteadyStateAllocatesNothing) {
  Pair pair;
  const std::string text(3000, 'x');  // three packets each
  int received = 0;
  const auto round = [&](UdpSession& from, UdpSession& to) {
    const auto room = from.prepare(text.size()).value();
    std::copy(text.begin(), text.end(), room.begin());
    ASSERT_TRUE(from.commit(start));
    for (auto out = from.outgoing(); !out.empty(); out = from.outgoing()) {
      ASSERT_TRUE(to.feed(out, start));
      from.sent();
      while (auto event = to.poll_event()) {
        received += static_cast<int>(std::get<Received>(*event).message.size());
      }
    }
  };
  for (int i = 0; i < 20; ++i) {
    round(pair.client, pair.server);
    round(pair.server, pair.client);
  }
  const test::AllocationCount count;
  for (int i = 0; i < 200; ++i) {
    round(pair.client, pair.server);
    round(pair.server, pair.client);
  }
  EXPECT_EQ(count.calls(), 0u);
  EXPECT_EQ(received, 440 * 3000);
}

}  // namespace
}  // namespace corliss::net
