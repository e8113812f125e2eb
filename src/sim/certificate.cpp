#include "sim/certificate.h"

#include <corliss/crypto/errc.h>

#include <array>
#include <memory>
#include <utility>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace corliss::sim {
namespace {

constexpr long skew_seconds = 24 * 3600;
constexpr long life_seconds = 365 * 24 * 3600;
constexpr int x509_version_3 = 2;

struct Free {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const noexcept { X509_EXTENSION_free(extension); }
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

bool extend(X509* certificate, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool fill_in(X509* certificate, EVP_PKEY* key) {
  std::array<unsigned char, 8> serial{};
  const auto* const name = reinterpret_cast<const unsigned char*>("Corliss: a Steam in a box");
  X509_NAME* const subject = X509_get_subject_name(certificate);
  if (RAND_bytes(serial.data(), static_cast<int>(serial.size())) != 1) {
    return false;
  }
  std::uint64_t number = 0;
  for (const unsigned char byte : serial) {
    number = number << 8 | byte;
  }
  return X509_set_version(certificate, x509_version_3) == 1 &&
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number >> 1 | 1) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -skew_seconds) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), life_seconds) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         extend(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         extend(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

template <class Write>
std::string pem_of(Write write) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  if (!out || write(out.get()) != 1) {
    return {};
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Result<Certificate> make_certificate() {
  const Owned<EVP_PKEY> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const Owned<X509> certificate(X509_new());
  if (!key || !certificate || !fill_in(certificate.get(), key.get())) {
    return fail(crypto::Errc::library);
  }
  Certificate made{pem_of([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); }),
                   pem_of([&](BIO* out) {
                     return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
                   })};
  if (made.chain_pem.empty() || made.key_pem.empty()) {
    return fail(crypto::Errc::library);
  }
  return made;
}

}  // namespace corliss::sim
