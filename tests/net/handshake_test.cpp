// The channel handshake over TCP: vectors, refusals, messages out of their state.
#include "net/channel_pair.h"

#include <corliss/base/writer.h>
#include <corliss/crypto/checksum.h>
#include <corliss/net/tcp_channel.h>
#include <corliss/net/tcp_frame.h>

#include <set>

namespace corliss::net {
namespace {

using test::Message;
using test::Told;

constexpr TimePoint start{};

nlohmann::json vectors() {
  return nlohmann::json::parse(std::ifstream(corliss::test::data("crypto/channel.json")));
}

Message frame(ConstBytes payload) {
  Message out(tcp_frame_header_size);
  write_tcp_frame_header(std::span(out).first<tcp_frame_header_size>(),
                         static_cast<std::uint32_t>(payload.size()));
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

Message header(std::uint32_t emsg) {
  Writer out;
  out.u32(emsg);
  out.u64(UINT64_MAX);
  out.u64(UINT64_MAX);
  return out.take();
}

Message request(std::uint32_t version, std::int32_t universe, std::size_t challenge) {
  Writer out;
  out.bytes(header(1303));
  out.u32(version);
  out.i32(universe);
  out.bytes(Message(challenge, 0xc5));
  return out.take();
}

Message result(std::int32_t eresult) {
  Writer out;
  out.bytes(header(1305));
  out.i32(eresult);
  return out.take();
}

ServerHandshake server_side() {
  ServerHandshake out;
  out.key = &test::server_key();
  return out;
}
ClientHandshake client_side() {
  ClientHandshake out;
  out.key = &test::server_public_key();
  return out;
}

Closed end_of_client(ClientHandshake side, const std::vector<Message>& messages) {
  corliss::test::TestRng rng;
  auto client = TcpChannel::client(std::move(side), {}, rng, start);
  Told told;
  for (const auto& message : messages) {
    test::feed_all(client, frame(message), told);
  }
  EXPECT_TRUE(told.messages.empty());
  if (told.closed) {
    EXPECT_EQ(client.feed({}, start).error(), told.closed->reason);
    EXPECT_EQ(client.prepare(1).error(), Errc::not_connected);
    EXPECT_EQ(client.close(start).error(), told.closed->reason);
    EXPECT_EQ(client.on_deadline(start).error(), told.closed->reason);
    EXPECT_FALSE(client.deadline());
  }
  return told.closed.value_or(Closed{});
}

TEST(Handshake, ClientSpeaksAsTheVectors) {
  const auto cases = vectors();
  ASSERT_EQ(cases["handshake"].size(), 3u);
  for (const auto& vector : cases["handshake"]) {
    const bool legacy = vector["challenge"] == "";
    const bool mock = vector["name"] != "public-universe-with-challenge";
    test::FixedRng rng(corliss::test::hex(vector["session_key"]));
    ClientHandshake side = mock ? client_side() : ClientHandshake{};
    side.allow_legacy = legacy;
    Message logged_blob;
    Message logged_key;
    side.key_log = [&](ConstBytes blob, ConstBytes key) {
      logged_blob.assign(blob.begin(), blob.end());
      logged_key.assign(key.begin(), key.end());
    };
    auto client = TcpChannel::client(std::move(side), {}, rng, start);
    EXPECT_TRUE(client.outgoing().empty()) << "the server speaks first";
    Told told;
    Writer request_message;
    request_message.bytes(header(1303));
    request_message.u32(1);
    request_message.i32(vector["universe"]);
    request_message.bytes(corliss::test::hex(vector["challenge"]));
    if (vector.contains("request_frame")) {
      ASSERT_EQ(frame(request_message.view()), corliss::test::hex(vector["request_frame"]));
    }
    test::feed_all(client, frame(request_message.view()), told);
    ASSERT_FALSE(told.closed) << told.closed->reason.message();

    // The blob is random by its OAEP seed; all around it is fixed.
    const auto response = test::take_outgoing(client);
    const auto expected = corliss::test::hex(vector["response_frame"]);
    ASSERT_EQ(response.size(), expected.size());
    EXPECT_TRUE(std::equal(response.begin(), response.begin() + 36, expected.begin()));
    const auto blob = ConstBytes(response).subspan(36, 128);
    EXPECT_EQ(load_le<std::uint32_t>(response.data() + 164), crypto::crc32(blob));
    EXPECT_EQ(load_le<std::uint32_t>(response.data() + 168), 0u);
    EXPECT_EQ(logged_blob, Message(blob.begin(), blob.end()));
    EXPECT_EQ(logged_key, corliss::test::hex(vector["session_key"]));
    if (mock) {
      Message plain(128);
      const auto opened = test::server_key().decrypt_oaep(blob, plain).value();
      EXPECT_EQ(Message(opened.begin(), opened.end()), corliss::test::hex(vector["rsa_plaintext"]));
    }
    EXPECT_EQ(told.connected, 0);
    EXPECT_EQ(client.prepare(1).error(), Errc::not_connected);
    test::feed_all(client, frame(result(1)), told);
    EXPECT_EQ(told.connected, 1);
    EXPECT_TRUE(client.connected());
  }
}

TEST(Handshake, ServerTakesTheResponsesOfTheVectors) {
  int taken = 0;
  const auto cases = vectors();
  ASSERT_EQ(cases["handshake"].size(), 3u);
  for (const auto& vector : cases["handshake"]) {
    if (vector["name"] == "public-universe-with-challenge") {
      continue;  // nobody has that private key
    }
    const bool legacy = vector["challenge"] == "";
    test::FixedRng rng(corliss::test::hex(vector["challenge"]));
    auto side = server_side();
    side.legacy = legacy ? ServerHandshake::Legacy::only : ServerHandshake::Legacy::off;
    Message logged_key;
    side.key_log = [&](ConstBytes, ConstBytes key) { logged_key.assign(key.begin(), key.end()); };
    auto server = TcpChannel::server(std::move(side), {}, rng, start);
    const auto hello = test::take_outgoing(server);
    EXPECT_EQ(hello.size(), legacy ? 36u : 52u);
    Told told;
    test::feed_all(server, corliss::test::hex(vector["response_frame"]), told);
    ASSERT_EQ(told.connected, 1) << vector["name"];
    EXPECT_EQ(logged_key, corliss::test::hex(vector["session_key"]));
    EXPECT_EQ(test::take_outgoing(server), frame(result(1)));
    ++taken;
  }
  EXPECT_EQ(taken, 2);
}

TEST(Handshake, ClientRefuses) {
  struct Case {
    const char* why;
    std::vector<Message> messages;
    Errc errc;
    std::int32_t detail = 0;
  };
  const auto good = request(1, 1, 16);
  const std::vector<Case> table{
      {"empty", {{}}, Errc::empty_message},
      {"one byte", {{23}}, Errc::bad_handshake_message},
      {"protocol version 0", {request(0, 1, 16)}, Errc::wrong_protocol_version},
      {"protocol version 2", {request(2, 1, 16)}, Errc::wrong_protocol_version},
      {"universe Beta", {request(1, 2, 16)}, Errc::wrong_universe},
      {"universe 0", {request(1, 0, 16)}, Errc::unknown_universe},
      {"universe 5", {request(1, 5, 16)}, Errc::unknown_universe},
      {"universe -1", {request(1, -1, 16)}, Errc::unknown_universe},
      {"no challenge", {request(1, 1, 0)}, Errc::legacy_refused},
      {"challenge of 1 byte", {request(1, 1, 1)}, Errc::bad_challenge},
      {"challenge of 15 bytes", {request(1, 1, 15)}, Errc::bad_challenge},
      {"challenge of 55 bytes", {request(1, 1, 55)}, Errc::bad_challenge},
      {"challenge of 4000 bytes", {request(1, 1, 4000)}, Errc::bad_challenge},
      {"above the limit", {request(1, 1, 4096 - 28 + 1)}, Errc::handshake_too_large},
      {"response first", {header(1304)}, Errc::unexpected_message},
      {"result first", {result(1)}, Errc::unexpected_message},
      {"another message first", {header(9805)}, Errc::unexpected_message},
      {"second request", {good, good}, Errc::unexpected_message},
      {"response instead of result", {good, header(1304)}, Errc::unexpected_message},
      {"another message instead of result", {good, header(1)}, Errc::unexpected_message},
      {"result Fail", {good, result(2)}, Errc::handshake_refused, 2},
      {"result 0", {good, result(0)}, Errc::handshake_refused, 0},
      {"result -1", {good, result(-1)}, Errc::handshake_refused, -1},
      {"result with a byte more",
       {good,
        [] {
          auto longer = result(1);
          longer.push_back(0);
          return longer;
        }()},
       Errc::bad_handshake_message},
  };
  for (const auto& c : table) {
    const auto closed = end_of_client({}, c.messages);
    EXPECT_EQ(closed.reason, c.errc) << c.why << ": " << closed.reason.message();
    EXPECT_EQ(closed.detail, c.detail) << c.why;
    EXPECT_FALSE(closed.user_initiated());
  }
  for (const std::size_t size : {16u, 17u, 54u}) {
    EXPECT_FALSE(end_of_client({}, {request(1, 1, size)}).reason) << size;
  }
  // A key of the caller's own goes with any universe, but the universe must still be the one asked for.
  ClientHandshake own = client_side();
  own.universe = static_cast<proto::EUniverse>(77);
  EXPECT_FALSE(end_of_client(own, {request(1, 77, 16)}).reason);
  EXPECT_EQ(end_of_client(own, {request(1, 1, 16)}).reason, Errc::wrong_universe);
  ClientHandshake legacy;
  legacy.allow_legacy = true;
  EXPECT_FALSE(end_of_client(legacy, {request(1, 1, 0)}).reason);
  EXPECT_EQ(end_of_client(legacy, {request(1, 1, 15)}).reason, Errc::bad_challenge);
}

TEST(Handshake, ClientRefusesEveryTruncation) {
  const auto good = request(1, 1, 0);  // up to here every field is needed
  for (std::size_t size = 1; size < good.size(); ++size) {
    EXPECT_EQ(
        end_of_client({}, {Message(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))}).reason,
        Errc::bad_handshake_message)
        << size;
  }
  const auto last = result(1);
  for (std::size_t size = 1; size < last.size(); ++size) {
    EXPECT_EQ(end_of_client({}, {request(1, 1, 16),
                                 Message(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(size))})
                  .reason,
              Errc::bad_handshake_message)
        << size;
  }
}

/// Answers of a client to a server whose challenge is 16 bytes of 0xaa, with any part of it changed.
struct ResponseParts {
  std::uint32_t version = 1;
  std::optional<std::uint32_t> blob_size;
  Message plain = [] {
    Message out(48, 0xaa);
    std::fill(out.begin(), out.begin() + 32, std::uint8_t{0x11});
    return out;
  }();
  std::uint32_t crc_xor = 0;
  std::uint8_t blob_xor = 0;
  Message tail = Message(4);

