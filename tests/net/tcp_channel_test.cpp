// Encrypted connections over TCP, both sides of ours against each other.
#include "net/channel_pair.h"
#include "support/allocations.h"

#include <corliss/base/endian.h>
#include <corliss/crypto/errc.h>
#include <corliss/crypto/random_pool.h>
#include <corliss/net/tcp_channel.h>
#include <corliss/net/tcp_frame.h>

#include <algorithm>

namespace corliss::net {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using test::Message;
using test::Told;

constexpr TimePoint start{};

enum class Format { hmac, legacy, plain };

ClientHandshake client_side(Format format = Format::hmac) {
  ClientHandshake out;
  out.key = &test::server_public_key();
  out.allow_legacy = format == Format::legacy;
  return out;
}
ServerHandshake server_side(Format format = Format::hmac) {
  ServerHandshake out;
  out.key = &test::server_key();
  out.legacy = format == Format::legacy ? ServerHandshake::Legacy::only : ServerHandshake::Legacy::off;
  return out;
}

struct Pair {
  corliss::test::TestRng rng;
  TcpChannel client;
  TcpChannel server;
  Told client_told;
  Told server_told;

  explicit Pair(Format format = Format::hmac, const ChannelOptions& options = {})
      : client(format == Format::plain ? TcpChannel::plain(options, start)
                                       : TcpChannel::client(client_side(format), options, rng, start)),
        server(format == Format::plain ? TcpChannel::plain(options, start)
                                       : TcpChannel::server(server_side(format), options, rng, start)) {
    test::feed_all(client, test::take_outgoing(server), client_told);
    test::feed_all(server, test::take_outgoing(client), server_told);
    test::feed_all(client, test::take_outgoing(server), client_told);
    test::drain(client, client_told);
    test::drain(server, server_told);
    EXPECT_EQ(client_told.connected, 1);
    EXPECT_EQ(server_told.connected, 1);
  }
};

/// `count` messages of different sizes, sent by `from`, as one piece of stream.
std::vector<Message> send_some(Channel& from, corliss::test::TestRng& rng, std::size_t count) {
  std::vector<Message> sent;
  for (std::size_t i = 0; i < count; ++i) {
    sent.push_back(rng.bytes(rng.between(1, 1500)));
    EXPECT_TRUE(from.send(sent.back(), start));
  }
  return sent;
}

TEST(TcpChannel, CarriesMessagesBothWaysInEveryFormat) {
  for (const auto format : {Format::hmac, Format::legacy, Format::plain}) {
    Pair pair(format);
    for (int round = 0; round < 20; ++round) {
      pair.client_told.messages.clear();
      pair.server_told.messages.clear();
      const auto up = send_some(pair.client, pair.rng, pair.rng.between(0, 150));
      const auto down = send_some(pair.server, pair.rng, pair.rng.between(0, 150));
      test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told);
      test::feed_all(pair.client, test::take_outgoing(pair.server), pair.client_told);
      ASSERT_EQ(pair.server_told.messages, up);
      ASSERT_EQ(pair.client_told.messages, down);
    }
    EXPECT_EQ(pair.client.queued(), 0u);
  }
}

TEST(TcpChannel, EverySizeUpToALargeOne) {
  for (const auto format : {Format::hmac, Format::plain}) {
    Pair pair(format);
    for (const std::size_t size : {1, 2, 15, 16, 17, 670, 65535, 65536, 1 << 20, 20 << 20}) {
      pair.server_told.messages.clear();
      const auto message = pair.rng.bytes(std::min<std::size_t>(size, 5000));
      const auto room = pair.client.prepare(size).value();
      for (std::size_t at = 0; at < size; at += message.size()) {
        std::copy_n(message.begin(), std::min(message.size(), size - at),
                    room.begin() + static_cast<std::ptrdiff_t>(at));
      }
      const Message sent(room.begin(), room.end());
      ASSERT_TRUE(pair.client.commit(start));
      test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told, 60'000);
      ASSERT_EQ(pair.server_told.messages.size(), 1u) << size;
      ASSERT_TRUE(pair.server_told.messages[0] == sent) << size;
    }
  }
}

