#include "crypto/openssl.h"

#include <corliss/base/hex.h>
#include <corliss/base/secret.h>
#include <corliss/crypto/rsa.h>

#include <algorithm>
#include <new>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

namespace corliss::crypto {
namespace detail {

void FreeKey::operator()(evp_pkey_st* key) const noexcept {
  EVP_PKEY_free(key);
}

}  // namespace detail

namespace {

using detail::KeyHandle;
using detail::OpensslFree;
using BigNumber = std::unique_ptr<BIGNUM, OpensslFree<BN_clear_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, OpensslFree<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, OpensslFree<OSSL_PARAM_free>>;

/// Errors that libcrypto queued during a call of ours are not left for the caller's next one.
class ErrorQueueGuard {
 public:
  ErrorQueueGuard() noexcept { ERR_set_mark(); }
  ~ErrorQueueGuard() { ERR_pop_to_mark(); }
  ErrorQueueGuard(const ErrorQueueGuard&) = delete;
  ErrorQueueGuard& operator=(const ErrorQueueGuard&) = delete;
};

BigNumber number(const EVP_PKEY* key, const char* name) {
  BIGNUM* value = nullptr;
  EVP_PKEY_get_bn_param(key, name, &value);
  return BigNumber(value);
}

/// Plain RSA (not RSA-PSS) with a modulus and an exponent within the limits.
bool usable(const EVP_PKEY* key) {
  if (key == nullptr || EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA) {
    return false;
  }
  const auto n = number(key, OSSL_PKEY_PARAM_RSA_N);
  const auto e = number(key, OSSL_PKEY_PARAM_RSA_E);
  if (!n || !e) {
    return false;
  }
  const auto bits = static_cast<std::size_t>(BN_num_bits(n.get()));
  const auto exponent_bits = static_cast<std::size_t>(BN_num_bits(e.get()));
  return bits >= min_rsa_bits && bits <= max_rsa_bits && BN_is_odd(n.get()) && BN_is_odd(e.get()) &&
         exponent_bits >= 2 && exponent_bits <= max_rsa_exponent_bits;
}

/// Whether the parts of a private key belong together.
bool consistent(EVP_PKEY* key) {
  const detail::EvpKeyContext context(EVP_PKEY_CTX_new(key, nullptr));
  return context && number(key, OSSL_PKEY_PARAM_RSA_D) && EVP_PKEY_pairwise_check(context.get()) == 1;
}

/// An encrypted PEM must fail. Without a callback libcrypto would ask on the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

detail::OpensslBio reading(std::string_view text) {
  return detail::OpensslBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

bool within_file_limit(std::size_t size) {
  return size > 0 && size <= max_rsa_file_size;
}

/// Runs one of libcrypto's i2d functions, whose length comes from a first call without a buffer.
template <class Function>
std::vector<std::uint8_t> to_der_with(Function i2d) {
  const int size = i2d(nullptr);
  if (size <= 0) {
    throw std::bad_alloc();
  }
  std::vector<std::uint8_t> out(static_cast<std::size_t>(size));
  unsigned char* cursor = out.data();
  i2d(&cursor);
  return out;
}

template <class Function>
std::string to_pem_with(Function write) {
  const detail::OpensslBio bio(BIO_new(BIO_s_secmem()));
  if (!bio || write(bio.get()) != 1) {
    throw std::bad_alloc();
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::vector<std::uint8_t> to_bytes(const BIGNUM* value) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(BN_num_bytes(value)));
  BN_bn2bin(value, out.data());
  return out;
}

using Prepare = int (*)(EVP_PKEY_CTX*);
using Run = int (*)(EVP_PKEY_CTX*, unsigned char*, std::size_t*, const unsigned char*, std::size_t);

/// A context that is ready for one operation with `padding`.
Result<detail::EvpKeyContext> prepared(EVP_PKEY* key, Prepare prepare, int padding) {
  detail::EvpKeyContext context(EVP_PKEY_CTX_new(key, nullptr));
  if (!context || prepare(context.get()) != 1 || EVP_PKEY_CTX_set_rsa_padding(context.get(), padding) != 1) {
    return fail(Errc::library);
  }
  // SHA-1 is libcrypto's default for OAEP and MGF1; said here all the same, since the wire depends on it.
  if (padding == RSA_PKCS1_OAEP_PADDING && (EVP_PKEY_CTX_set_rsa_oaep_md(context.get(), EVP_sha1()) != 1 ||
                                            EVP_PKEY_CTX_set_rsa_mgf1_md(context.get(), EVP_sha1()) != 1)) {
    return fail(Errc::library);
  }
  return context;
}

Result<Bytes> encrypt(EVP_PKEY* key, int padding, std::size_t overhead, ConstBytes plain, Bytes out) {
  const auto size = static_cast<std::size_t>(EVP_PKEY_get_size(key));
  if (plain.size() + overhead > size) {
    return fail(Errc::rsa_failed);
  }
  if (out.size() < size) {
    return fail(BaseErrc::buffer_too_small);
  }
  const ErrorQueueGuard guard;
  CORLISS_TRY(const auto context, prepared(key, EVP_PKEY_encrypt_init, padding));
  std::size_t written = out.size();
  if (EVP_PKEY_encrypt(context.get(), out.data(), &written, plain.data(), plain.size()) != 1 ||
      written != size) {
    wipe(out);
    return fail(Errc::library);
  }
  return out.first(size);
}

Result<Bytes> decrypt(EVP_PKEY* key, int padding, ConstBytes sealed, Bytes out) {
  const auto size = static_cast<std::size_t>(EVP_PKEY_get_size(key));
  if (out.size() < size) {
    return fail(BaseErrc::buffer_too_small);
  }
  const ErrorQueueGuard guard;
  CORLISS_TRY(const auto context, prepared(key, EVP_PKEY_decrypt_init, padding));
  std::size_t written = out.size();
  if (sealed.size() != size ||
      EVP_PKEY_decrypt(context.get(), out.data(), &written, sealed.data(), sealed.size()) != 1) {
    wipe(out);
    return fail(Errc::rsa_failed);
  }
  wipe(out.subspan(written));
  return out.first(written);
}

/// Hexadecimal with any number of digits.
Result<std::vector<std::uint8_t>> number_from_hex(std::string_view text) {
  if (text.size() > max_rsa_file_size) {
    return fail(Errc::bad_key);
  }
  std::string even(text.size() % 2, '0');
  even += text;
  return from_hex(even).map_error([](std::error_code) { return make_error_code(Errc::bad_key); });
}

}  // namespace

Result<RsaPublicKey> RsaPublicKey::from_der(ConstBytes spki) {
  if (!within_file_limit(spki.size())) {
    return fail(Errc::bad_key);
  }
  const ErrorQueueGuard guard;
  const unsigned char* cursor = spki.data();
  KeyHandle key(d2i_PUBKEY(nullptr, &cursor, static_cast<long>(spki.size())));
  if (!usable(key.get()) || cursor != spki.data() + spki.size()) {
    return fail(Errc::bad_key);
  }
  return RsaPublicKey(std::move(key));
}

Result<RsaPublicKey> RsaPublicKey::from_pem(std::string_view text) {
  if (!within_file_limit(text.size())) {
    return fail(Errc::bad_key);
  }
  const ErrorQueueGuard guard;
  const auto bio = reading(text);
  KeyHandle key(bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
  if (!usable(key.get())) {
    return fail(Errc::bad_key);
  }
  return RsaPublicKey(std::move(key));
}

Result<RsaPublicKey> RsaPublicKey::from_numbers(ConstBytes modulus, ConstBytes exponent) {
  if (!within_file_limit(modulus.size()) || !within_file_limit(exponent.size())) {
    return fail(Errc::bad_key);
  }
  const ErrorQueueGuard guard;
  const BigNumber n(BN_bin2bn(modulus.data(), static_cast<int>(modulus.size()), nullptr));
  const BigNumber e(BN_bin2bn(exponent.data(), static_cast<int>(exponent.size()), nullptr));
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return fail(Errc::library);
  }
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  const detail::EvpKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1) {
    return fail(Errc::library);
  }
  EVP_PKEY* made = nullptr;
  EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, params.get());
  KeyHandle key(made);
  if (!usable(key.get())) {
    return fail(Errc::bad_key);
  }
  return RsaPublicKey(std::move(key));
}

