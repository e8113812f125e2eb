#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/rng.h>
#include <corliss/base/time.h>
#include <corliss/io/endpoint.h>
#include <corliss/io/errc.h>
#include <corliss/io/tls.h>
#include <corliss/io/transport.h>
#include <corliss/net/channel.h>
#include <corliss/net/handshake.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

namespace corliss::io {

/// `send` waits while more bytes than this are queued; so much is sealed and written at once, at most.
inline constexpr std::size_t send_high_water = std::size_t{64} << 10;
/// Bytes that one read takes, at most. The buffers are shared by the connections of an execution context: one
/// that has nothing to tell holds none.
inline constexpr std::size_t read_buffer_size = std::size_t{64} << 10;
/// Memory that a quiet connection does not need is given back after this long.
inline constexpr Duration trim_after = std::chrono::seconds(1);
/// From one connection attempt to the next, when a name has several addresses (RFC 8305, 5, "Connection
/// Attempt Delay": "one recommended value for a default delay is 250 milliseconds").
inline constexpr Duration connection_attempt_delay = std::chrono::milliseconds(250);

/// How far `Connection::connect` has come.
enum class ConnectStep : std::uint8_t {
  resolved,   ///< The addresses are known.
  trying,     ///< An attempt at `address` begins.
  opened,     ///< The socket to `address` is connected (UDP: open).
  encrypted,  ///< wss: TLS is established and the certificate verified.
  connected,  ///< Messages may flow.
  failed,     ///< The attempt at `address` ended with `error`.
};
struct ConnectTrace {
  ConnectStep step;
  std::string address;         ///< `ADDRESS:PORT` of the attempt; `resolved`: all of them.
  std::uint64_t bytes_in = 0;  ///< moved over the socket so far
  std::uint64_t bytes_out = 0;
  std::error_code error{};
  std::int32_t detail = 0;  ///< as in net::Closed
};

struct ConnectOptions {
  /// From the call until messages may flow, all addresses and handshakes included.
  Duration timeout = std::chrono::seconds(10);
  net::Limits limits{};
  /// Absent: the times of the transport's own kind (net::Timeouts, udp_timeouts, websocket_timeouts).
  std::optional<net::Timeouts> timeouts{};
  net::ClientHandshake handshake{};  ///< tcp, udp: the server's key, the key log.
  std::optional<TlsContext> tls{};   ///< wss; absent: TlsContext::client(), made for this connection.
  Rng* rng = nullptr;                ///< Null: crypto::system_rng().
  std::function<void(const ConnectTrace&)> on_step{};
  /// Puts something between the connection and its socket, for tests.
  std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)> wrap{};
};

/// A connection to a connection manager, or from a client (`Listener`): a net::Channel on a socket, driven by
/// the executor.
///
///     auto connected = co_await Connection::connect(endpoint, {});
///     if (!connected) { … connected.error() … }
///     Connection& connection = *connected;
///     co_await connection.send(message);
///     while (const auto event = co_await connection.receive()) {
///       if (const auto* received = std::get_if<net::Received>(&*event)) { … received->message … }
///       else if (const auto* closed = std::get_if<net::Closed>(&*event)) { … closed->reason … }  // once
///     }
///
/// The executor is of an io_context that one thread runs, or a strand; all calls come from it. Writing,
/// answers and deadlines go on by themselves, and reading while no message waits to be taken: a coroutine of
/// its own calls `receive` again and again, since acknowledgements and pongs lie behind the message that it
/// does not take. In a steady exchange nothing is allocated per message, but by OpenSSL for wss, within
/// io_context::run (run_one and run_for begin anew each time and keep no freed memory). After destruction
/// nothing is called any more; coroutines that still wait in it are resumed with an error. Must end before
/// its io_context.
class Connection {
 public:
  /// Connects: looks the name up (asio's resolver uses a thread of its own; literals need none), tries the
  /// addresses of both families 250 ms apart as RFC 8305 says, and performs the handshakes. The call may be
  /// cancelled (terminal), by asio's awaitable operators too.
  /// Errors: io::Errc; of the handshakes, net::Errc. Where several addresses fail, the error of the last one.
  [[nodiscard]] static asio::awaitable<Result<Connection>> connect(Endpoint endpoint, ConnectOptions options);
  /// Drives `channel` over `transport`; for other transports and for tests.
  Connection(const asio::any_io_executor& executor, std::unique_ptr<Transport> transport,
             std::unique_ptr<net::Channel> channel, Endpoint remote);

  Connection(Connection&&) noexcept;
  /// As destruction, of what was there before.
  Connection& operator=(Connection&&) noexcept;
  /// Closes without waiting: a goodbye is tried once, what is queued beyond that is lost.
  ~Connection();

  /// The next event, without waiting. A message lives until the next `poll_event` or `receive`.
  [[nodiscard]] std::optional<net::Event> poll_event();
  /// Waits for the next event: Connected (only where it came from a `Listener`), Received, and Closed exactly
  /// once. Errors: the reason of Closed, once that was told; Errc::cancelled.
  [[nodiscard]] asio::awaitable<Result<net::Event>> receive();

  /// Room for a message, to be filled and passed to `commit`: as in net::Channel, with the same errors.
  /// Messages committed in one go are sealed and written together.
  [[nodiscard]] Result<Bytes> prepare(std::size_t size);
  [[nodiscard]] Result<void> commit();
  /// Waits while more than `send_high_water` bytes are queued. Errors: the reason of Closed; Errc::cancelled.
  [[nodiscard]] asio::awaitable<Result<void>> writable();
  /// `writable`, then queues a copy of `message`, which must live until then.
  /// Errors: as `writable` and net::Channel::prepare.
  [[nodiscard]] asio::awaitable<Result<void>> send(ConstBytes message);
  [[nodiscard]] std::size_t queued() const noexcept;

  /// Begins an orderly end, as net::Channel::close: the event comes within Timeouts::close.
  void start_close();
  /// `start_close`, then drops messages until Closed, which is its result; where it was told already, the
  /// same.
  [[nodiscard]] asio::awaitable<net::Closed> close();

  [[nodiscard]] bool connected() const noexcept;
  /// Who the peer is: the address of the socket.
  [[nodiscard]] const Endpoint& remote() const noexcept;
  /// Bytes that moved over the socket.
  [[nodiscard]] std::uint64_t bytes_in() const noexcept;
  [[nodiscard]] std::uint64_t bytes_out() const noexcept;

 private:
  class Pump;
  std::shared_ptr<Pump> pump_;
};

}  // namespace corliss::io
