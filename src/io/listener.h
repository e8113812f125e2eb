#pragma once

#include <corliss/io/listener.h>

#include <memory>

#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/ip/v6_only.hpp>

namespace corliss::io {

/// One listening socket, by its kind.
class Listener::Impl {
 public:
  Impl(const asio::any_io_executor& executor, Scheme scheme, ListenOptions given);
  virtual ~Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] const Endpoint& endpoint() const noexcept { return endpoint_; }
  /// `self` keeps it alive.
  [[nodiscard]] virtual asio::awaitable<Result<Connection>> accept(std::shared_ptr<Impl> self) = 0;
  virtual void close() noexcept = 0;

 protected:
  /// A connection for a client that is there, or nothing where it is turned away.
  [[nodiscard]] std::optional<Connection> admit(std::unique_ptr<Transport> transport, const Endpoint& remote);

  asio::any_io_executor executor_;
  Endpoint endpoint_;
  ListenOptions options_;
  Rng& rng_;
  std::uint32_t last_udp_id_ = 0;
};

/// Errors: as Listener::open.
Result<std::shared_ptr<Listener::Impl>> listen_tcp(const asio::any_io_executor& executor, Scheme scheme,
                                                   const asio::ip::tcp::endpoint& at, ListenOptions options);
Result<std::shared_ptr<Listener::Impl>> listen_udp(const asio::any_io_executor& executor,
                                                   const asio::ip::udp::endpoint& at, ListenOptions options);

/// Opens and binds; the first error counts. TCP listens again at once where it listened a moment ago.
template <class Socket>
std::error_code open_at(Socket& socket, const typename Socket::endpoint_type& at) {
  std::error_code error;
  socket.open(at.protocol(), error);
  if constexpr (std::is_same_v<Socket, asio::ip::tcp::acceptor>) {
    if (!error) {
      socket.set_option(asio::socket_base::reuse_address(true), error);
    }
  }
  if (!error && at.address().is_v6()) {
    socket.set_option(asio::ip::v6_only(true), error);
  }
  if (!error) {
    socket.bind(at, error);
  }
  return error;
}

}  // namespace corliss::io
