#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

namespace corliss {

/// A source of random bytes, passed to everything that needs some, so that tests can be repeated.
/// Production code passes `crypto::system_rng()`.
class Rng {
 public:
  virtual ~Rng() = default;
  /// Fills `out` whole, or fails with BaseErrc::random_unavailable and leaves `out` wiped.
  [[nodiscard]] virtual Result<void> fill(Bytes out) noexcept = 0;

 protected:
  Rng() = default;
  Rng(const Rng&) = default;
  Rng& operator=(const Rng&) = default;
};

}  // namespace corliss
