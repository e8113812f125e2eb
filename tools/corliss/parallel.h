#pragma once

#include "corliss/command.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace corliss::tools {

/// Calls `work(index, done)` for every index below `count`, on `threads` threads at once (0: one for each
/// CPU), and draws a progress line meanwhile: `work` adds to `done` what it got through of `total`. An
/// exception stops the others at their next index and is thrown here.
void parallel_for(std::size_t count, unsigned threads, const std::string& label, std::uint64_t total,
                  const std::function<void(std::size_t index, std::atomic<std::uint64_t>& done)>& work);

}  // namespace corliss::tools
