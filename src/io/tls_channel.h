#pragma once

#include "net/send_queue.h"

#include <corliss/base/buffer.h>
#include <corliss/io/tls.h>
#include <corliss/net/channel.h>

#include <functional>
#include <memory>
#include <string>

#include <openssl/ssl.h>

namespace corliss::io {

/// TLS around another channel: it too owns no socket. OpenSSL reads from the input that is fed and writes to
/// a queue, through a BIO of ours; asio's own TLS stream keeps four buffers of 17 KiB for each connection,
/// this keeps none when idle. Messages, deadlines and the end are the inner channel's; a failure of TLS is
/// its reason.
class TlsChannel final : public net::Channel {
 public:
  /// `host` is what the certificate must be for: a name or an address literal. `on_encrypted` is called once,
  /// when the certificate is verified and TLS stands. Errors: Errc::no_memory.
  static Result<std::unique_ptr<net::Channel>> client(const TlsContext& context, const std::string& host,
                                                      std::unique_ptr<net::Channel> inner,
                                                      std::function<void()> on_encrypted);
  static Result<std::unique_ptr<net::Channel>> server(const TlsContext& context,
                                                      std::unique_ptr<net::Channel> inner);

  [[nodiscard]] Result<void> feed(Bytes input, TimePoint now) override;
  [[nodiscard]] Result<void> end_of_input(TimePoint now) override;
  void fail(std::error_code reason) noexcept override { inner_->fail(reason); }
  [[nodiscard]] std::optional<net::Event> poll_event() override;
  [[nodiscard]] Result<Bytes> prepare(std::size_t size) override { return inner_->prepare(size); }
  [[nodiscard]] Result<void> commit(TimePoint now) override { return inner_->commit(now); }
  [[nodiscard]] Result<void> close(TimePoint now) override { return inner_->close(now); }
  [[nodiscard]] ConstBytes outgoing() override;
  void sent(std::size_t count, TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> deadline() const noexcept override { return inner_->deadline(); }
  [[nodiscard]] Result<void> on_deadline(TimePoint now) override { return inner_->on_deadline(now); }
  [[nodiscard]] bool connected() const noexcept override { return inner_->connected(); }
  [[nodiscard]] std::size_t queued() const noexcept override { return inner_->queued(); }
  void trim() noexcept override;

 private:
  friend BIO_METHOD* make_tls_bio();
  struct Free {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  };

  TlsChannel(const TlsContext& context, std::unique_ptr<net::Channel> inner);
  [[nodiscard]] bool prepare_ssl(bool client, const std::string& host);

  [[nodiscard]] bool shake_hands();
  [[nodiscard]] bool decrypt();
  void encrypt();
  void fail_tls();

  std::shared_ptr<TlsContext::State> context_;
  std::unique_ptr<net::Channel> inner_;
  std::unique_ptr<SSL, Free> ssl_;
  std::function<void()> on_encrypted_;

  ConstBytes input_;  ///< not read by OpenSSL yet
  Buffer plain_;      ///< what the inner channel was fed last
  net::SendQueue cipher_;
  std::size_t encrypted_ = 0;  ///< bytes of the inner channel that `cipher_` holds
  std::int32_t detail_ = 0;    ///< why the certificate does not verify
  bool established_ = false;
  bool peer_ended_ = false;  ///< close_notify came
  bool said_goodbye_ = false;
  bool broken_ = false;
};

}  // namespace corliss::io