  [[nodiscard]] Message build() const {
    Message blob(128);
    EXPECT_TRUE(test::server_public_key().encrypt_oaep(plain, blob));
    blob[5] ^= blob_xor;
    Writer out;
    out.bytes(header(1304));
    out.u32(version);
    out.u32(blob_size.value_or(128));
    out.bytes(blob);
    out.u32(crypto::crc32(blob) ^ crc_xor);
    out.bytes(tail);
    return out.take();
  }
};

struct ServerEnd {
  Closed closed;
  Message wrote;
  int connected = 0;
};

ServerEnd end_of_server(const std::vector<Message>& messages, ServerHandshake side = server_side()) {
  test::FixedRng rng(Message(16, 0xaa));
  auto server = TcpChannel::server(std::move(side), {}, rng, start);
  (void)test::take_outgoing(server);
  Told told;
  for (const auto& message : messages) {
    test::feed_all(server, frame(message), told);
  }
  EXPECT_TRUE(told.messages.empty());
  return {told.closed.value_or(Closed{}), test::take_outgoing(server), told.connected};
}

TEST(Handshake, ServerRefuses) {
  const auto with = [](auto change) {
    ResponseParts parts;
    change(parts);
    return parts.build();
  };
  const auto good = ResponseParts().build();
  const auto fail_frame = frame(result(2));
  struct Case {
    const char* why;
    std::vector<Message> messages;
    std::error_code reason;
    bool tells = false;
  };
  const std::vector<Case> table{
      {"empty", {{}}, Errc::empty_message},
      {"request", {request(1, 1, 16)}, Errc::unexpected_message},
      {"result", {result(1)}, Errc::unexpected_message},
      {"another message", {header(9805)}, Errc::unexpected_message},
      {"protocol version", {with([](auto& p) { p.version = 2; })}, Errc::wrong_protocol_version},
      {"blob size 0", {with([](auto& p) { p.blob_size = 0; })}, Errc::bad_handshake_message},
      {"blob size 127", {with([](auto& p) { p.blob_size = 127; })}, Errc::bad_handshake_message},
      {"blob size 2^31", {with([](auto& p) { p.blob_size = 1u << 31; })}, Errc::bad_handshake_message},
      {"blob size 2^32 - 1", {with([](auto& p) { p.blob_size = UINT32_MAX; })}, Errc::bad_handshake_message},
      {"a byte more", {with([](auto& p) { p.tail.push_back(0); })}, Errc::bad_handshake_message},
      {"checksum", {with([](auto& p) { p.crc_xor = 1; })}, Errc::bad_key_exchange, true},
      {"another blob", {with([](auto& p) { p.blob_xor = 1; })}, Errc::bad_key_exchange, true},
      {"another challenge", {with([](auto& p) { p.plain[40] ^= 1; })}, Errc::bad_key_exchange, true},
      {"short challenge", {with([](auto& p) { p.plain.pop_back(); })}, Errc::bad_key_exchange, true},
      {"long challenge", {with([](auto& p) { p.plain.push_back(0xaa); })}, Errc::bad_key_exchange, true},
      {"no challenge", {with([](auto& p) { p.plain.resize(32); })}, Errc::bad_key_exchange, true},
      {"short key", {with([](auto& p) { p.plain.resize(31); })}, Errc::bad_key_exchange, true},
      {"no key", {with([](auto& p) { p.plain.clear(); })}, Errc::bad_key_exchange, true},
      // A second response comes where only packets may come.
      {"second response", {good, good}, crypto::Errc::unauthenticated},
  };
  for (const auto& c : table) {
    const auto end = end_of_server(c.messages);
    EXPECT_EQ(end.closed.reason, c.reason) << c.why << ": " << end.closed.reason.message();
    EXPECT_EQ(end.wrote == fail_frame, c.tells) << c.why;
  }
  for (std::size_t size = 1; size < good.size(); ++size) {
    const auto end = end_of_server({Message(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))});
    EXPECT_EQ(end.closed.reason, Errc::bad_handshake_message) << size;
    EXPECT_TRUE(end.wrote.empty());
  }
  EXPECT_EQ(end_of_server({good}).connected, 1);
}

TEST(Handshake, ServerAnswersTheResultItIsToldTo) {
  auto side = server_side();
  side.result = proto::EResult::ServiceUnavailable;
  const auto end = end_of_server({ResponseParts().build()}, std::move(side));
  EXPECT_EQ(end.closed.reason, Errc::handshake_refused);
  EXPECT_EQ(end.closed.detail, 20);
  EXPECT_EQ(end.connected, 0);
  EXPECT_EQ(end.wrote, frame(result(20)));
}

TEST(Handshake, ServerTakesLegacyOnlyWhereAllowed) {
  ResponseParts parts;
  parts.plain.resize(32);
  auto side = server_side();
  side.legacy = ServerHandshake::Legacy::allow;
  EXPECT_EQ(end_of_server({parts.build()}, std::move(side)).connected, 1);
  side = server_side();
  side.legacy = ServerHandshake::Legacy::allow;
  EXPECT_EQ(end_of_server({ResponseParts().build()}, std::move(side)).connected, 1);
  side = server_side();
  side.legacy = ServerHandshake::Legacy::only;
  EXPECT_EQ(end_of_server({ResponseParts().build()}, std::move(side)).closed.reason, Errc::bad_key_exchange);
}

TEST(Handshake, WithoutRandomnessNothingStarts) {
  test::BrokenRng rng;
  auto server = TcpChannel::server(server_side(), {}, rng, start);
  Told told;
  test::drain(server, told);
  ASSERT_TRUE(told.closed);
  EXPECT_EQ(told.closed->reason, BaseErrc::random_unavailable);
  EXPECT_TRUE(server.outgoing().empty());
  auto client = TcpChannel::client({}, {}, rng, start);
  Told other;
  test::feed_all(client, frame(request(1, 1, 16)), other);
  ASSERT_TRUE(other.closed);
  EXPECT_EQ(other.closed->reason, BaseErrc::random_unavailable);
  EXPECT_TRUE(client.outgoing().empty());
}

TEST(Handshake, KeysDifferFromConnectionToConnection) {
  corliss::test::TestRng rng;
  std::set<Message> keys;
  for (int i = 0; i < 20; ++i) {
    ClientHandshake side;
    side.key_log = [&](ConstBytes, ConstBytes key) { keys.emplace(key.begin(), key.end()); };
    auto client = TcpChannel::client(std::move(side), {}, rng, start);
    Told told;
    test::feed_all(client, frame(request(1, 1, 16)), told);
  }
  EXPECT_EQ(keys.size(), 20u);
}

}  // namespace
}  // namespace corliss::net