TEST(TcpChannel, EverySplitGivesTheSameEvents) {
  // A whole life as each side sees it: handshake, messages, end.
  const std::uint64_t seed = corliss::test::seed();
  const auto make_client = [](Rng& rng) { return TcpChannel::client(client_side(), {}, rng, start); };
  const auto make_server = [](Rng& rng) { return TcpChannel::server(server_side(), {}, rng, start); };
  Message to_client;
  Message to_server;
  Told client_told;
  Told server_told;
  {
    corliss::test::TestRng client_rng(seed);
    corliss::test::TestRng server_rng(seed + 1);
    corliss::test::TestRng sizes(seed + 2);
    auto client = make_client(client_rng);
    auto server = make_server(server_rng);
    for (int i = 0; i < 3; ++i) {
      const auto down = test::take_outgoing(server);
      to_client.insert(to_client.end(), down.begin(), down.end());
      test::feed_all(client, down, client_told);
      const auto up = test::take_outgoing(client);
      to_server.insert(to_server.end(), up.begin(), up.end());
      test::feed_all(server, up, server_told);
      if (client.connected()) {
        send_some(client, sizes, 5);
        send_some(server, sizes, 5);
      }
    }
    ASSERT_EQ(client_told.messages.size(), 5u);
    ASSERT_EQ(server_told.messages.size(), 5u);
    to_client.insert(to_client.end(), 8, 0xff);  // ends with a frame that is refused
    Message refused(8, 0xff);
    (void)client.feed(refused, start);
    test::drain(client, client_told);
    ASSERT_EQ(client_told.closed->reason, Errc::bad_magic);
  }
  const auto replay = [&](std::size_t piece) {
    corliss::test::TestRng client_rng(seed);
    auto client = make_client(client_rng);
    Told told;
    test::feed_all(client, to_client, told, piece);
    ASSERT_EQ(told, client_told) << "pieces of " << piece;
    corliss::test::TestRng server_rng(seed + 1);
    auto server = make_server(server_rng);
    Told other;
    test::feed_all(server, to_server, other, piece);
    ASSERT_EQ(other, server_told) << "pieces of " << piece;
  };
  for (std::size_t piece = 1; piece < 80; ++piece) {
    replay(piece);
  }
  for (std::size_t at = 0; at < to_client.size(); at += 1 + at / 40) {
    corliss::test::TestRng client_rng(seed);
    auto client = make_client(client_rng);
    Told told;
    const auto middle = to_client.begin() + static_cast<std::ptrdiff_t>(at);
    test::feed_all(client, {to_client.begin(), middle}, told);
    test::feed_all(client, {middle, to_client.end()}, told);
    ASSERT_EQ(told, client_told) << "split at " << at;
  }
}

TEST(TcpChannel, MessagesBeforeARefusedPacketArriveTheRestIsWiped) {
  for (const std::size_t count : {1u, 2u, 20u, 64u, 65u, 200u}) {
    for (int round = 0; round < 4; ++round) {
      Pair pair;
      const auto sent = send_some(pair.server, pair.rng, count);
      auto stream = test::take_outgoing(pair.server);
      // Find the frames and change a byte of one.
      std::vector<std::size_t> at;
      for (std::size_t offset = 0; offset < stream.size();) {
        at.push_back(offset);
        offset += tcp_frame_header_size + load_le<std::uint32_t>(stream.data() + offset);
      }
      ASSERT_EQ(at.size(), count);
      const std::size_t bad = pair.rng.between(0, count - 1);
      const std::size_t payload = load_le<std::uint32_t>(stream.data() + at[bad]);
      stream[at[bad] + tcp_frame_header_size + pair.rng.between(0, payload - 1)] ^= 0x40;

      EXPECT_EQ(pair.client.feed(stream, start).error(), crypto::Errc::unauthenticated);
      test::drain(pair.client, pair.client_told);
      EXPECT_EQ(pair.client_told.messages,
                std::vector<Message>(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(bad)));
      EXPECT_EQ(pair.client_told.closed->reason, crypto::Errc::unauthenticated);
      EXPECT_TRUE(pair.client.outgoing().empty()) << "nothing is sent";
      // Of the refused packet and those after it nothing is left but frame headers.
      const std::size_t refused = at[bad] + tcp_frame_header_size;
      for (std::size_t i = bad; i < count; ++i) {
        std::fill_n(stream.begin() + static_cast<std::ptrdiff_t>(at[i]), tcp_frame_header_size,
                    std::uint8_t{0});
      }
      EXPECT_TRUE(std::all_of(stream.begin() + static_cast<std::ptrdiff_t>(refused), stream.end(),
                              [](std::uint8_t byte) { return byte == 0; }));
    }
  }
}

