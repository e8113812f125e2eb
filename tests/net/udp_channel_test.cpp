// Encrypted connections over UDP, on a simulated link that loses, repeats, reorders and changes datagrams.
#include "net/channel_pair.h"
#include "net/sim_link.h"
#include "support/allocations.h"

#include <corliss/crypto/errc.h>
#include <corliss/net/udp_channel.h>
#include <corliss/net/udp_packet.h>

#include <set>

namespace corliss::net {
namespace {

using corliss::test::SimLink;
using std::chrono::hours;
using std::chrono::seconds;
using test::Message;
using test::Told;

constexpr TimePoint start{};

ClientHandshake client_side() {
  ClientHandshake out;
  out.key = &test::server_public_key();
  return out;
}
ServerHandshake server_side() {
  ServerHandshake out;
  out.key = &test::server_key();
  return out;
}

struct Side {
  UdpChannel channel;
  std::vector<Message> to_send;
  Told told;
  bool sent = false;
  TimePoint closed_at = TimePoint::max();
};

struct Trial {
  corliss::test::TestRng rng;
  SimLink link;
  Side sides[2];
  TimePoint now = start;

  Trial(const SimLink::Faults& faults, std::uint64_t seed, std::size_t messages,
        ServerHandshake server = server_side())
      : rng(seed),
        link(faults, seed + 1),
        sides{
            {UdpChannel::client(client_side(), udp_first_client_id, udp_channel_options, rng, start), {}, {}},
            {UdpChannel::server(std::move(server), 0x1000, udp_channel_options, rng, start), {}, {}}} {
    for (auto& side : sides) {
      for (std::size_t i = 0; i < messages; ++i) {
        side.to_send.push_back(rng.bytes(rng.between(1, 4000)));
      }
    }
  }

  [[nodiscard]] bool all_arrived() const {
    return sides[0].told.messages.size() == sides[1].to_send.size() &&
           sides[1].told.messages.size() == sides[0].to_send.size() && sides[0].channel.queued() == 0 &&
           sides[1].channel.queued() == 0;
  }
  [[nodiscard]] bool both_closed() const { return sides[0].told.closed && sides[1].told.closed; }

