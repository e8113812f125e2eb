#pragma once

#include "support/test_support.h"

#include <corliss/base/bytes.h>
#include <corliss/base/time.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace corliss::test {

/// A datagram link on a simulated clock: loses, repeats, delays, reorders and changes datagrams, repeatably.
class SimLink {
 public:
  struct Faults {
    std::size_t loss = 0;                              ///< percent of datagrams lost
    std::size_t repeat = 0;                            ///< percent that arrive twice
    std::size_t corrupt = 0;                           ///< per thousand that have one byte changed
    std::size_t max_delay = 0;                         ///< ms, uniform, so that datagrams overtake each other
    std::optional<TimePoint> cut_from = std::nullopt;  ///< nothing gets through from here …
    TimePoint cut_until = TimePoint::max();            ///< … until here
  };
  struct Arrival {
    TimePoint time;
    std::uint64_t order;
    int to;
    std::vector<std::uint8_t> bytes;
  };

  SimLink(Faults faults, std::uint64_t seed) : faults_(faults), rng_(seed) {}

  void send(int to, ConstBytes datagram, TimePoint now) {
    if (faults_.cut_from && now >= *faults_.cut_from && now < faults_.cut_until) {
      return;
    }
    if (rng_.between(1, 100) <= faults_.loss) {
      return;
    }
    const int copies = rng_.between(1, 100) <= faults_.repeat ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      const auto delay = std::chrono::milliseconds(1 + rng_.between(0, faults_.max_delay));
      Arrival arrival{now + delay, order_++, to, {datagram.begin(), datagram.end()}};
      if (rng_.between(1, 1000) <= faults_.corrupt) {
        arrival.bytes[rng_.between(0, arrival.bytes.size() - 1)] ^=
            static_cast<std::uint8_t>(rng_.between(1, 255));
        ++corrupted_;
      }
      const auto at =
          std::upper_bound(flying_.begin(), flying_.end(), arrival, [](const auto& a, const auto& b) {
            return a.time != b.time ? a.time > b.time : a.order > b.order;
          });
      flying_.insert(at, std::move(arrival));
    }
  }

  [[nodiscard]] std::optional<TimePoint> next() const {
    return flying_.empty() ? std::nullopt : std::optional(flying_.back().time);
  }
  Arrival take() {
    Arrival arrival = std::move(flying_.back());
    flying_.pop_back();
    return arrival;
  }
  [[nodiscard]] std::size_t corrupted() const { return corrupted_; }

 private:
  Faults faults_;
  TestRng rng_;
  std::vector<Arrival> flying_;  // the next one last
  std::uint64_t order_ = 0;
  std::size_t corrupted_ = 0;
};

}  // namespace corliss::test