TEST(TcpChannel, RefusesEveryChangedBitOfAPacket) {
  const std::uint64_t seed = corliss::test::seed();
  corliss::test::TestRng server_rng(seed);
  corliss::test::TestRng client_rng(seed + 1);
  auto client = TcpChannel::client(client_side(), {}, client_rng, start);
  auto server = TcpChannel::server(server_side(), {}, server_rng, start);
  Told told;
  Message hello = test::take_outgoing(server);
  test::feed_all(client, hello, told);
  test::feed_all(server, test::take_outgoing(client), told);
  const auto result = test::take_outgoing(server);
  hello.insert(hello.end(), result.begin(), result.end());
  ASSERT_TRUE(server.send(bytes_of("forty bytes of text, to make three blocks"), start));
  const auto packet = test::take_outgoing(server);
  for (std::size_t bit = 8 * tcp_frame_header_size; bit < 8 * packet.size(); ++bit) {
    corliss::test::TestRng same(seed + 1);
    auto victim = TcpChannel::client(client_side(), {}, same, start);
    Told got;
    test::feed_all(victim, hello, got);
    auto changed = packet;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
    test::feed_all(victim, changed, got);
    ASSERT_TRUE(got.messages.empty());
    ASSERT_EQ(got.closed->reason, crypto::Errc::unauthenticated) << "bit " << bit;
  }
}

TEST(TcpChannel, HostileLengthsInEachState) {
  constexpr std::uint32_t limit = 100'000;
  const ChannelOptions options{.limits = {.message = limit}, .timeouts = {}};
  const auto try_length = [](Channel& channel, std::uint32_t length) -> std::error_code {
    Message header(tcp_frame_header_size);
    write_tcp_frame_header(std::span(header).first<tcp_frame_header_size>(), length);
    const corliss::test::AllocationCount count;
    const auto fed = channel.feed(header, start);
    EXPECT_LE(count.bytes(), 4096u) << length;
    return fed ? std::error_code{} : fed.error();
  };
  struct Case {
    std::uint32_t length;
    std::error_code handshake;
    std::error_code connected;
  };
  const std::error_code none;
  for (const auto& c :
       {Case{0, Errc::empty_message, Errc::empty_message}, Case{1, none, none}, Case{4096, none, none},
        Case{4097, Errc::handshake_too_large, none}, Case{limit, Errc::handshake_too_large, none},
        Case{limit + 1, Errc::handshake_too_large, Errc::frame_too_large},
        Case{1u << 31, Errc::handshake_too_large, Errc::frame_too_large},
        Case{UINT32_MAX, Errc::handshake_too_large, Errc::frame_too_large}}) {
    corliss::test::TestRng rng;
    auto client = TcpChannel::client(client_side(), options, rng, start);
    EXPECT_EQ(try_length(client, c.length), c.handshake) << c.length;
    auto server = TcpChannel::server(server_side(), options, rng, start);
    EXPECT_EQ(try_length(server, c.length), c.handshake) << c.length;
    Pair pair(Format::hmac, options);
    EXPECT_EQ(try_length(pair.client, c.length), c.connected) << c.length;
    EXPECT_EQ(try_length(pair.server, c.length), c.connected) << c.length;
  }
}

