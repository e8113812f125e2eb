#pragma once

#include <corliss/base/bytes.h>

#include <array>
#include <memory>

struct evp_md_st;
struct evp_md_ctx_st;

namespace corliss::crypto {

using Sha1Digest = std::array<std::uint8_t, 20>;
using Sha256Digest = std::array<std::uint8_t, 32>;

namespace detail {

/// A fetched digest and a context for it.
class Hasher {
 public:
  explicit Hasher(const char* algorithm);
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  ~Hasher();

  void update(ConstBytes bytes);
  void finish(Bytes digest);

 private:
  struct FreeMd {
    void operator()(evp_md_st* md) const noexcept;
  };
  struct FreeContext {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_st, FreeMd> md_;
  std::unique_ptr<evp_md_ctx_st, FreeContext> context_;
};

}  // namespace detail

/// A hash over pieces, on libcrypto. It may be used again and again and allocates only when it is made. Not
/// for two threads at once. Throws std::system_error (Errc::library) if libcrypto lacks the algorithm or
/// memory.
///
///     Sha1 hash;                     // keep it
///     hash.update(first); hash.update(second);
///     const Sha1Digest id = hash.finish();   // ready for the next message
template <class Digest>
class Hash {
 public:
  Hash();
  void update(ConstBytes bytes) { hasher_.update(bytes); }
  /// The digest of everything since the last finish(); the next message starts here.
  [[nodiscard]] Digest finish() {
    Digest digest;
    hasher_.finish(digest);
    return digest;
  }

 private:
  detail::Hasher hasher_;
};

template <>
Hash<Sha1Digest>::Hash();
template <>
Hash<Sha256Digest>::Hash();

/// SHA-1: chunk ids, file hashes, Steam Guard. Its collisions are no secret; Steam's formats name it.
using Sha1 = Hash<Sha1Digest>;
using Sha256 = Hash<Sha256Digest>;

/// One-shot forms, any thread. They allocate a context each time: keep a `Sha1` where that counts.
[[nodiscard]] Sha1Digest sha1(ConstBytes bytes);
[[nodiscard]] Sha256Digest sha256(ConstBytes bytes);

/// HMAC (RFC 2104) with a key of any length, the empty one included. Any thread; allocates. Compare the
/// result with `constant_time_equal`. Throws std::system_error (Errc::library) as above.
[[nodiscard]] Sha1Digest hmac_sha1(ConstBytes key, ConstBytes bytes);
[[nodiscard]] Sha256Digest hmac_sha256(ConstBytes key, ConstBytes bytes);

}  // namespace corliss::crypto
