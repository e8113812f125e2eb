// EVP makes a new state for every message; the functions below it work in the caller's.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "crypto/openssl.h"

#include <corliss/crypto/hash.h>

#include <new>

#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace corliss::crypto {
namespace {

static_assert(sizeof(SHA_CTX) <= sizeof(Sha1) && alignof(SHA_CTX) <= alignof(Sha1));
static_assert(sizeof(SHA256_CTX) <= sizeof(Sha256) && alignof(SHA256_CTX) <= alignof(Sha256));

template <class Context, class State>
Context* context_in(State& state) noexcept {
  return std::launder(reinterpret_cast<Context*>(state.data()));
}

}  // namespace

template <>
Hash<Sha1Digest>::Hash() noexcept : state_{} {
  SHA1_Init(new (state_.data()) SHA_CTX);
}
template <>
void Hash<Sha1Digest>::update(ConstBytes bytes) noexcept {
  SHA1_Update(context_in<SHA_CTX>(state_), bytes.data(), bytes.size());
}
template <>
Sha1Digest Hash<Sha1Digest>::finish() noexcept {
  Sha1Digest digest;
  SHA1_Final(digest.data(), context_in<SHA_CTX>(state_));
  SHA1_Init(context_in<SHA_CTX>(state_));
  return digest;
}

template <>
Hash<Sha256Digest>::Hash() noexcept : state_{} {
  SHA256_Init(new (state_.data()) SHA256_CTX);
}
template <>
void Hash<Sha256Digest>::update(ConstBytes bytes) noexcept {
  SHA256_Update(context_in<SHA256_CTX>(state_), bytes.data(), bytes.size());
}
template <>
Sha256Digest Hash<Sha256Digest>::finish() noexcept {
  Sha256Digest digest;
  SHA256_Final(digest.data(), context_in<SHA256_CTX>(state_));
  SHA256_Init(context_in<SHA256_CTX>(state_));
  return digest;
}

Sha1Digest sha1(ConstBytes bytes) noexcept {
  Sha1 hash;
  hash.update(bytes);
  return hash.finish();
}

Sha256Digest sha256(ConstBytes bytes) noexcept {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

namespace {

template <class Digest>
Digest hmac(const EVP_MD* md, ConstBytes key, ConstBytes bytes) {
  static constexpr std::uint8_t empty_key = 0;  // libcrypto takes a null key for "the key of before"
  const void* key_data = key.empty() ? &empty_key : key.data();
  Digest digest;
  detail::require(key.size() <= INT_MAX && HMAC(md, key_data, static_cast<int>(key.size()), bytes.data(),
                                                bytes.size(), digest.data(), nullptr) != nullptr);
  return digest;
}

}  // namespace

Sha1Digest hmac_sha1(ConstBytes key, ConstBytes bytes) {
  return hmac<Sha1Digest>(EVP_sha1(), key, bytes);
}
Sha256Digest hmac_sha256(ConstBytes key, ConstBytes bytes) {
  return hmac<Sha256Digest>(EVP_sha256(), key, bytes);
}

}  // namespace corliss::crypto