Result<RsaPublicKey> RsaPublicKey::from_hex(std::string_view modulus, std::string_view exponent) {
  CORLISS_TRY(const auto n, number_from_hex(modulus));
  CORLISS_TRY(const auto e, number_from_hex(exponent));
  return from_numbers(n, e);
}

std::size_t RsaPublicKey::size() const noexcept {
  return static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()));
}

std::vector<std::uint8_t> RsaPublicKey::modulus() const {
  return to_bytes(number(key_.get(), OSSL_PKEY_PARAM_RSA_N).get());
}

std::vector<std::uint8_t> RsaPublicKey::exponent() const {
  return to_bytes(number(key_.get(), OSSL_PKEY_PARAM_RSA_E).get());
}

std::vector<std::uint8_t> RsaPublicKey::to_der() const {
  return to_der_with([this](unsigned char** out) { return i2d_PUBKEY(key_.get(), out); });
}

std::string RsaPublicKey::to_pem() const {
  return to_pem_with([this](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key_.get()); });
}

Result<Bytes> RsaPublicKey::encrypt_oaep(ConstBytes plain, Bytes out) const {
  return encrypt(key_.get(), RSA_PKCS1_OAEP_PADDING, oaep_overhead, plain, out);
}

Result<Bytes> RsaPublicKey::encrypt_pkcs1(ConstBytes plain, Bytes out) const {
  return encrypt(key_.get(), RSA_PKCS1_PADDING, pkcs1_overhead, plain, out);
}