  template <class Done>
  void until(Done done) {
    while (!done() && now < start + hours(1)) {
      TimePoint next = TimePoint::max();
      for (int i = 0; i < 2; ++i) {
        auto& channel = sides[i].channel;
        for (auto out = channel.outgoing(); !out.empty(); out = channel.outgoing()) {
          link.send(1 - i, out, now);
          channel.sent(out.size(), now);
        }
        next = std::min(next, channel.deadline().value_or(TimePoint::max()));
      }
      next = std::min(next, link.next().value_or(TimePoint::max()));
      if (next == TimePoint::max()) {
        return;
      }
      ASSERT_GE(next, now);
      now = next;
      std::vector<std::uint8_t> datagram;  // lives until its messages are drained
      if (link.next() == now) {
        auto arrival = link.take();
        datagram = std::move(arrival.bytes);
        (void)sides[arrival.to].channel.feed(datagram, now);
      }
      for (auto& side : sides) {
        if (side.channel.deadline().value_or(TimePoint::max()) <= now) {
          (void)side.channel.on_deadline(now);
        }
        test::drain(side.channel, side.told);
        if (side.told.connected == 1 && !side.sent) {
          side.sent = true;
          for (const auto& message : side.to_send) {
            (void)side.channel.send(message, now);
          }
        }
        if (side.told.closed && side.closed_at == TimePoint::max()) {
          side.closed_at = now;
        }
      }
    }
  }
};

bool is_prefix(const std::vector<Message>& part, const std::vector<Message>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

TEST(UdpChannel, EveryMessageOnceAndInOrderForAThousandSeeds) {
  int ended_by_corruption = 0;
  int survived_corruption = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t seed = corliss::test::seed() + 2 * i;
    corliss::test::TestRng rng(seed);
    const SimLink::Faults faults{.loss = rng.between(0, 30),
                                 .repeat = rng.between(0, 20),
                                 .corrupt = i % 2 == 0 ? 0 : rng.between(1, 100),
                                 .max_delay = rng.between(0, 2000)};
    Trial trial(faults, seed, 3);
    trial.until([&] { return trial.all_arrived() || trial.both_closed(); });
    const auto& [client, server] = trial.sides;
    // Whatever happens, nothing is wrong, twice or out of order.
    ASSERT_TRUE(is_prefix(client.told.messages, server.to_send)) << "seed " << seed;
    ASSERT_TRUE(is_prefix(server.told.messages, client.to_send)) << "seed " << seed;
    if (trial.link.corrupted() == 0) {
      ASSERT_FALSE(client.told.closed) << client.told.closed->reason.message() << ", seed " << seed;
      ASSERT_FALSE(server.told.closed) << server.told.closed->reason.message() << ", seed " << seed;
      ASSERT_TRUE(trial.all_arrived()) << "seed " << seed;
    } else if (trial.all_arrived()) {
      ++survived_corruption;
    } else {
      ++ended_by_corruption;
      ASSERT_TRUE(trial.both_closed()) << "seed " << seed;
      for (const auto& side : trial.sides) {
        ASSERT_NE(side.told.closed->reason, Fault::local) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(ended_by_corruption, 0) << "the corruption did nothing";
  EXPECT_GT(survived_corruption, 0) << "every change was fatal";
}

TEST(UdpChannel, AChangedPacketEndsItWithAReasonAndNothingIsDelivered) {
  Trial trial({}, corliss::test::seed(), 0);
  trial.until([&] { return trial.sides[0].told.connected == 1 && trial.sides[1].told.connected == 1; });
  auto& [client, server] = trial.sides;
  ASSERT_TRUE(server.channel.send(bytes_of("one"), trial.now));
  ASSERT_TRUE(server.channel.send(bytes_of("two"), trial.now));
  ASSERT_TRUE(server.channel.send(bytes_of("three"), trial.now));
  std::vector<Message> datagrams;
  for (auto out = server.channel.outgoing(); !out.empty(); out = server.channel.outgoing()) {
    datagrams.emplace_back(out.begin(), out.end());
    server.channel.sent(out.size(), trial.now);
  }
  ASSERT_EQ(datagrams.size(), 3u);
  datagrams[1].back() ^= 1;
  // The first comes last, so that all three are opened at once.
  ASSERT_TRUE(client.channel.feed(datagrams[2], trial.now));
  ASSERT_TRUE(client.channel.feed(datagrams[1], trial.now));
  EXPECT_EQ(client.channel.feed(datagrams[0], trial.now).error(), crypto::Errc::unauthenticated);
  test::drain(client.channel, client.told);
  ASSERT_EQ(client.told.messages.size(), 1u);
  EXPECT_EQ(text_of(client.told.messages[0]), "one");
  EXPECT_EQ(client.told.closed->reason, crypto::Errc::unauthenticated);
}

TEST(UdpChannel, CloseReachesTheOtherSide) {
  Trial trial({}, corliss::test::seed(), 2);
  trial.until([&] { return trial.all_arrived() && trial.sides[0].sent; });
  ASSERT_TRUE(trial.sides[0].channel.close(trial.now));
  trial.until([&] { return trial.both_closed(); });
  EXPECT_TRUE(trial.sides[0].told.closed->user_initiated());
  EXPECT_EQ(trial.sides[1].told.closed->reason, Errc::closed_by_peer);
}

TEST(UdpChannel, ARefusalReachesTheClient) {
  auto side = server_side();
  side.result = proto::EResult::ServiceUnavailable;
  Trial trial({}, corliss::test::seed(), 0, std::move(side));
  trial.until([&] { return trial.both_closed(); });
  for (const auto& each : trial.sides) {
    EXPECT_EQ(each.told.closed->reason, Errc::handshake_refused);
    EXPECT_EQ(each.told.closed->detail, 20);
    EXPECT_EQ(each.told.connected, 0);
  }
}

TEST(UdpChannel, IdleAndVanishedPeersEndByTheirDeadline) {
  for (const bool vanish : {false, true}) {
    SimLink::Faults faults;
    if (vanish) {
      faults.cut_from = start + seconds(1);
    }
    Trial trial(faults, corliss::test::seed(), 1);
    trial.until([&] { return trial.both_closed(); });
    for (const auto& side : trial.sides) {
      EXPECT_EQ(side.told.connected, 1);
      EXPECT_TRUE(side.told.closed->reason == Errc::idle_timeout ||
                  side.told.closed->reason == Errc::closed_by_peer);
      EXPECT_LE(side.closed_at, start + seconds(62));
    }
  }
}

TEST(UdpChannel, ASilentServerEndsTheHandshake) {
  Trial trial({.cut_from = start}, corliss::test::seed(), 0);
  trial.until([&] { return trial.sides[0].told.closed.has_value(); });
  EXPECT_EQ(trial.sides[0].told.closed->reason, Errc::handshake_timeout);
  EXPECT_EQ(trial.sides[0].closed_at, start + seconds(60));
}

TEST(UdpChannel, HandshakeMessagesAreSmall) {
  Trial trial({}, corliss::test::seed(), 0);
  // Challenge, then Accept; then a server that sends too much before encryption.
  UdpSession server({.side = UdpSessionOptions::Side::server, .connection_id = 9, .challenge = 1}, start);
  auto& client = trial.sides[0];
  for (int i = 0; i < 3; ++i) {
    for (auto out = client.channel.outgoing(); !out.empty(); out = client.channel.outgoing()) {
      ASSERT_TRUE(server.feed(out, start));
      client.channel.sent(out.size(), start);
    }
    for (auto out = server.outgoing(); !out.empty(); out = server.outgoing()) {
      Message datagram(out.begin(), out.end());
      ASSERT_TRUE(client.channel.feed(datagram, start));
      server.sent();
    }
  }
  ASSERT_TRUE(server.prepare(max_handshake_size + 1));
  ASSERT_TRUE(server.commit(start));
  Message datagram(server.outgoing().begin(), server.outgoing().end());
  EXPECT_EQ(client.channel.feed(datagram, start).error(), Errc::handshake_too_large);
  test::drain(client.channel, client.told);
  EXPECT_EQ(client.told.closed->reason, Errc::handshake_too_large);
}

TEST(UdpChannel, LimitsOfTheSendingSide) {
  Trial trial({}, corliss::test::seed(), 0);
  auto& channel = trial.sides[0].channel;
  EXPECT_EQ(channel.prepare(1).error(), Errc::not_connected);
  trial.until([&] { return trial.sides[0].told.connected == 1 && trial.sides[1].told.connected == 1; });
  EXPECT_EQ(channel.prepare(0).error(), Errc::empty_message);
  EXPECT_EQ(channel.prepare(max_frame_size).error(), Errc::message_too_large);
  EXPECT_EQ(channel.commit(trial.now).error(), Errc::nothing_prepared);
  EXPECT_TRUE(channel.prepare(crypto::max_plaintext_size));
}

TEST(UdpChannel, SteadyStateAllocatesNothing) {
  Trial trial({}, corliss::test::seed(), 0);
  trial.until([&] { return trial.sides[0].told.connected == 1 && trial.sides[1].told.connected == 1; });
  std::size_t received = 0;
  std::array<std::uint8_t, max_udp_datagram> datagram;
  const auto round = [&](UdpChannel& from, UdpChannel& to) {
    for (int i = 0; i < 3; ++i) {
      const auto room = from.prepare(670).value();
      std::fill(room.begin(), room.end(), std::uint8_t{7});
      ASSERT_TRUE(from.commit(trial.now));
    }
    for (auto out = from.outgoing(); !out.empty(); out = from.outgoing()) {
      std::copy(out.begin(), out.end(), datagram.begin());
      const auto size = out.size();
      from.sent(size, trial.now);
      ASSERT_TRUE(to.feed(Bytes(datagram).first(size), trial.now));
      while (auto event = to.poll_event()) {
        received += std::get<Received>(*event).message.size();
      }
    }
  };
  auto& [client, server] = trial.sides;
  for (int i = 0; i < 20; ++i) {
    round(client.channel, server.channel);
    round(server.channel, client.channel);
  }
  const corliss::test::AllocationCount count;
  for (int i = 0; i < 100; ++i) {
    round(client.channel, server.channel);
    round(server.channel, client.channel);
  }
  EXPECT_EQ(count.calls(), 0u);
  EXPECT_EQ(received, 120u * 2 * 3 * 670);
}

}  // namespace
}  // namespace corliss::net