TEST(TcpChannel, TheEndOfTheStreamHasItsReasonAtEveryByte) {
  std::size_t whole = 1;
  for (std::size_t size = 0; size <= whole; ++size) {
    Pair pair;
    ASSERT_TRUE(pair.server.send(bytes_of("the last message"), start));
    auto stream = test::take_outgoing(pair.server);
    whole = stream.size();
    stream.resize(size);
    Told told;
    ASSERT_TRUE(pair.client.feed(stream, start));
    test::drain(pair.client, told);
    EXPECT_EQ(told.messages.size(), size == whole ? 1u : 0u);
    const auto expected = size == 0 || size == whole ? Errc::closed_by_peer : Errc::stream_truncated;
    EXPECT_EQ(pair.client.end_of_input(start).error(), expected) << size;
    test::drain(pair.client, told);
    EXPECT_EQ(told.closed->reason, expected) << size;
  }
}

TEST(TcpChannel, EmptyPacketsAndMessagesAreRefused) {
  Pair pair;
  EXPECT_EQ(pair.client.prepare(0).error(), Errc::empty_message);
  EXPECT_EQ(pair.client.send({}, start).error(), Errc::empty_message);
  EXPECT_TRUE(pair.client.connected());
}

TEST(TcpChannel, LateHandshakeMessagesMeanNothing) {
  Pair pair;
  for (const auto low : {std::uint8_t{0x17}, std::uint8_t{0x18}, std::uint8_t{0x19}}) {
    Message late(28);
    late[0] = low;
    late[1] = 0x05;
    ASSERT_TRUE(pair.server.send(late, start));
  }
  ASSERT_TRUE(pair.server.send(bytes_of("after"), start));
  test::feed_all(pair.client, test::take_outgoing(pair.server), pair.client_told);
  EXPECT_EQ(pair.client_told.messages.size(), 1u);
  EXPECT_FALSE(pair.client_told.closed);
}

TEST(TcpChannel, WhatIsBeingWrittenNeverMoves) {
  Pair pair;
  ASSERT_TRUE(pair.client.send(Message(1000, 1), start));
  const auto writing = pair.client.outgoing();
  const Message before(writing.begin(), writing.end());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(pair.client.send(Message(5000, 2), start));
    ASSERT_EQ(pair.client.outgoing().data(), writing.data());
  }
  EXPECT_EQ(Message(writing.begin(), writing.end()), before);
  pair.client.sent(10, start);
  EXPECT_EQ(pair.client.outgoing().data(), writing.data() + 10);
  pair.client.sent(writing.size() - 10, start);
  EXPECT_EQ(pair.client.outgoing().size(), 100 * (8 + 16 + 5008u)) << "the rest comes as one piece";
}

TEST(TcpChannel, PrepareIsInPlaceAndMayBeForgotten) {
  Pair pair;
  EXPECT_EQ(pair.client.commit(start).error(), Errc::nothing_prepared);
  const auto forgotten = pair.client.prepare(100).value();
  std::fill(forgotten.begin(), forgotten.end(), std::uint8_t{0xee});
  EXPECT_TRUE(pair.client.outgoing().empty()) << "nothing new between prepare and commit";
  const auto room = pair.client.prepare(10).value();
  std::fill(room.begin(), room.end(), std::uint8_t{0x55});
  const auto* place = room.data();
  ASSERT_TRUE(pair.client.commit(start));
  EXPECT_EQ(pair.client.outgoing().data(), place - 24) << "frame header 8, IV 16, then the message";
  test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told);
  EXPECT_EQ(pair.server_told.messages, std::vector<Message>{Message(10, 0x55)});
}

