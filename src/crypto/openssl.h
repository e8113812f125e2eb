#pragma once

#include <corliss/crypto/errc.h>

#include <memory>
#include <system_error>

#include <openssl/bio.h>
#include <openssl/evp.h>

/// libcrypto's objects as C++ owners, and its errors as ours.
namespace corliss::crypto::detail {

template <auto free_function>
struct OpensslFree {
  template <class T>
  void operator()(T* object) const noexcept {
    free_function(object);
  }
};

using EvpCipher = std::unique_ptr<EVP_CIPHER, OpensslFree<EVP_CIPHER_free>>;
using EvpCipherContext = std::unique_ptr<EVP_CIPHER_CTX, OpensslFree<EVP_CIPHER_CTX_free>>;
using EvpKeyContext = std::unique_ptr<EVP_PKEY_CTX, OpensslFree<EVP_PKEY_CTX_free>>;
using EvpKey = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using OpensslBio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;

/// For constructors: throws Errc::library where libcrypto failed to give an object or to do its part.
template <class T>
T&& require(T&& result) {
  if (!result) {
    throw std::system_error(make_error_code(Errc::library));
  }
  return std::forward<T>(result);
}

}  // namespace corliss::crypto::detail
