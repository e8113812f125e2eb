#pragma once

#include <corliss/base/result.h>
#include <corliss/base/rng.h>
#include <corliss/io/connection.h>
#include <corliss/io/endpoint.h>
#include <corliss/io/tls.h>
#include <corliss/io/transport.h>
#include <corliss/net/handshake.h>

#include <functional>
#include <memory>
#include <optional>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

namespace corliss::io {

/// UDP sessions of one listener, at most; further clients are not answered. TCP is limited by descriptors.
inline constexpr std::size_t max_udp_sessions = 65536;

/// Gives a channel that is driven instead of the one it is given, which it owns then.
using WrapChannel = std::function<std::unique_ptr<net::Channel>(std::unique_ptr<net::Channel>)>;

/// What may be changed for each client, before its connection is made.
struct Accepting {
  const Endpoint& remote;
  net::ServerHandshake& handshake;  ///< tcp, udp
  net::ChannelOptions& channel;
  std::unique_ptr<Transport>& transport;  ///< Wrap it; reset it to turn the client away.
  WrapChannel& wrap;                      ///< Called once if set; wss: stands between TLS and the socket.
  WrapChannel& wrap_inside_tls;           ///< The same for wss, between the WebSocket and TLS.
};

struct ListenOptions {
  net::ServerHandshake
      handshake{};  ///< tcp, udp: `key` must be given, and outlive the listener's connections.
  std::optional<TlsContext> tls{};  ///< wss: must be given (TlsContext::server).
  net::Limits limits{};
  /// Absent: the times of the transport's own kind.
  std::optional<net::Timeouts> timeouts{};
  Rng* rng = nullptr;  ///< Null: crypto::system_rng().
  std::function<void(const Accepting&)> on_accept{};
};

/// Accepts clients at one address.
///
///     auto listener = Listener::open(executor, *Endpoint::parse("tcp://127.0.0.1:0"), options);
///     while (auto connection = co_await listener->accept()) {
///       co_spawn(executor, serve(*std::move(connection)), detached);   // its first event is Connected
///     }
///
/// Same executor and threads as `Connection`. Connections outlive it; UDP sessions share its socket, which
/// stays open for them.
class Listener {
 public:
  /// Binds and listens. The host must be an address literal; port 0 takes a free one.
  /// Errors: Errc::bad_endpoint (a name), Errc::address_unavailable, Errc::bad_tls_material (no `tls` for
  /// wss), Errc::no_descriptors, Errc::socket_failed.
  [[nodiscard]] static Result<Listener> open(const asio::any_io_executor& executor, const Endpoint& endpoint,
                                             ListenOptions options);

  Listener(Listener&&) noexcept;
  Listener& operator=(Listener&&) noexcept;
  /// As `close`.
  ~Listener();

  /// Where it listens, with the real port.
  [[nodiscard]] const Endpoint& endpoint() const noexcept;
  /// The next client. Its handshake is still to come, so many may be under way. One call at a time.
  /// Errors: Errc::listener_closed, Errc::cancelled, Errc::no_descriptors (wait a little and call again),
  /// Errc::socket_failed.
  [[nodiscard]] asio::awaitable<Result<Connection>> accept();
  /// Takes no more clients; a waiting `accept` ends.
  void close() noexcept;

  class Impl;

 private:
  explicit Listener(std::shared_ptr<Impl> impl) noexcept;
  std::shared_ptr<Impl> impl_;
};

}  // namespace corliss::io
