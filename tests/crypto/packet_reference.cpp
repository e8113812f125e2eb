#include "crypto/packet_support.h"

#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace corliss::crypto::reference {
namespace {

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

std::optional<Vec> run(const EVP_CIPHER* cipher, ConstBytes key, const std::uint8_t* iv, bool encrypt,
                       bool pad, ConstBytes in) {
  const std::unique_ptr<EVP_CIPHER_CTX, Free> context(EVP_CIPHER_CTX_new());
  Vec out(in.size() + 32);
  int first = 0;
  int last = 0;
  if (EVP_CipherInit_ex2(context.get(), cipher, key.data(), iv, encrypt ? 1 : 0, nullptr) != 1 ||
      EVP_CIPHER_CTX_set_padding(context.get(), pad ? 1 : 0) != 1 ||
      EVP_CipherUpdate(context.get(), out.data(), &first, in.data(), static_cast<int>(in.size())) != 1) {
    throw std::runtime_error("libcrypto");
  }
  if (EVP_CipherFinal_ex(context.get(), out.data() + first, &last) != 1) {
    return std::nullopt;
  }
  out.resize(static_cast<std::size_t>(first + last));
  return out;
}

Vec joined(const Vec& a, ConstBytes b) {
  Vec out(a);
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

}  // namespace

Vec mac(ConstBytes key, ConstBytes nonce, ConstBytes plain) {
  const auto message = joined(copy(nonce), plain);
  Vec out(20);
  unsigned size = 20;
  HMAC(EVP_sha1(), key.data(), 16, message.data(), message.size(), out.data(), &size);
  return out;
}

Vec seal_legacy(ConstBytes key, ConstBytes iv, ConstBytes plain) {
  return joined(*run(EVP_aes_256_ecb(), key, nullptr, true, false, iv),
                *run(EVP_aes_256_cbc(), key, iv.data(), true, true, plain));
}

Vec encrypt_padded(ConstBytes key, ConstBytes iv, ConstBytes padded) {
  return joined(*run(EVP_aes_256_ecb(), key, nullptr, true, false, iv),
                *run(EVP_aes_256_cbc(), key, iv.data(), true, false, padded));
}

Vec seal(ConstBytes key, ConstBytes nonce, ConstBytes plain) {
  auto iv = mac(key, nonce, plain);
  iv.resize(13);
  return seal_legacy(key, joined(iv, nonce), plain);
}

std::optional<Vec> open_legacy(ConstBytes key, ConstBytes packet) {
  if (packet.size() < 32 || packet.size() % 16 != 0) {
    return std::nullopt;
  }
  const auto iv = *run(EVP_aes_256_ecb(), key, nullptr, false, false, packet.first(16));
  return run(EVP_aes_256_cbc(), key, iv.data(), false, true, packet.subspan(16));
}

std::optional<Vec> open(ConstBytes key, ConstBytes packet) {
  auto plain = open_legacy(key, packet);
  if (!plain) {
    return std::nullopt;
  }
  auto iv = *run(EVP_aes_256_ecb(), key, nullptr, false, false, packet.first(16));
  const auto expected = mac(key, ConstBytes(iv).subspan(13), *plain);
  if (!std::equal(iv.begin(), iv.begin() + 13, expected.begin())) {
    return std::nullopt;
  }
  return plain;
}

}  // namespace corliss::crypto::reference