Result<RsaPrivateKey> RsaPrivateKey::generate(std::size_t bits, std::uint32_t exponent) {
  if (bits < min_rsa_bits || bits > max_rsa_bits || exponent < 3 || exponent % 2 == 0) {
    return fail(Errc::bad_key);
  }
  const ErrorQueueGuard guard;
  const detail::EvpKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  const BigNumber e(BN_new());
  EVP_PKEY* made = nullptr;
  if (!context || !e || BN_set_word(e.get(), exponent) != 1 || EVP_PKEY_keygen_init(context.get()) != 1 ||
      EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), static_cast<int>(bits)) != 1 ||
      EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context.get(), e.get()) != 1 ||
      EVP_PKEY_generate(context.get(), &made) != 1) {
    return fail(Errc::library);
  }
  return RsaPrivateKey(KeyHandle(made));
}

Result<RsaPrivateKey> RsaPrivateKey::from_der(ConstBytes der) {
  if (!within_file_limit(der.size())) {
    return fail(Errc::bad_key);
  }
  const ErrorQueueGuard guard;
  const unsigned char* cursor = der.data();
  KeyHandle key(d2i_AutoPrivateKey(nullptr, &cursor, static_cast<long>(der.size())));
  if (!usable(key.get()) || cursor != der.data() + der.size() || !consistent(key.get())) {
    return fail(Errc::bad_key);
  }
  return RsaPrivateKey(std::move(key));
}

Result<RsaPrivateKey> RsaPrivateKey::from_pem(std::string_view text) {
  if (!within_file_limit(text.size())) {
    return fail(Errc::bad_key);
  }
  const ErrorQueueGuard guard;
  const auto bio = reading(text);
  KeyHandle key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
  if (!usable(key.get()) || !consistent(key.get())) {
    return fail(Errc::bad_key);
  }
  return RsaPrivateKey(std::move(key));
}

std::size_t RsaPrivateKey::size() const noexcept {
  return static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()));
}

Result<RsaPublicKey> RsaPrivateKey::public_key() const {
  return RsaPublicKey::from_der(
      to_der_with([this](unsigned char** out) { return i2d_PUBKEY(key_.get(), out); }));
}

std::vector<std::uint8_t> RsaPrivateKey::to_der() const {
  using Pkcs8 = std::unique_ptr<PKCS8_PRIV_KEY_INFO, OpensslFree<PKCS8_PRIV_KEY_INFO_free>>;
  const Pkcs8 info(EVP_PKEY2PKCS8(key_.get()));
  if (!info) {
    throw std::bad_alloc();
  }
  return to_der_with([&info](unsigned char** out) { return i2d_PKCS8_PRIV_KEY_INFO(info.get(), out); });
}

std::string RsaPrivateKey::to_pem() const {
  return to_pem_with([this](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key_.get(), nullptr, nullptr, 0, no_passphrase, nullptr);
  });
}

Result<Bytes> RsaPrivateKey::decrypt_oaep(ConstBytes sealed, Bytes out) const {
  return decrypt(key_.get(), RSA_PKCS1_OAEP_PADDING, sealed, out);
}

Result<Bytes> RsaPrivateKey::decrypt_pkcs1(ConstBytes sealed, Bytes out) const {
  return decrypt(key_.get(), RSA_PKCS1_PADDING, sealed, out);
}

}  // namespace corliss::crypto
