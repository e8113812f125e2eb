// UDP sessions over a simulated link with loss, repeats, delay and reordering.
#include "net/sim_link.h"

#include <corliss/net/errc.h>
#include <corliss/net/udp_session.h>

namespace corliss::net {
namespace {

using std::chrono::seconds;

constexpr TimePoint start{};

struct Side {
  UdpSession session;
  std::vector<std::vector<std::uint8_t>> to_send;
  std::vector<std::vector<std::uint8_t>> received;
  bool connected = false;
  std::error_code reason;
  TimePoint closed_at{};

  void drain_events(TimePoint now) {
    while (auto event = session.poll_event()) {
      if (std::holds_alternative<Connected>(*event)) {
        connected = true;
        for (const auto& message : to_send) {
          const auto room = session.prepare(message.size()).value();
          std::copy(message.begin(), message.end(), room.begin());
          ASSERT_TRUE(session.commit(now));
        }
      } else if (auto* got = std::get_if<Received>(&*event)) {
        received.emplace_back(got->message.begin(), got->message.end());
      } else {
        reason = std::get<Closed>(*event).reason;
        closed_at = now;
      }
    }
  }
};

struct Trial {
  test::TestRng rng;
  test::SimLink link;
  Side sides[2];
  TimePoint now = start;

  Trial(const test::SimLink::Faults& faults, std::uint64_t seed, std::size_t messages)
      : rng(seed),
        link(faults, seed + 1),
        sides{{UdpSession({}, start), {}, {}, false, {}, {}},
              {UdpSession({.side = UdpSessionOptions::Side::server,
                           .connection_id = 0x1000,
                           .challenge = static_cast<std::uint32_t>(seed),
                           .server_load = 0,
                           .limits = {},
                           .timeouts = udp_timeouts},
                          start),
               {},
               {},
               false,
               {},
               {}}} {
    for (auto& side : sides) {
      for (std::size_t i = 0; i < messages; ++i) {
        side.to_send.push_back(rng.bytes(rng.between(0, 4000)));
      }
    }
  }

  [[nodiscard]] bool all_arrived() const {
    return sides[0].received.size() == sides[1].to_send.size() &&
           sides[1].received.size() == sides[0].to_send.size() && sides[0].session.queued() == 0 &&
           sides[1].session.queued() == 0;
  }

  /// Until `done`, both sides closed, or an hour has passed.
  template <class Done>
  void until(Done done) {
    while (!done() && now < start + std::chrono::hours(1)) {
      for (int i = 0; i < 2; ++i) {
        auto& session = sides[i].session;
        for (auto out = session.outgoing(); !out.empty(); out = session.outgoing()) {
          link.send(1 - i, out, now);
          session.sent();
        }
      }
      TimePoint next = link.next().value_or(TimePoint::max());
      for (const auto& side : sides) {
        next = std::min(next, side.session.deadline().value_or(TimePoint::max()));
      }
      if (next == TimePoint::max()) {
        return;
      }
      ASSERT_GE(next, now) << "time runs forward";
      now = next;
      if (link.next() == now) {
        const auto arrival = link.take();
        (void)sides[arrival.to].session.feed(arrival.bytes, now);
      }
      for (auto& side : sides) {
        if (side.session.deadline().value_or(TimePoint::max()) <= now) {
          (void)side.session.on_deadline(now);
        }
        side.drain_events(now);
      }
    }
  }
};

TEST(UdpLink, EveryMessageOnceAndInOrderForAThousandSeeds) {
  TimePoint longest = start;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t seed = test::seed() + 2 * i;
    test::TestRng rng(seed);
    const test::SimLink::Faults faults{.loss = rng.between(0, 30),
                                       .repeat = rng.between(0, 20),
                                       .corrupt = 0,
                                       .max_delay = rng.between(0, 2000)};
    Trial trial(faults, seed, 6);
    trial.until([&] { return trial.all_arrived(); });
    ASSERT_FALSE(trial.sides[0].reason) << trial.sides[0].reason.message() << ", seed " << seed;
    ASSERT_FALSE(trial.sides[1].reason) << trial.sides[1].reason.message() << ", seed " << seed;
    ASSERT_EQ(trial.sides[0].received, trial.sides[1].to_send) << "seed " << seed;
    ASSERT_EQ(trial.sides[1].received, trial.sides[0].to_send) << "seed " << seed;
    longest = std::max(longest, trial.now);

    ASSERT_TRUE(trial.sides[0].session.close(trial.now));
    trial.until([&] { return trial.sides[0].reason && trial.sides[1].reason; });
    ASSERT_EQ(trial.sides[0].reason, Errc::closed_here) << "seed " << seed;
    ASSERT_LE(trial.sides[0].closed_at, trial.now);
    // Where the Disconnect was lost for good, silence ends the other side.
    ASSERT_TRUE(trial.sides[1].reason == Errc::closed_by_peer || trial.sides[1].reason == Errc::idle_timeout);
  }
  RecordProperty("longest_simulated_seconds",
                 static_cast<int>(std::chrono::duration_cast<seconds>(longest - start).count()));
}

TEST(UdpLink, AShortCutIsSurvivedALongOneEndsBothSides) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (const int length : {50, 70}) {
      const std::uint64_t seed = test::seed() + i;
      const auto from = start + std::chrono::milliseconds(test::TestRng(seed).between(2, 6));
      Trial trial({.max_delay = 0, .cut_from = from, .cut_until = from + seconds(length)}, seed, 6);
      trial.until([&] { return trial.all_arrived() || (trial.sides[0].reason && trial.sides[1].reason); });
      if (length == 50) {
        ASSERT_EQ(trial.sides[0].received, trial.sides[1].to_send);
        ASSERT_EQ(trial.sides[1].received, trial.sides[0].to_send);
        ASSERT_FALSE(trial.sides[0].reason);
        ASSERT_FALSE(trial.sides[1].reason);
      } else {
        for (const auto& side : trial.sides) {
          ASSERT_EQ(side.reason, side.connected ? Errc::idle_timeout : Errc::handshake_timeout);
          ASSERT_LE(side.closed_at, from + seconds(61));
        }
      }
    }
  }
}

TEST(UdpLink, IdleForAnHourAndAVanishedServerEndByTheirDeadline) {
  for (const bool vanish : {false, true}) {
    test::SimLink::Faults faults;
    if (vanish) {
      faults.cut_from = start + seconds(10);
    }
    Trial trial(faults, test::seed(), 1);
    trial.until([&] { return trial.sides[0].reason && trial.sides[1].reason; });
    int silent = 0;
    for (const auto& side : trial.sides) {
      EXPECT_TRUE(side.connected);
      EXPECT_LE(side.closed_at, start + seconds(62));
      silent += side.reason == Errc::idle_timeout ? 1 : 0;
      // Whoever notices first says goodbye, which the other hears unless the link is cut.
      EXPECT_TRUE(side.reason == Errc::idle_timeout || side.reason == Errc::closed_by_peer);
    }
    EXPECT_GE(silent, vanish ? 2 : 1);
  }
}

}  // namespace
}  // namespace corliss::net
