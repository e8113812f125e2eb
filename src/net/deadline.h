#pragma once

#include <corliss/base/time.h>

namespace corliss::net {

/// `from + delay`; Duration::max() means never, and so do sums that the clock cannot hold.
[[nodiscard]] inline TimePoint after(TimePoint from, Duration delay) noexcept {
  if (delay <= Duration::zero()) {
    return from;
  }
  return delay >= TimePoint::max() - from ? TimePoint::max() : from + delay;
}

}  // namespace corliss::net
