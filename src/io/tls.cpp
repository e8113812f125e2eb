#include "io/tls_state.h"

#include <corliss/io/tls.h>

#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace corliss::io {
namespace {

struct Free {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
using CertificatePtr = std::unique_ptr<X509, Free>;

std::unique_ptr<BIO, Free> reader_of(std::string_view pem) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

constexpr std::size_t max_pem_size = std::size_t{1} << 20;

Result<std::shared_ptr<TlsContext::State>> make_state(const SSL_METHOD* method) {
  auto state = std::make_shared<TlsContext::State>();
  state->bio.reset(make_tls_bio());
  state->context.reset(SSL_CTX_new(method));
  if (!state->bio || !state->context ||
      SSL_CTX_set_min_proto_version(state->context.get(), TLS1_2_VERSION) != 1) {
    return fail(Errc::bad_tls_material);
  }
  SSL_CTX_set_session_cache_mode(state->context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(state->context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return state;
}

/// Trusts these certificates and no others.
bool trust(SSL_CTX* context, std::string_view pem) {
  const auto reader = reader_of(pem);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int found = 0;
  while (const CertificatePtr certificate{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) {
      return false;
    }
    ++found;
  }
  return found > 0;
}

bool use_chain(SSL_CTX* context, std::string_view pem) {
  const auto reader = reader_of(pem);
  const CertificatePtr own{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)};
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return false;
  }
  while (CertificatePtr next{PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)}) {
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) {
      return false;
    }
    (void)next.release();
  }
  return true;
}

bool use_key(SSL_CTX* context, std::string_view pem) {
  const auto reader = reader_of(pem);
  // A passphrase is nobody's to ask for here.
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  const std::unique_ptr<EVP_PKEY, Free> key{
      PEM_read_bio_PrivateKey(reader.get(), nullptr, no_passphrase, nullptr)};
  return key && SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
}

}  // namespace

Result<TlsContext> TlsContext::client(std::string_view ca_pem, TlsKeyLog key_log) {
  CORLISS_TRY(const auto state, make_state(TLS_client_method()));
  SSL_CTX* context = state->context.get();
  const bool trusting = ca_pem.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                       : ca_pem.size() <= max_pem_size && trust(context, ca_pem);
  ERR_clear_error();
  if (!trusting) {
    return fail(Errc::bad_tls_material);
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (key_log) {
    state->key_log = std::move(key_log);
    SSL_CTX_set_app_data(context, state.get());
    SSL_CTX_set_keylog_callback(context, [](const SSL* ssl, const char* line) {
      try {
        static_cast<const State*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)))->key_log(line);
      } catch (...) {  // NOLINT(bugprone-empty-catch): C is in between
      }
    });
  }
  return TlsContext(state);
}

Result<TlsContext> TlsContext::server(std::string_view chain_pem, std::string_view key_pem) {
  CORLISS_TRY(const auto state, make_state(TLS_server_method()));
  SSL_CTX* context = state->context.get();
  const bool usable = chain_pem.size() <= max_pem_size && key_pem.size() <= max_pem_size &&
                      use_chain(context, chain_pem) && use_key(context, key_pem);
  ERR_clear_error();
  if (!usable) {
    return fail(Errc::bad_tls_material);
  }
  SSL_CTX_set_num_tickets(context, 0);  // sessions are not resumed
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  return TlsContext(state);
}

}  // namespace corliss::io
