#pragma once

#include <chrono>

namespace corliss {

/// A point on the monotonic clock. Machines below `io` never ask for the time, they are told it.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
/// Seconds since 1970 as Steam writes dates on the wire and in files.
using UnixTime = std::chrono::sys_seconds;

}  // namespace corliss
