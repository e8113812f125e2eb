#pragma once

#include <corliss/base/bytes.h>

#include <cstddef>
#include <functional>

/// Watches what this program allocates through `operator new` and through libcrypto.
namespace corliss::test {

/// Allocations of this thread since it started.
std::size_t allocations() noexcept;
/// Bytes of this thread's allocations since it started, frees not subtracted.
std::size_t allocated_bytes() noexcept;

/// Calls `look` with every block that any thread frees, before it is freed; null to stop.
void watch_frees(void (*look)(ConstBytes block)) noexcept;
/// Calls `look` with every block that is alive now and was allocated while frees were watched.
void for_each_watched_block(void (*look)(ConstBytes block)) noexcept;

}  // namespace corliss::test