TEST(TcpChannel, LimitsOfTheSendingSide) {
  const ChannelOptions options{.limits = {.message = 1024, .queued = 4096}, .timeouts = {}};
  Pair pair(Format::hmac, options);
  EXPECT_TRUE(pair.client.prepare(1007));  // 16 + 1008 = 1024
  EXPECT_EQ(pair.client.prepare(1008).error(), Errc::message_too_large);
  EXPECT_EQ(pair.client.prepare(SIZE_MAX).error(), Errc::message_too_large);
  int sent = 0;
  while (pair.client.send(Message(1000, 1), start)) {
    ++sent;
  }
  EXPECT_EQ(sent, 3);
  EXPECT_EQ(pair.client.prepare(1000).error(), Errc::queue_full);
  test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told);
  EXPECT_EQ(pair.server_told.messages.size(), 3u);
  EXPECT_TRUE(pair.client.prepare(1000));
}

TEST(TcpChannel, HandshakeEndsByItsDeadline) {
  corliss::test::TestRng rng;
  auto client = TcpChannel::client(client_side(), {}, rng, start);
  EXPECT_EQ(client.deadline(), start + seconds(5));
  EXPECT_TRUE(client.on_deadline(start + seconds(4)));
  EXPECT_EQ(client.on_deadline(start + seconds(5)).error(), Errc::handshake_timeout);
  Told told;
  test::drain(client, told);
  EXPECT_EQ(told.closed->reason, Errc::handshake_timeout);
  EXPECT_EQ(told.closed->reason, Fault::timeout);
  // A peer that sends a byte a second does not prolong it.
  auto server = TcpChannel::server(server_side(), {}, rng, start);
  (void)test::take_outgoing(server);
  const auto drip = Message{164, 0, 0, 0, 'V', 'T', '0', '1'};
  for (int i = 0; i < 5; ++i) {
    Message byte{drip[static_cast<std::size_t>(i)]};
    EXPECT_TRUE(server.feed(byte, start + seconds(i)));
  }
  EXPECT_EQ(server.on_deadline(start + seconds(5)).error(), Errc::handshake_timeout);
}

/// Lets time pass, `alive` called every second, until the channel ends or an hour is over.
template <class Alive>
std::pair<Told, TimePoint> let_time_pass(Channel& channel, Alive alive) {
  Told told;
  TimePoint now = start;
  for (; now < start + hours(1) && !told.closed; now += seconds(1)) {
    alive(now);
    if (channel.deadline() <= now) {
      (void)channel.on_deadline(now);
    }
    test::drain(channel, told);
  }
  return {told, now - seconds(1)};
}

TEST(TcpChannel, IdleConnectionEndsWithAReason) {
  Pair pair;
  const auto [told, when] = let_time_pass(pair.client, [](TimePoint) {});
  EXPECT_EQ(told.closed->reason, Errc::idle_timeout);
  EXPECT_EQ(when, start + seconds(120));
}

TEST(TcpChannel, HeartbeatsKeepAnIdleConnectionForAnHour) {
  Pair pair;
  Message beat;  // its bytes are the event's until the next feed
  const auto [told, when] = let_time_pass(pair.client, [&](TimePoint now) {
    if ((now - start) % seconds(30) == Duration::zero()) {
      ASSERT_TRUE(pair.server.send(bytes_of("heartbeat"), now));
      beat = test::take_outgoing(pair.server, now);
      ASSERT_TRUE(pair.client.feed(beat, now));
    }
  });
  EXPECT_FALSE(told.closed);
  EXPECT_EQ(told.messages.size(), 120u);
}

TEST(TcpChannel, HalfOpenConnectionEndsByTheWriteDeadline) {
  Pair pair;  // the transport takes nothing any more
  ASSERT_TRUE(pair.client.send(bytes_of("into the void"), start));
  const auto [told, when] = let_time_pass(pair.client, [](TimePoint) {});
  EXPECT_EQ(told.closed->reason, Errc::write_timeout);
  EXPECT_EQ(when, start + seconds(30));
}

