#include "io/listener.h"

#include "io/await.h"
#include "io/channels.h"
#include "io/socket_transport.h"
#include "io/tls_channel.h"

#include <corliss/crypto/random_pool.h>
#include <corliss/net/tcp_channel.h>

#include <utility>

namespace corliss::io {

Listener::Impl::Impl(const asio::any_io_executor& executor, Scheme scheme, ListenOptions given)
    : executor_(executor),
      options_(std::move(given)),
      rng_(options_.rng == nullptr ? crypto::system_rng() : *options_.rng) {
  endpoint_.scheme = scheme;
}

std::optional<Connection> Listener::Impl::admit(std::unique_ptr<Transport> transport,
                                                const Endpoint& remote) {
  const TimePoint now = TimePoint::clock::now();
  auto handshake = options_.handshake;
  auto channel_with = channel_options(endpoint_.scheme, options_.limits, options_.timeouts);
  WrapChannel wrap;
  WrapChannel wrap_inside_tls;
  if (options_.on_accept) {
    options_.on_accept({remote, handshake, channel_with, transport, wrap, wrap_inside_tls});
    if (!transport) {
      return std::nullopt;
    }
  }
  std::unique_ptr<net::Channel> channel;
  switch (endpoint_.scheme) {
    case Scheme::tcp:
      channel = std::make_unique<net::TcpChannel>(
          net::TcpChannel::server(std::move(handshake), channel_with, rng_, now));
      break;
    case Scheme::udp:
      last_udp_id_ = last_udp_id_ == 0xffffffff ? 1 : last_udp_id_ + 1;
      channel = std::make_unique<net::UdpChannel>(
          net::UdpChannel::server(std::move(handshake), last_udp_id_, channel_with, rng_, now));
      break;
    case Scheme::ws:
    case Scheme::wss:
      channel = std::make_unique<net::WebSocketChannel>(net::WebSocketChannel::server(channel_with, now));
      break;
  }
  if (endpoint_.scheme == Scheme::wss) {
    if (wrap_inside_tls) {
      channel = wrap_inside_tls(std::move(channel));
    }
    auto secured = TlsChannel::server(*options_.tls, std::move(channel));
    if (!secured) {
      return std::nullopt;
    }
    channel = *std::move(secured);
  }
  if (wrap) {
    channel = wrap(std::move(channel));
  }
  return Connection(executor_, std::move(transport), std::move(channel), remote);
}

namespace {

class TcpListener final : public Listener::Impl {
 public:
  TcpListener(const asio::any_io_executor& executor, Scheme scheme, ListenOptions given)
      : Impl(executor, scheme, std::move(given)), acceptor_(executor) {}

  std::error_code open(const asio::ip::tcp::endpoint& at) {
    auto error = open_at(acceptor_, at);
    if (!error) {
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (!error) {
      endpoint_ = endpoint_of(endpoint_.scheme, acceptor_.local_endpoint(error));
    }
    return error;
  }

  asio::awaitable<Result<Connection>> accept(std::shared_ptr<Impl>) override {
    for (;;) {
      if (!acceptor_.is_open()) {
        co_return fail(Errc::listener_closed);
      }
      asio::ip::tcp::socket socket(executor_);
      const auto [error] = co_await acceptor_.async_accept(socket, quietly);
      if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
        co_return fail(Errc::cancelled);
      }
      std::error_code gone;
      const auto remote = socket.remote_endpoint(gone);
      if (!error && !gone) {
        const Endpoint who = endpoint_of(endpoint_.scheme, remote);
        if (auto connection = admit(make_transport(std::move(socket)), who)) {
          co_return *std::move(connection);
        }
      } else if (error && acceptor_.is_open() && error != std::errc::connection_aborted) {
        co_return fail(from_system(error));
      }
    }
  }

  void close() noexcept override {
    std::error_code ignored;
    acceptor_.close(ignored);
  }

 private:
  asio::ip::tcp::acceptor acceptor_;
};

}  // namespace

Result<std::shared_ptr<Listener::Impl>> listen_tcp(const asio::any_io_executor& executor, Scheme scheme,
                                                   const asio::ip::tcp::endpoint& at, ListenOptions options) {
  auto listener = std::make_shared<TcpListener>(executor, scheme, std::move(options));
  if (const auto error = listener->open(at)) {
    return fail(from_system(error));
  }
  return listener;
}

Result<Listener> Listener::open(const asio::any_io_executor& executor, const Endpoint& endpoint,
                                ListenOptions options) {
  if (endpoint.scheme == Scheme::wss && !options.tls) {
    return fail(Errc::bad_tls_material);
  }
  std::error_code not_literal;
  const auto address = asio::ip::make_address(endpoint.host, not_literal);
  if (not_literal) {
    return fail(Errc::bad_endpoint);
  }
  auto made = endpoint.scheme == Scheme::udp
                  ? listen_udp(executor, {address, endpoint.port}, std::move(options))
                  : listen_tcp(executor, endpoint.scheme, {address, endpoint.port}, std::move(options));
  if (!made) {
    return fail(made.error());
  }
  return Listener(*std::move(made));
}

Listener::Listener(std::shared_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Listener::Listener(Listener&&) noexcept = default;

Listener& Listener::operator=(Listener&& other) noexcept {
  Listener ended(std::move(other));
  impl_.swap(ended.impl_);
  return *this;
}

Listener::~Listener() {
  close();
}

const Endpoint& Listener::endpoint() const noexcept {
  return impl_->endpoint();
}

asio::awaitable<Result<Connection>> Listener::accept() {
  return impl_->accept(impl_);
}

void Listener::close() noexcept {
  if (impl_) {
    impl_->close();
  }
}

}  // namespace corliss::io
