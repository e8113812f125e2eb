#pragma once

#include <corliss/io/tls.h>

#include <memory>

#include <openssl/bio.h>
#include <openssl/ssl.h>

namespace corliss::io {

struct TlsContext::State {
  struct Free {
    void operator()(SSL_CTX* made) const noexcept { SSL_CTX_free(made); }
    void operator()(BIO_METHOD* methods) const noexcept { BIO_meth_free(methods); }
  };
  std::unique_ptr<BIO_METHOD, Free> bio;  ///< of `TlsChannel`
  std::unique_ptr<SSL_CTX, Free> context;
  TlsKeyLog key_log;
};

/// How the BIO of a `TlsChannel` moves bytes; null without memory.
[[nodiscard]] BIO_METHOD* make_tls_bio();

}  // namespace corliss::io
