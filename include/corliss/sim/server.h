#pragma once

#include <corliss/base/result.h>
#include <corliss/base/rng.h>
#include <corliss/crypto/rsa.h>
#include <corliss/io/endpoint.h>
#include <corliss/net/handshake.h>
#include <corliss/net/limits.h>
#include <corliss/sim/cm.h>
#include <corliss/sim/faults.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

namespace corliss::sim {

struct ServerOptions {
  /// Where to listen; hosts are address literals, port 0 takes a free one. Any number of each scheme.
  std::vector<io::Endpoint> listen{{io::Scheme::tcp, "127.0.0.1", 0},
                                   {io::Scheme::udp, "127.0.0.1", 0},
                                   {io::Scheme::ws, "127.0.0.1", 0},
                                   {io::Scheme::wss, "127.0.0.1", 0}};
  CmOptions cm{};  ///< An empty `cm_list` becomes the WebSocket addresses of this server.
  FaultRules faults{};
  /// The key of the channel handshake: an RSA private key in PEM. Empty: a new one, of 1024 bits as Steam's.
  std::string key_pem{};
  net::ServerHandshake::Legacy legacy = net::ServerHandshake::Legacy::off;
  net::KeyLog key_log{};
  net::Limits limits{};
  /// Absent: the times of each transport's own kind.
  std::optional<net::Timeouts> timeouts{};
  Rng* rng = nullptr;  ///< Null: crypto::system_rng(). Must outlive the server's connections.
};

/// A Steam in a box, the part that is a connection manager: listeners of all transports at once, a CmSession
/// for each client, faults on demand. For tests in-process, and what `corliss serve` runs.
///
///     asio::io_context context{1};
///     auto server = sim::Server::start(context.get_executor(), {}).value();
///     … io::Connection::connect(*server.endpoint(io::Scheme::tcp), {.handshake = {.key =
///     &server.public_key()}}) co_await server.stop();
///
/// Executor and threads as of io::Connection; must end before its io_context.
class Server {
 public:
  /// Binds all listeners; clients are served from then on. Errors: crypto::Errc::bad_key, Errc::bad_fault,
  /// and those of io::Listener::open.
  [[nodiscard]] static Result<Server> start(const asio::any_io_executor& executor, ServerOptions options);

  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  /// Ends everything without a word: listeners, sessions, their connections.
  ~Server();

  /// In the order of ServerOptions::listen, with real ports.
  [[nodiscard]] const std::vector<io::Endpoint>& endpoints() const noexcept;
  /// The first of this scheme.
  [[nodiscard]] std::optional<io::Endpoint> endpoint(io::Scheme scheme) const;
  /// What clients over TCP and UDP encrypt their session keys to. Lives as long as the server.
  [[nodiscard]] const crypto::RsaPublicKey& public_key() const noexcept;
  /// What clients over wss have to trust: a certificate made for this server, for localhost, 127.0.0.1 and
  /// ::1.
  [[nodiscard]] const std::string& certificate_pem() const noexcept;

  /// Clients that are connected, their handshakes included, and those of them that are logged on.
  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::size_t logged_on() const noexcept;
  /// Clients that ever came over `scheme`; their number in FaultRule.
  [[nodiscard]] std::uint64_t accepted(io::Scheme scheme) const noexcept;

  /// Sends everybody away who is logged on, by ClientLoggedOff. More may come.
  void log_off_all(proto::EResult result);

  /// Takes no more clients, closes all connections in order, and waits until they are gone: at most
  /// Timeouts::close. Once.
  [[nodiscard]] asio::awaitable<void> stop();

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl) noexcept;
  std::shared_ptr<Impl> impl_;
};

}  // namespace corliss::sim
