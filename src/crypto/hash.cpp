#include "crypto/openssl.h"

#include <corliss/crypto/hash.h>

#include <openssl/hmac.h>

namespace corliss::crypto {
namespace detail {

void Hasher::FreeMd::operator()(evp_md_st* md) const noexcept {
  EVP_MD_free(md);
}
void Hasher::FreeContext::operator()(evp_md_ctx_st* context) const noexcept {
  EVP_MD_CTX_free(context);
}

Hasher::Hasher(const char* algorithm)
    : md_(require(EVP_MD_fetch(nullptr, algorithm, nullptr))), context_(require(EVP_MD_CTX_new())) {
  require(EVP_DigestInit_ex2(context_.get(), md_.get(), nullptr) == 1);
}

Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;
Hasher::~Hasher() = default;

void Hasher::update(ConstBytes bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

void Hasher::finish(Bytes digest) {
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1 &&
          EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) == 1);
}

}  // namespace detail

template <>
Hash<Sha1Digest>::Hash() : hasher_("SHA1") {}
template <>
Hash<Sha256Digest>::Hash() : hasher_("SHA2-256") {}

Sha1Digest sha1(ConstBytes bytes) {
  Sha1 hash;
  hash.update(bytes);
  return hash.finish();
}

Sha256Digest sha256(ConstBytes bytes) {
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
