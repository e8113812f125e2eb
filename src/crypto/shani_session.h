#pragma once

#include "crypto/kernels.h"
#include "crypto/shani_rounds.h"

namespace corliss::crypto::detail {

/// The session of `shani` and of the kernels above it: round keys and pad states, 560 bytes.
struct alignas(16) ShaniSession : Session {
  __m128i encrypt[aes_rounds + 1];
  __m128i decrypt[aes_rounds + 1];
  Sha1Words inner;
  Sha1Words outer;
};

inline const ShaniSession& shani(const Session& session) noexcept {
  return static_cast<const ShaniSession&>(session);
}

}  // namespace corliss::crypto::detail
