#pragma once

#include "net/channel_pair.h"
#include "support/test_support.h"

#include <corliss/io/connection.h>
#include <corliss/io/listener.h>

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>

namespace corliss::io::test {

using namespace std::chrono_literals;
using net::test::Message;

/// A certificate for `localhost`, 127.0.0.1 and ::1, made by itself, and its key: PEM.
struct Certificate {
  std::string chain;
  std::string key;
};
const Certificate& certificate();

/// All four transports, for parameterised tests.
inline constexpr Scheme schemes[] = {Scheme::tcp, Scheme::udp, Scheme::ws, Scheme::wss};

/// `scheme` at the loopback address, any port.
Endpoint loopback(Scheme scheme);
/// Keys and trust that fit each other.
ListenOptions server_options();
ConnectOptions client_options();

/// Connects, or throws. For tests that do not expect a failure.
asio::awaitable<Connection> connect(Endpoint endpoint, ConnectOptions options = client_options());
/// The next message, copied; throws at any other event.
asio::awaitable<Message> receive(Connection& connection);
/// Accepts one client and closes the listener.
asio::awaitable<Connection> accept_one(Listener& listener);
/// The same, and sends back whatever comes until it is over.
asio::awaitable<void> echo_one(Listener& listener);

/// Runs one thread's worth of coroutines until all have ended, at most 10 s. An exception fails the test.
class Loop {
 public:
  [[nodiscard]] asio::any_io_executor executor() { return context.get_executor(); }
  void spawn(std::function<asio::awaitable<void>()> coroutine);
  void run();

  asio::io_context context{1};
};

}  // namespace corliss::io::test
