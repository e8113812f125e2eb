#include "io/tls_channel.h"

#include "io/tls_state.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace corliss::io {
namespace {

/// Bytes of the inner channel that are encrypted in one go; a record holds 16 KiB.
constexpr std::size_t max_encrypted = std::size_t{64} << 10;
constexpr std::size_t record_size = std::size_t{16} << 10;

}  // namespace

BIO_METHOD* make_tls_bio() {
  BIO_METHOD* method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "corliss");
  if (method == nullptr) {
    return nullptr;
  }
  BIO_meth_set_read_ex(method, [](BIO* bio, char* out, std::size_t size, std::size_t* count) {
    auto& self = *static_cast<TlsChannel*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    *count = std::min(size, self.input_.size());
    if (*count == 0) {
      BIO_set_retry_read(bio);
      return 0;
    }
    std::memcpy(out, self.input_.data(), *count);
    self.input_ = self.input_.subspan(*count);
    return 1;
  });
  BIO_meth_set_write_ex(method, [](BIO* bio, const char* data, std::size_t size, std::size_t* count) {
    auto& self = *static_cast<TlsChannel*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    try {  // C is in between
      self.cipher_.filling().append({reinterpret_cast<const std::uint8_t*>(data), size});
    } catch (const std::bad_alloc&) {
      return 0;
    }
    *count = size;
    return 1;
  });
  BIO_meth_set_ctrl(method,
                    [](BIO*, int command, long, void*) -> long { return command == BIO_CTRL_FLUSH ? 1 : 0; });
  return method;
}

TlsChannel::TlsChannel(const TlsContext& context, std::unique_ptr<net::Channel> inner)
    : context_(context.state()), inner_(std::move(inner)), ssl_(SSL_new(context_->context.get())) {}

Result<std::unique_ptr<net::Channel>> TlsChannel::client(const TlsContext& context, const std::string& host,
                                                         std::unique_ptr<net::Channel> inner,
                                                         std::function<void()> on_encrypted) {
  std::unique_ptr<TlsChannel> out(new TlsChannel(context, std::move(inner)));
  if (!out->prepare_ssl(true, host)) {
    return corliss::fail(Errc::no_memory);
  }
  out->on_encrypted_ = std::move(on_encrypted);
  (void)out->shake_hands();  // an error is an event
  return out;
}

Result<std::unique_ptr<net::Channel>> TlsChannel::server(const TlsContext& context,
                                                         std::unique_ptr<net::Channel> inner) {
  std::unique_ptr<TlsChannel> out(new TlsChannel(context, std::move(inner)));
  if (!out->prepare_ssl(false, {})) {
    return corliss::fail(Errc::no_memory);
  }
  return out;
}

bool TlsChannel::prepare_ssl(bool client, const std::string& host) {
  BIO* bio = ssl_ ? BIO_new(context_->bio.get()) : nullptr;
  if (bio == nullptr) {
    return false;
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  if (!client) {
    SSL_set_accept_state(ssl_.get());
    return true;
  }
  SSL_set_connect_state(ssl_.get());
  std::error_code not_literal;
  asio::ip::make_address(host, not_literal);
  if (!not_literal) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str()) == 1;
  }
  SSL_set_hostflags(ssl_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl_.get(), host.c_str()) == 1 &&
         SSL_set_tlsext_host_name(ssl_.get(), host.c_str()) == 1;
}

/// The alert that OpenSSL has queued still goes out.
void TlsChannel::fail_tls() {
  const long verified = SSL_get_verify_result(ssl_.get());
  ERR_clear_error();
  broken_ = true;
  if (!established_ && verified != X509_V_OK) {
    detail_ = static_cast<std::int32_t>(verified);
    inner_->fail(Errc::bad_certificate);
  } else {
    inner_->fail(Errc::tls_failed);
  }
}

/// Whether TLS stands.
bool TlsChannel::shake_hands() {
  if (established_ || broken_) {
    return established_;
  }
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_.get());
  if (done != 1) {
    if (SSL_get_error(ssl_.get(), done) != SSL_ERROR_WANT_READ) {
      fail_tls();
    }
    return false;
  }
  established_ = true;
  if (auto told = std::exchange(on_encrypted_, nullptr)) {
    told();
  }
  return true;
}

/// Whether the peer may go on.
bool TlsChannel::decrypt() {
  for (;;) {
    const std::size_t before = plain_.size();
    const Bytes room = plain_.extend(record_size);
    std::size_t count = 0;
    ERR_clear_error();
    const int done = SSL_read_ex(ssl_.get(), room.data(), room.size(), &count);
    plain_.truncate(before + count);
    if (done == 1) {
      continue;
    }
    switch (SSL_get_error(ssl_.get(), done)) {
      case SSL_ERROR_WANT_READ:
        return true;
      case SSL_ERROR_ZERO_RETURN:
        peer_ended_ = true;
        return true;
      default:
        return false;
    }
  }
}

Result<void> TlsChannel::feed(Bytes input, TimePoint now) {
  plain_.clear();
  input_ = input;
  const bool good = !shake_hands() || broken_ || decrypt();
  input_ = {};
  auto fed = inner_->feed(plain_.bytes(), now);  // what came before a failure is told
  if (!good) {
    fail_tls();
    return corliss::fail(Errc::tls_failed);
  }
  if (peer_ended_ && fed) {
    return inner_->end_of_input(now);
  }
  return fed;
}

Result<void> TlsChannel::end_of_input(TimePoint now) {
  // Without close_notify the stream may have been cut; the frames of the inner channel tell whether inside
  // one.
  return inner_->end_of_input(now);
}

std::optional<net::Event> TlsChannel::poll_event() {
  auto event = inner_->poll_event();
  if (event && detail_ != 0) {
    if (auto* closed = std::get_if<net::Closed>(&*event);
        closed != nullptr && closed->reason == Errc::bad_certificate) {
      closed->detail = detail_;
    }
  }
  return event;
}

void TlsChannel::encrypt() {
  const ConstBytes plain = inner_->outgoing();
  ERR_clear_error();
  if (!plain.empty()) {
    std::size_t count = 0;
    const ConstBytes part = plain.first(std::min(plain.size(), max_encrypted));
    while (encrypted_ < part.size()) {
      if (SSL_write_ex(ssl_.get(), part.data() + encrypted_, part.size() - encrypted_, &count) != 1) {
        fail_tls();
        return;
      }
      encrypted_ += count;
    }
  } else if (!inner_->deadline() && !std::exchange(said_goodbye_, true)) {
    (void)SSL_shutdown(ssl_.get());  // close_notify
  }
}

ConstBytes TlsChannel::outgoing() {
  if (cipher_.outgoing().empty()) {
    if (established_ && !broken_) {
      encrypt();
    }
    cipher_.turn();
  }
  return cipher_.outgoing();
}

void TlsChannel::sent(std::size_t count, TimePoint now) {
  cipher_.sent(count, now);
  if (cipher_.outgoing().empty() && encrypted_ > 0) {
    inner_->sent(std::exchange(encrypted_, 0), now);
  }
}

void TlsChannel::trim() noexcept {
  inner_->trim();
  plain_.release();
  cipher_.trim();
  SSL_free_buffers(ssl_.get());
}

}  // namespace corliss::io
