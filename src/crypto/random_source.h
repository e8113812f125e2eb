#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

#include <cstddef>

namespace corliss::crypto::detail {

/// What stands behind the pools; tests put failing ones in. Not for use while other threads draw.
struct RandomSource {
  int (*generate)(unsigned char* out, int count);           ///< RAND_priv_bytes: 1 when it worked.
  int (*advise)(void* page, std::size_t size, int advice);  ///< madvise.
  int (*unmap)(void* page, std::size_t size);               ///< munmap.
};
/// Replaces the source and returns the one before. The calling thread's pool is wiped and starts anew.
RandomSource exchange_random_source(RandomSource source) noexcept;

inline constexpr std::size_t random_pool_size = 1024;

/// `system_rng().fill(out)` without the virtual call.
[[nodiscard]] Result<void> draw_random(Bytes out) noexcept;

/// The unused bytes of this thread's pool, for the test of wiping; empty before the first draw.
[[nodiscard]] ConstBytes random_pool_page() noexcept;

}  // namespace corliss::crypto::detail
