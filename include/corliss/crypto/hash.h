#pragma once

#include <corliss/base/bytes.h>

#include <array>

namespace corliss::crypto {

using Sha1Digest = std::array<std::uint8_t, 20>;
using Sha256Digest = std::array<std::uint8_t, 32>;

/// A hash over pieces, on libcrypto. It may be used again and again, allocates nothing and cannot fail. A
/// copy goes on from the same state. Not for two threads at once.
///
///     Sha1 hash;
///     hash.update(first); hash.update(second);
///     const Sha1Digest id = hash.finish();   // ready for the next message
template <class Digest>
class Hash {
 public:
  Hash() noexcept;
  void update(ConstBytes bytes) noexcept;
  /// The digest of everything since the last finish(); the next message starts here.
  [[nodiscard]] Digest finish() noexcept;

 private:
  alignas(8) std::array<std::uint8_t, 112> state_;  // SHA_CTX or SHA256_CTX
};

template <>
Hash<Sha1Digest>::Hash() noexcept;
template <>
void Hash<Sha1Digest>::update(ConstBytes bytes) noexcept;
template <>
Sha1Digest Hash<Sha1Digest>::finish() noexcept;
template <>
Hash<Sha256Digest>::Hash() noexcept;
template <>
void Hash<Sha256Digest>::update(ConstBytes bytes) noexcept;
template <>
Sha256Digest Hash<Sha256Digest>::finish() noexcept;

/// SHA-1: chunk ids, file hashes, Steam Guard. Its collisions are no secret; Steam's formats name it.
using Sha1 = Hash<Sha1Digest>;
using Sha256 = Hash<Sha256Digest>;

/// One-shot forms, any thread. They allocate nothing.
[[nodiscard]] Sha1Digest sha1(ConstBytes bytes) noexcept;
[[nodiscard]] Sha256Digest sha256(ConstBytes bytes) noexcept;

/// HMAC (RFC 2104) with a key of any length, the empty one included. Any thread; allocates. Compare the
/// result with `constant_time_equal`. Throws std::system_error (Errc::library) where libcrypto lacks memory.
[[nodiscard]] Sha1Digest hmac_sha1(ConstBytes key, ConstBytes bytes);
[[nodiscard]] Sha256Digest hmac_sha256(ConstBytes key, ConstBytes bytes);

}  // namespace corliss::crypto
