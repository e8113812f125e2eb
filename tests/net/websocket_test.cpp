// WebSocket connections: the HTTP upgrade, frames, pings and the close handshake, against hand-made bytes and
// both sides of ours against each other.
#include "net/channel_pair.h"
#include "support/allocations.h"

#include <corliss/base/endian.h>
#include <corliss/net/websocket.h>

#include <set>

namespace corliss::net {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using test::Message;
using test::Told;

constexpr TimePoint start{};

// RFC 6455, 1.3.
constexpr std::string_view sample_nonce = "the sample nonce";
constexpr std::string_view sample_key = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr std::string_view sample_accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

Message bytes(std::string_view text) {
  return {text.begin(), text.end()};
}

Message operator+(Message a, const Message& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct FrameParts {
  std::uint8_t first = 0x82;  ///< FIN and opcode
  Message payload{};
  bool mask = false;
  std::optional<std::uint64_t> length = std::nullopt;  ///< instead of the payload's
  int length_bytes = -1;                               ///< 0, 2 or 8; else the shortest
};

/// A frame built by hand, independent of the code under test.
Message frame(const FrameParts& parts) {
  const std::uint64_t length = parts.length.value_or(parts.payload.size());
  const int width = parts.length_bytes >= 0 ? parts.length_bytes : length < 126 ? 0 : length < 65536 ? 2 : 8;
  const std::uint8_t mask_bit = parts.mask ? 0x80 : 0;
  Message out{parts.first};
  out.push_back(static_cast<std::uint8_t>(mask_bit | (width == 0 ? length : width == 2 ? 126 : 127)));
  for (int i = width - 1; i >= 0; --i) {
    out.push_back(static_cast<std::uint8_t>(length >> (8 * i)));
  }
  const std::array<std::uint8_t, 4> mask{0x37, 0xfa, 0x21, 0x3d};
  if (parts.mask) {
    out.insert(out.end(), mask.begin(), mask.end());
  }
  for (std::size_t i = 0; i < parts.payload.size(); ++i) {
    out.push_back(static_cast<std::uint8_t>(parts.payload[i] ^ (parts.mask ? mask[i % 4] : 0)));
  }
  return out;
}

Message close_frame(std::uint16_t status, bool mask) {
  return frame({.first = 0x88,
                .payload = {static_cast<std::uint8_t>(status >> 8), static_cast<std::uint8_t>(status)},
                .mask = mask});
}

std::string good_response(std::string_view accept = sample_accept) {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
         "Upgrade\r\nSec-WebSocket-Accept: " +
         std::string(accept) + "\r\n\r\n";
}
std::string good_request() {
  return "GET /cmsocket/ HTTP/1.1\r\nHost: cm.example:443\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Key: " +
         std::string(sample_key) + "\r\nSec-WebSocket-Version: 13\r\n\r\n";
}
std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

/// A client or a server whose upgrade is done.
struct Connection {
  test::FixedRng rng{bytes(sample_nonce)};
  bool is_client;
  WebSocketChannel channel;
  Told told;

  explicit Connection(bool client, const ChannelOptions& options = websocket_options)
      : is_client(client),
        channel(client ? WebSocketChannel::client("cm.example:443", options, rng, start)
                       : WebSocketChannel::server(options, start)) {
    (void)test::take_outgoing(channel);
    test::feed_all(channel, bytes(client ? good_response() : good_request()), told);
    (void)test::take_outgoing(channel);
    EXPECT_EQ(told.connected, 1);
  }
  /// A frame as the peer would send it.
  [[nodiscard]] Message peer(FrameParts parts) const {
    parts.mask = !is_client;
    return frame(parts);
  }
};

struct Pair {
  corliss::test::TestRng rng;
  WebSocketChannel client;
  WebSocketChannel server;
  Told client_told;
  Told server_told;

  explicit Pair(const ChannelOptions& options = websocket_options)
      : client(WebSocketChannel::client("[::1]:8080", options, rng, start)),
        server(WebSocketChannel::server(options, start)) {
    test::feed_all(server, test::take_outgoing(client), server_told);
    test::feed_all(client, test::take_outgoing(server), client_told);
    EXPECT_EQ(client_told.connected, 1);
    EXPECT_EQ(server_told.connected, 1);
  }
};

TEST(WebSocket, UpgradeIsThatOfTheRfc) {
  test::FixedRng rng(bytes(sample_nonce));
  auto client = WebSocketChannel::client("cm.example:443", websocket_options, rng, start);
  EXPECT_EQ(text_of(test::take_outgoing(client)), good_request());
  auto server = WebSocketChannel::server(websocket_options, start);
  Told told;
  test::feed_all(server, bytes(good_request()), told);
  EXPECT_EQ(told.connected, 1);
  EXPECT_EQ(text_of(test::take_outgoing(server)), good_response());
  test::feed_all(client, bytes(good_response()), told);
  EXPECT_EQ(told.connected, 2);
}

TEST(WebSocket, FieldsAreReadAsHttpWantsIt) {
  test::FixedRng rng(bytes(sample_nonce));
  for (const auto& response :
       {replaced(good_response(), "Upgrade: websocket", "UPGRADE:WebSocket"),
        replaced(good_response(), "Connection: Upgrade", "connection: keep-alive , upgrade"),
        replaced(good_response(), "Connection: Upgrade", "Connection: keep-alive\r\nConnection: Upgrade"),
        replaced(good_response(), "101 Switching Protocols", "101"),
        replaced(good_response(), "Sec-WebSocket-Accept: ", "sec-websocket-accept:\t "),
        replaced(good_response(), "Upgrade: websocket", "Server: x\r\nUpgrade: websocket")}) {
    auto client = WebSocketChannel::client("cm.example:443", websocket_options, rng, start);
    Told told;
    test::feed_all(client, bytes(response), told);
    EXPECT_EQ(told.connected, 1) << response;
  }
  for (const auto& request : {replaced(good_request(), "/cmsocket/", "/cmsocket/?x=1"),
                              replaced(good_request(), "Upgrade: websocket", "Upgrade: h2c, websocket"),
                              replaced(good_request(), "Host",
                                       "Origin: https://x\r\nSec-WebSocket-Extensions: "
                                       "permessage-deflate\r\nHost")}) {
    auto server = WebSocketChannel::server(websocket_options, start);
    Told told;
    test::feed_all(server, bytes(request), told);
    EXPECT_EQ(told.connected, 1) << request;
    EXPECT_EQ(text_of(test::take_outgoing(server)), good_response()) << "no extension is accepted";
  }
}

TEST(WebSocket, ClientRefusesOtherAnswers) {
  struct Case {
    const char* why;
    std::string response;
    Errc errc;
    std::int32_t detail = 0;
  };
  const std::vector<Case> table{
      {"not found", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", Errc::upgrade_refused, 404},
      {"ok is not enough", "HTTP/1.1 200 OK\r\n\r\n", Errc::upgrade_refused, 200},
      {"redirect", "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", Errc::upgrade_refused, 302},
      {"other accept key", good_response("s3pPLMBiTxaQ9kYGzzhZRbK+xOO="), Errc::bad_accept_key},
      {"no accept key", replaced(good_response(), "Sec-WebSocket-Accept", "X"), Errc::bad_accept_key},
      {"two accept keys",
       replaced(good_response(),
                "Upgrade:", "Sec-WebSocket-Accept: " + std::string(sample_accept) + "\r\nUpgrade:"),
       Errc::bad_accept_key},
      {"no upgrade", replaced(good_response(), "Upgrade: websocket\r\n", ""), Errc::bad_http},
      {"upgrade to else", replaced(good_response(), "Upgrade: websocket", "Upgrade: websockets"),
       Errc::bad_http},
      {"no connection", replaced(good_response(), "Connection: Upgrade", "Connection: close"),
       Errc::bad_http},
      {"an extension", replaced(good_response(), "Upgrade:", "Sec-WebSocket-Extensions: x\r\nUpgrade:"),
       Errc::bad_http},
      {"a protocol", replaced(good_response(), "Upgrade:", "Sec-WebSocket-Protocol: x\r\nUpgrade:"),
       Errc::bad_http},
      {"other protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n", Errc::bad_http},
      {"HTTP/2", replaced(good_response(), "HTTP/1.1", "HTTP/2.0"), Errc::bad_http},
      {"short status", "HTTP/1.1 10\r\n\r\n", Errc::bad_http},
      {"long status", "HTTP/1.1 1010 x\r\n\r\n", Errc::bad_http},
      {"letters", "HTTP/1.1 1o1 x\r\n\r\n", Errc::bad_http},
      {"empty", "\r\n\r\n", Errc::bad_http},
      {"no colon", replaced(good_response(), "Upgrade: websocket", "Upgrade websocket"), Errc::bad_http},
      {"blank before colon", replaced(good_response(), "Upgrade:", "Upgrade :"), Errc::bad_http},
      {"folded line", replaced(good_response(), "Connection:", " Connection:"), Errc::bad_http},
      {"bare line feed", replaced(good_response(), "Connection:", "X: a\nConnection:"), Errc::bad_http},
      {"a zero byte", replaced(good_response(), "Connection:", std::string_view("X: \0\r\nConnection:", 17)),
       Errc::bad_http},
  };
  for (const auto& c : table) {
    test::FixedRng rng(bytes(sample_nonce));
    auto client = WebSocketChannel::client("cm.example:443", websocket_options, rng, start);
    (void)test::take_outgoing(client);
    Told told;
    test::feed_all(client, bytes(c.response), told);
    ASSERT_TRUE(told.closed) << c.why;
    EXPECT_EQ(told.connected, 0) << c.why;
    EXPECT_EQ(told.closed->reason, c.errc) << c.why << ": " << told.closed->reason.message();
    EXPECT_EQ(told.closed->detail, c.detail) << c.why;
    EXPECT_TRUE(test::take_outgoing(client).empty()) << c.why;
  }
}

TEST(WebSocket, ServerRefusesOtherRequests) {
  const std::vector<std::pair<const char*, std::string>> table{
      {"404", replaced(good_request(), "/cmsocket/", "/cmsocket")},
      {"404", replaced(good_request(), "/cmsocket/", "/")},
      {"404", replaced(good_request(), "/cmsocket/", "/cmsocket//")},
      {"426", replaced(good_request(), "Version: 13", "Version: 8")},
      {"426", replaced(good_request(), "Sec-WebSocket-Version: 13\r\n", "")},
      {"400", replaced(good_request(), "GET", "POST")},
      {"400", replaced(good_request(), "GET", "get")},
      {"400", replaced(good_request(), "HTTP/1.1", "HTTP/1.0")},
      {"400", replaced(good_request(), "GET /cmsocket/ HTTP/1.1", "GET  HTTP/1.1")},
      {"400", replaced(good_request(), "GET /cmsocket/ HTTP/1.1", "GET HTTP/1.1")},
      {"400", replaced(good_request(), "GET /cmsocket/ HTTP/1.1", "GET")},
      {"400", replaced(good_request(), "Host: cm.example:443\r\n", "")},
      {"400", replaced(good_request(), "Host", "Host: a\r\nHost")},
      {"400", replaced(good_request(), "Upgrade: websocket\r\n", "")},
      {"400", replaced(good_request(), "Connection: Upgrade", "Connection: close")},
      {"400", replaced(good_request(), std::string(sample_key), "dGhlIHNhbXBsZSBub25jZSE=")},  // 17 bytes
      {"400", replaced(good_request(), std::string(sample_key), "dGhlIHNhbXBsZSBub25j")},      // 15 bytes
      {"400", replaced(good_request(), std::string(sample_key), "nonsense")},
      {"400", replaced(good_request(), "Sec-WebSocket-Key", "Sec-WebSocket-Kez")},
      {"400", "\r\n\r\n"},
      {"400", "\x16\x03\x01 a TLS hello \r\n\r\n"},
  };
  for (const auto& [status, request] : table) {
    auto server = WebSocketChannel::server(websocket_options, start);
    Told told;
    test::feed_all(server, bytes(request), told);
    ASSERT_TRUE(told.closed) << request;
    EXPECT_EQ(told.connected, 0);
    EXPECT_EQ(told.closed->reason, Errc::bad_http) << request;
    const auto answer = test::take_outgoing(server);
    EXPECT_TRUE(text_of(answer).starts_with("HTTP/1.1 " + std::string(status) + " "))
        << text_of(answer) << request;
  }
}

TEST(WebSocket, HttpHeadsHaveALimit) {
  for (const bool is_client : {true, false}) {
    const std::string good = is_client ? good_response() : good_request();
    for (const std::size_t size : {max_http_head_size - 1, max_http_head_size, max_http_head_size + 1}) {
      const std::string padding = "X: " + std::string(size - good.size() - 5, 'x') + "\r\n";
      const std::string head = replaced(good, "Upgrade:", padding + "Upgrade:");
      ASSERT_EQ(head.size(), size);
      for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, SIZE_MAX}) {
        test::FixedRng rng(bytes(sample_nonce));
        auto channel = is_client ? WebSocketChannel::client("x", websocket_options, rng, start)
                                 : WebSocketChannel::server(websocket_options, start);
        Told told;
        test::feed_all(channel, bytes(head), told, piece);
        EXPECT_EQ(told.connected, size <= max_http_head_size ? 1 : 0);
        EXPECT_EQ(told.closed && told.closed->reason == Errc::http_too_large, size > max_http_head_size);
      }
    }
  }
}

TEST(WebSocket, AddressesCannotChangeTheRequest) {
  corliss::test::TestRng rng;
  for (const char* host : {"", "a b", "a\r\nX: y", "a\n", "h\x7f", "h\xc3\xa4"}) {
    auto client = WebSocketChannel::client(host, websocket_options, rng, start);
    Told told;
    test::drain(client, told);
    EXPECT_EQ(told.closed->reason, Errc::bad_http);
    EXPECT_TRUE(client.outgoing().empty());
  }
  for (const char* path : {"", "cmsocket/", "/ HTTP/1.1\r\n"}) {
    auto client = WebSocketChannel::client("host", websocket_options, rng, start, path);
    EXPECT_TRUE(client.outgoing().empty());
  }
}

TEST(WebSocket, CarriesMessagesOfEverySizeBothWays) {
  Pair pair;
  for (const std::size_t size : {1, 2, 125, 126, 127, 670, 4095, 4096, 4097, 65535, 65536, 1 << 20}) {
    const auto message = pair.rng.bytes(size);
    ASSERT_TRUE(pair.client.send(message, start));
    ASSERT_TRUE(pair.server.send(message, start));
    const auto up = test::take_outgoing(pair.client);
    const auto down = test::take_outgoing(pair.server);
    EXPECT_EQ(down, frame({.payload = message}));  // unmasked: the bytes are known
    EXPECT_EQ(up.size(), down.size() + 4);
    test::feed_all(pair.server, up, pair.server_told, 10'000);
    test::feed_all(pair.client, down, pair.client_told, 10'000);
    EXPECT_EQ(pair.server_told.messages.back(), message);
    EXPECT_EQ(pair.client_told.messages.back(), message);
  }
  EXPECT_EQ(pair.client_told.messages.size(), 12u);
}

TEST(WebSocket, EverySplitGivesTheSameEvents) {
  corliss::test::TestRng rng;
  for (const bool is_client : {true, false}) {
    const Connection model(is_client);
    Message stream = bytes(is_client ? good_response() : good_request());
    const auto add = [&](const FrameParts& parts) { stream = stream + model.peer(parts); };
    add({.payload = rng.bytes(10)});
    add({.first = 0x02, .payload = rng.bytes(200)});  // a message in three fragments, a ping between them
    add({.first = 0x89, .payload = bytes("ping")});
    add({.first = 0x00, .payload = {}});
    add({.first = 0x80, .payload = rng.bytes(70'000)});
    add({.first = 0x81, .payload = bytes("text is ignored")});
    add({.payload = {}});  // and so are empty messages
    add({.first = 0x8a, .payload = bytes("pong")});
    add({.payload = rng.bytes(1)});
    add({.first = 0x88, .payload = {0x03, 0xe8, 'b', 'y', 'e'}});
    const auto run = [&](std::size_t first, std::size_t piece) {
      test::FixedRng nonce(bytes(sample_nonce));
      auto channel = is_client ? WebSocketChannel::client("x", websocket_options, nonce, start)
                               : WebSocketChannel::server(websocket_options, start);
      Told told;
      const auto middle = stream.begin() + static_cast<std::ptrdiff_t>(first);
      test::feed_all(channel, {stream.begin(), middle}, told, piece);
      test::feed_all(channel, {middle, stream.end()}, told, piece);
      return told;
    };
    const Told whole = run(0, SIZE_MAX);
    ASSERT_EQ(whole.messages.size(), 3u);
    EXPECT_EQ(whole.messages[1].size(), 70'200u);
    EXPECT_EQ(whole.closed->reason, Errc::closed_by_peer);
    EXPECT_EQ(whole.closed->detail, 1000);
    for (const std::size_t piece : {1, 2, 3, 5, 7, 64, 1000, 4096, 5000}) {
      ASSERT_EQ(run(0, piece), whole) << piece;
    }
    for (std::size_t at = 1; at < stream.size(); at += at < 800 || at > stream.size() - 40 ? 1 : 997) {
      ASSERT_EQ(run(at, SIZE_MAX), whole) << at;
    }
  }
}

TEST(WebSocket, RefusesWhatBreaksTheRules) {
  struct Case {
    const char* why;
    std::vector<FrameParts> frames;
    Errc errc = Errc::bad_frame;
    std::uint16_t status = 1002;
  };
  const auto limited = [] {
    ChannelOptions out = websocket_options;
    out.limits.message = 1000;
    return out;
  }();
  const Message byte{1};
  const std::vector<Case> table{
      {"RSV1, compression", {{.first = 0xc2, .payload = byte}}},
      {"RSV2", {{.first = 0xa2, .payload = byte}}},
      {"RSV3", {{.first = 0x92, .payload = byte}}},
      {"opcode 3", {{.first = 0x83, .payload = byte}}},
      {"opcode 7", {{.first = 0x87, .payload = byte}}},
      {"opcode 11", {{.first = 0x8b, .payload = byte}}},
      {"opcode 15", {{.first = 0x8f, .payload = byte}}},
      {"continuation of nothing", {{.first = 0x80, .payload = byte}}},
      {"a message inside a message", {{.first = 0x02, .payload = byte}, {.first = 0x82, .payload = byte}}},
      {"fragmented ping", {{.first = 0x09, .payload = byte}}},
      {"ping of 126 bytes", {{.first = 0x89, .payload = Message(126)}}},
      {"close of 126 bytes", {{.first = 0x88, .payload = Message(126)}}},
      {"length in two bytes that fits one", {{.payload = Message(125), .length_bytes = 2}}},
      {"length in eight bytes that fits two", {{.payload = Message(126), .length_bytes = 8}}},
      {"length with the top bit", {{.payload = byte, .length = std::uint64_t{1} << 63}}},
      {"close of one byte", {{.first = 0x88, .payload = byte}}},
      {"close with status 0", {{.first = 0x88, .payload = {0, 0}}}},
      {"close with status 999", {{.first = 0x88, .payload = {3, 0xe7}}}},
      {"close with status 1005", {{.first = 0x88, .payload = {3, 0xed}}}},
      {"close with status 1006", {{.first = 0x88, .payload = {3, 0xee}}}},
      {"close with status 5000", {{.first = 0x88, .payload = {0x13, 0x88}}}},
      {"limit + 1", {{.payload = Message(1001)}}, Errc::frame_too_large, 1009},
      {"limit + 1 in fragments",
       {{.first = 0x02, .payload = Message(600)}, {.first = 0x80, .payload = Message(401)}},
       Errc::frame_too_large,
       1009},
      {"limit + 1 of text", {{.first = 0x81, .payload = Message(1001)}}, Errc::frame_too_large, 1009},
      {"2^31", {{.payload = byte, .length = std::uint64_t{1} << 31}}, Errc::frame_too_large, 1009},
      {"2^32 - 1", {{.payload = byte, .length = UINT32_MAX}}, Errc::frame_too_large, 1009},
      {"2^63 - 1", {{.payload = byte, .length = INT64_MAX}}, Errc::frame_too_large, 1009},
      {"2^63 - 1 after a fragment",
       {{.first = 0x02, .payload = byte}, {.first = 0x80, .payload = byte, .length = INT64_MAX}},
       Errc::frame_too_large,
       1009},
  };
  for (const bool is_client : {true, false}) {
    for (const auto& c : table) {
      Connection connection(is_client, limited);
      Message stream = connection.peer({.payload = bytes("before")});
      for (const auto& parts : c.frames) {
        stream = stream + connection.peer(parts);
      }
      stream = stream + connection.peer({.payload = bytes("after")});
      test::feed_all(connection.channel, stream, connection.told);
      ASSERT_TRUE(connection.told.closed) << c.why;
      EXPECT_EQ(connection.told.closed->reason, c.errc) << c.why;
      EXPECT_EQ(connection.told.messages, std::vector<Message>{bytes("before")}) << c.why;
      EXPECT_FALSE(connection.channel.deadline());
      // The farewell says why; a client's is masked by the fixed generator.
      const auto farewell = test::take_outgoing(connection.channel);
      ASSERT_EQ(farewell.size(), is_client ? 8u : 4u) << c.why;
      if (!is_client) {
        EXPECT_EQ(farewell, close_frame(c.status, false)) << c.why;
      }
    }
  }
}

TEST(WebSocket, MaskingRules) {
  for (const bool is_client : {true, false}) {
    for (const std::uint8_t first : {std::uint8_t{0x82}, std::uint8_t{0x89}, std::uint8_t{0x88}}) {
      Connection connection(is_client);
      // A client masks, a server does not; the other way round is refused.
      test::feed_all(connection.channel, frame({.first = first, .payload = {3, 0xe8}, .mask = is_client}),
                     connection.told);
      EXPECT_EQ(connection.told.closed->reason, Errc::bad_mask);
      EXPECT_TRUE(connection.told.messages.empty());
    }
  }
  Pair pair;
  std::set<Message> masks;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(pair.client.send(Message(8), start));
    const auto sent = test::take_outgoing(pair.client);
    EXPECT_EQ(sent[1], 0x80 | 8);
    masks.emplace(sent.begin() + 2, sent.begin() + 6);
  }
  EXPECT_EQ(masks.size(), 20u) << "each frame has a mask of its own";
}

TEST(WebSocket, LimitsAreExact) {
  ChannelOptions options = websocket_options;
  options.limits.message = 1000;
  for (const bool is_client : {true, false}) {
    Connection connection(is_client, options);
    for (const std::size_t size : {1u, 999u, 1000u}) {
      test::feed_all(connection.channel, connection.peer({.payload = Message(size, 1)}), connection.told);
      EXPECT_EQ(connection.told.messages.back().size(), size);
    }
    test::feed_all(connection.channel,
                   connection.peer({.first = 0x02, .payload = Message(600)}) +
                       connection.peer({.first = 0x80, .payload = Message(400)}),
                   connection.told);
    EXPECT_EQ(connection.told.messages.back().size(), 1000u);
    EXPECT_TRUE(connection.channel.prepare(1000));
    EXPECT_EQ(connection.channel.prepare(1001).error(), Errc::message_too_large);
    EXPECT_EQ(connection.channel.prepare(0).error(), Errc::empty_message);
  }
}

TEST(WebSocket, AnAnnouncedLengthAllocatesNothing) {
  Connection connection(true);
  const auto stream = connection.peer({.payload = {1}, .length = max_frame_size});
  Message piece = stream;
  const corliss::test::AllocationCount count;
  ASSERT_TRUE(connection.channel.feed(piece, start));
  EXPECT_LE(count.bytes(), 4096u);
  EXPECT_FALSE(connection.channel.poll_event());
}

TEST(WebSocket, AnswersPings) {
  for (const bool is_client : {true, false}) {
    Connection connection(is_client);
    test::feed_all(connection.channel, connection.peer({.first = 0x89, .payload = bytes("one")}),
                   connection.told);
    auto answer = test::take_outgoing(connection.channel);
    ASSERT_EQ(answer.size(), is_client ? 9u : 5u);
    EXPECT_EQ(answer[0], 0x8a);
    if (!is_client) {
      EXPECT_EQ(answer, frame({.first = 0x8a, .payload = bytes("one")}));
    }
    // Of many at once only the last is answered: a flood costs nothing.
    Message flood;
    for (int i = 0; i < 1000; ++i) {
      flood = flood + connection.peer({.first = 0x89, .payload = Message(125, static_cast<std::uint8_t>(i))});
    }
    test::feed_all(connection.channel, flood, connection.told);
    EXPECT_LE(connection.channel.queued(), 200u);
    answer = test::take_outgoing(connection.channel);
    EXPECT_EQ(answer.size(), is_client ? 131u : 127u);
    EXPECT_FALSE(connection.told.closed);
  }
}

/// Lets an hour pass, a second at a time, or until both ended. What they write reaches the other while
/// `alive`.
void live(Pair& pair, bool alive, TimePoint& client_end) {
  for (TimePoint now = start; now < start + hours(1); now += seconds(1)) {
    for (auto* channel : {&pair.client, &pair.server}) {
      if (channel->deadline() <= now) {
        (void)channel->on_deadline(now);
      }
    }
    auto up = test::take_outgoing(pair.client, now);
    auto down = test::take_outgoing(pair.server, now);
    if (alive && !up.empty()) {
      (void)pair.server.feed(up, now);
    }
    if (alive && !down.empty()) {
      (void)pair.client.feed(down, now);
    }
    test::drain(pair.client, pair.client_told);
    test::drain(pair.server, pair.server_told);
    if (pair.client_told.closed) {
      client_end = now;
      return;
    }
  }
}

TEST(WebSocket, PingsKeepAnIdleConnectionForAnHour) {
  Pair pair;
  TimePoint end = TimePoint::max();
  live(pair, true, end);
  EXPECT_FALSE(pair.client_told.closed);
  EXPECT_FALSE(pair.server_told.closed);
}

TEST(WebSocket, AVanishedPeerEndsByItsDeadline) {
  Pair pair;
  TimePoint end = TimePoint::max();
  live(pair, false, end);
  EXPECT_EQ(pair.client_told.closed->reason, Errc::idle_timeout);
  EXPECT_EQ(end, start + seconds(60));
}

TEST(WebSocket, TheOtherDeadlines) {
  {  // no answer to the upgrade
    corliss::test::TestRng rng;
    auto client = WebSocketChannel::client("x", websocket_options, rng, start);
    (void)test::take_outgoing(client);
    EXPECT_EQ(client.deadline(), start + seconds(5));
    EXPECT_EQ(client.on_deadline(start + seconds(5)).error(), Errc::handshake_timeout);
  }
  {  // a frame that does not go on
    Connection connection(true);
    test::feed_all(connection.channel, connection.peer({.payload = {1}, .length = 10}), connection.told);
    ASSERT_TRUE(connection.channel.on_deadline(start + seconds(29)));
    EXPECT_EQ(connection.channel.on_deadline(start + seconds(30)).error(), Errc::stall_timeout);
  }
  {  // a transport that takes nothing
    Connection connection(true);
    ASSERT_TRUE(connection.channel.send(Message(10), start));
    EXPECT_EQ(connection.channel.on_deadline(start + seconds(30)).error(), Errc::write_timeout);
  }
}

TEST(WebSocket, CloseHandshake) {
  Pair pair;
  ASSERT_TRUE(pair.client.send(bytes("last"), start));
  ASSERT_TRUE(pair.client.close(start));
  EXPECT_EQ(pair.client.prepare(1).error(), Errc::not_connected);
  ASSERT_TRUE(pair.server.send(bytes("crossing"), start));
  auto down = test::take_outgoing(pair.server);
  test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told);
  EXPECT_EQ(pair.server_told.messages.back(), bytes("last"));
  EXPECT_EQ(pair.server_told.closed->reason, Errc::closed_by_peer);
  EXPECT_EQ(pair.server_told.closed->detail, 1000);
  down = down + test::take_outgoing(pair.server);
  EXPECT_EQ(down, frame({.payload = bytes("crossing")}) + close_frame(1000, false));
  test::feed_all(pair.client, down, pair.client_told);
  EXPECT_TRUE(pair.client_told.messages.empty()) << "nothing is told after close";
  EXPECT_TRUE(pair.client_told.closed->user_initiated());
  EXPECT_TRUE(test::take_outgoing(pair.client).empty()) << "one close frame a side";

  // A close frame without a status is answered without one.
  Connection plain(false);
  test::feed_all(plain.channel, plain.peer({.first = 0x88}), plain.told);
  EXPECT_EQ(plain.told.closed->reason, Errc::closed_by_peer);
  EXPECT_EQ(plain.told.closed->detail, 1005);
  EXPECT_EQ(test::take_outgoing(plain.channel), frame({.first = 0x88}));
  EXPECT_EQ(plain.channel.feed({}, start).error(), Errc::closed_by_peer);

  // Nobody answers.
  Pair silent;
  ASSERT_TRUE(silent.client.close(start));
  (void)test::take_outgoing(silent.client);
  EXPECT_EQ(silent.client.deadline(), start + seconds(3));
  EXPECT_EQ(silent.client.on_deadline(start + seconds(3)).error(), Errc::closed_here);

  // Or the stream just ends.
  Pair ended;
  ASSERT_TRUE(ended.client.close(start));
  EXPECT_EQ(ended.client.end_of_input(start).error(), Errc::closed_here);
}

TEST(WebSocket, TheEndOfTheStreamHasItsReasonAtEveryByte) {
  for (const bool is_client : {true, false}) {
    const Connection model(is_client);
    const Message head = bytes(is_client ? good_response() : good_request());
    const Message fragment = model.peer({.first = 0x02, .payload = bytes("abc")});
    const Message last = model.peer({.first = 0x80, .payload = bytes("def")});
    const Message stream = head + fragment + last;
    for (std::size_t size = 0; size <= stream.size(); ++size) {
      test::FixedRng rng(bytes(sample_nonce));
      auto channel = is_client ? WebSocketChannel::client("x", websocket_options, rng, start)
                               : WebSocketChannel::server(websocket_options, start);
      Told told;
      test::feed_all(channel, {stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size)}, told);
      const auto ended = channel.end_of_input(start);
      test::drain(channel, told);
      const bool between = size == 0 || size == head.size() || size == stream.size();
      EXPECT_EQ(ended.error(), between ? Errc::closed_by_peer : Errc::stream_truncated) << size;
      EXPECT_EQ(told.closed->reason, ended.error());
      EXPECT_EQ(told.messages.size(), size == stream.size() ? 1u : 0u);
    }
  }
}

TEST(WebSocket, SteadyStateAllocatesNothing) {
  Pair pair;
  std::vector<std::uint8_t> wire(1 << 16);
  std::size_t received = 0;
  const auto exchange = [&](WebSocketChannel& from, WebSocketChannel& to) {
    for (int i = 0; i < 90; ++i) {
      const auto room = from.prepare(670).value();
      std::fill(room.begin(), room.end(), static_cast<std::uint8_t>(i));
      ASSERT_TRUE(from.commit(start));
    }
    for (auto out = from.outgoing(); !out.empty(); out = from.outgoing()) {
      const std::size_t count = std::min<std::size_t>(out.size(), 10'000);
      std::copy_n(out.begin(), count, wire.begin());
      from.sent(count, start);
      ASSERT_TRUE(to.feed(Bytes(wire).first(count), start));
      while (auto event = to.poll_event()) {
        received += std::get<Received>(*event).message.size();
      }
    }
  };
  for (int i = 0; i < 3; ++i) {
    exchange(pair.client, pair.server);
    exchange(pair.server, pair.client);
  }
  const corliss::test::AllocationCount count;
  for (int i = 0; i < 10; ++i) {
    exchange(pair.client, pair.server);
    exchange(pair.server, pair.client);
  }
  EXPECT_EQ(count.calls(), 0u);
  EXPECT_EQ(received, 13u * 2 * 90 * 670);
}

TEST(WebSocket, TrimGivesMemoryBackAndGoesOn) {
  Pair pair;
  for (int round = 0; round < 3; ++round) {
    const auto message = pair.rng.bytes(50'000);
    ASSERT_TRUE(pair.client.send(message, start));
    test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told, 1000);
    ASSERT_EQ(pair.server_told.messages.back(), message);
    pair.client.trim();
    pair.server.trim();
  }
}

}  // namespace
}  // namespace corliss::net