TEST(TcpChannel, AServerThatVanishesInsideAFrameEndsByTheStallDeadline) {
  Pair pair;
  ASSERT_TRUE(pair.server.send(Message(1000, 1), start));
  auto stream = test::take_outgoing(pair.server);
  stream.resize(500);
  ASSERT_TRUE(pair.client.feed(stream, start));
  const auto [told, when] = let_time_pass(pair.client, [](TimePoint) {});
  EXPECT_EQ(told.closed->reason, Errc::stall_timeout);
  EXPECT_EQ(when, start + seconds(30));
}

TEST(TcpChannel, CloseFlushesAndIsBounded) {
  Pair pair;
  ASSERT_TRUE(pair.client.send(bytes_of("last words"), start));
  ASSERT_TRUE(pair.client.close(start));
  EXPECT_FALSE(pair.client.connected());
  EXPECT_EQ(pair.client.prepare(1).error(), Errc::not_connected);
  EXPECT_FALSE(pair.client.poll_event()) << "not before the queue is written";
  // What still comes is not told any more.
  ASSERT_TRUE(pair.server.send(bytes_of("too late"), start));
  test::feed_all(pair.client, test::take_outgoing(pair.server), pair.client_told);
  EXPECT_TRUE(pair.client_told.messages.empty());
  test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told);
  EXPECT_EQ(pair.server_told.messages.size(), 1u);
  test::drain(pair.client, pair.client_told);
  EXPECT_TRUE(pair.client_told.closed->user_initiated());

  Pair stuck;
  ASSERT_TRUE(stuck.client.send(bytes_of("never taken"), start));
  ASSERT_TRUE(stuck.client.close(start));
  EXPECT_EQ(stuck.client.deadline(), start + seconds(3));
  EXPECT_EQ(stuck.client.on_deadline(start + seconds(3)).error(), Errc::closed_here);

  Pair idle;
  ASSERT_TRUE(idle.client.close(start));
  test::drain(idle.client, idle.client_told);
  EXPECT_TRUE(idle.client_told.closed->user_initiated());
}

TEST(TcpChannel, TheFirstReasonCounts) {
  Pair pair;
  pair.client.fail(make_error_code(std::errc::connection_reset));
  pair.client.fail(Errc::closed_by_peer);
  EXPECT_FALSE(pair.client.end_of_input(start));
  test::drain(pair.client, pair.client_told);
  EXPECT_EQ(pair.client_told.closed->reason, make_error_code(std::errc::connection_reset));
  Pair closing;
  ASSERT_TRUE(closing.client.send(bytes_of("x"), start));
  ASSERT_TRUE(closing.client.close(start));
  closing.client.fail(make_error_code(std::errc::connection_reset));
  test::drain(closing.client, closing.client_told);
  EXPECT_TRUE(closing.client_told.closed->user_initiated()) << "it was asked for";
}

TEST(TcpChannel, SteadyStateAllocatesNothing) {
  for (const auto format : {Format::hmac, Format::plain}) {
    Pair pair(format);
    std::vector<std::uint8_t> wire(1 << 16);
    std::size_t received = 0;
    const auto exchange = [&](TcpChannel& from, TcpChannel& to) {
      for (int i = 0; i < 90; ++i) {
        const auto room = from.prepare(670).value();
        std::fill(room.begin(), room.end(), static_cast<std::uint8_t>(i));
        ASSERT_TRUE(from.commit(start));
      }
      // Written in pieces that cut frames, as a socket does.
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
}

TEST(TcpChannel, TrimGivesMemoryBackAndGoesOn) {
  Pair pair;
  for (int round = 0; round < 3; ++round) {
    pair.server_told.messages.clear();
    const auto sent = send_some(pair.client, pair.rng, 50);
    test::feed_all(pair.server, test::take_outgoing(pair.client), pair.server_told, 1000);
    ASSERT_EQ(pair.server_told.messages, sent);
    pair.client.trim();
    pair.server.trim();
  }
}

}  // namespace
}  // namespace corliss::net
