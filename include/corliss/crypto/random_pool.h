#pragma once

#include <corliss/base/rng.h>

namespace corliss::crypto {

/// The random generator of production code: libcrypto's CSPRNG behind a small pool of each thread, since a
/// call of the CSPRNG costs about as much as half a packet. `&system_rng()` is the same in every thread and
/// may be used in all of them at once; it blocks nobody.
///
/// Bytes are handed out once and wiped as they are taken; what is left is wiped when the thread ends. The
/// pool lies in a page that the kernel wipes in a child process (MADV_WIPEONFORK: fork and raw clone alike;
/// where Linux is older than 4.14, pthread_atfork, which covers fork only), so a child never repeats its
/// parent. More than a quarter of the pool at once comes straight from the CSPRNG. Allocates one page a
/// thread, once. Not for signal handlers. Errors of `fill`: BaseErrc::random_unavailable when the CSPRNG
/// fails; nothing random is written.
[[nodiscard]] Rng& system_rng() noexcept;

}  // namespace corliss::crypto
