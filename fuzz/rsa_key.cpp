// Key files are the one thing that `crypto` parses: DER and PEM, public and private. The first byte picks the
// parser.
#include "fuzz.h"

#include <corliss/crypto/rsa.h>

#include <vector>

namespace {

using corliss::crypto::RsaPrivateKey;
using corliss::crypto::RsaPublicKey;

void check(const corliss::Result<RsaPublicKey>& key) {
  if (!key) {
    FUZZ_CHECK(key.error() == corliss::crypto::Errc::bad_key);
    return;
  }
  FUZZ_CHECK(key->size() * 8 >= corliss::crypto::min_rsa_bits &&
             key->size() * 8 <= corliss::crypto::max_rsa_bits);
  const auto again = RsaPublicKey::from_der(key->to_der());
  FUZZ_CHECK(again && again->modulus() == key->modulus() && again->exponent() == key->exponent());
  std::vector<std::uint8_t> out(key->size());
  (void)key->encrypt_oaep({}, out);
}

void check(const corliss::Result<RsaPrivateKey>& key) {
  if (!key) {
    FUZZ_CHECK(key.error() == corliss::crypto::Errc::bad_key);
    return;
  }
  FUZZ_CHECK(RsaPrivateKey::from_pem(key->to_pem()).has_value());
  check(key->public_key());
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  const auto body = input.subspan(1);
  switch (input[0] % 5) {
    case 0:
      return check(RsaPublicKey::from_der(body));
    case 1:
      return check(RsaPublicKey::from_pem(corliss::text_of(body)));
    case 2:
      return check(RsaPrivateKey::from_der(body));
    case 3:
      return check(RsaPrivateKey::from_pem(corliss::text_of(body)));
    default:
      return check(RsaPublicKey::from_hex(corliss::text_of(body), "11"));
  }
}
