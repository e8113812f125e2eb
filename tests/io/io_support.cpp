#include "io/io_support.h"

#include <memory>
#include <system_error>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace corliss::io::test {
namespace {

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return out;
}

void add_extension(X509* certificate, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate make_certificate() {
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 24 * 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("corliss test"),
                             -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
  add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate, key, EVP_sha256());

  BIO* chain = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(chain, certificate);
  BIO* key_out = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(key_out, key, nullptr, nullptr, 0, nullptr, nullptr);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return {text_of(chain), text_of(key_out)};
}

}  // namespace

const Certificate& certificate() {
  static const Certificate made = make_certificate();
  return made;
}

Endpoint loopback(Scheme scheme) {
  return {scheme, "127.0.0.1", 0};
}

ListenOptions server_options() {
  ListenOptions out;
  out.handshake.key = &net::test::server_key();
  out.tls = TlsContext::server(certificate().chain, certificate().key).value();
  return out;
}

ConnectOptions client_options() {
  ConnectOptions out;
  out.handshake.key = &net::test::server_public_key();
  out.tls = TlsContext::client(certificate().chain).value();
  return out;
}

asio::awaitable<Connection> connect(Endpoint endpoint, ConnectOptions options) {
  auto connection = co_await Connection::connect(std::move(endpoint), std::move(options));
  if (!connection) {
    throw std::system_error(connection.error(), "connect");
  }
  co_return *std::move(connection);
}

asio::awaitable<Message> receive(Connection& connection) {
  const auto event = co_await connection.receive();
  if (!event) {
    throw std::system_error(event.error(), "receive");
  }
  if (const auto* closed = std::get_if<net::Closed>(&*event)) {
    throw std::system_error(closed->reason, "receive: closed");
  }
  const auto message = std::get<net::Received>(*event).message;
  co_return Message(message.begin(), message.end());
}

asio::awaitable<Connection> accept_one(Listener& listener) {
  auto connection = (co_await listener.accept()).value();
  listener.close();
  co_return connection;
}

asio::awaitable<void> echo_one(Listener& listener) {
  auto connection = co_await accept_one(listener);
  while (const auto event = co_await connection.receive()) {
    if (const auto* received = std::get_if<net::Received>(&*event)) {
      const Message copy(received->message.begin(), received->message.end());
      (void)co_await connection.send(copy);
    }
  }
}

void Loop::spawn(std::function<asio::awaitable<void>()> coroutine) {
  asio::co_spawn(context, std::move(coroutine), [](const std::exception_ptr& thrown) {
    try {
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  });
}

void Loop::run() {
  context.run_for(10s);
  EXPECT_TRUE(context.stopped()) << "something still waits";
}

}  // namespace corliss::io::test
