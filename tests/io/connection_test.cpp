#include "io/faulty_transport.h"
#include "io/io_support.h"

#include <optional>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace corliss::io::test {
namespace {

using asio::experimental::awaitable_operators::operator||;

class EveryTransport : public testing::TestWithParam<Scheme> {
 protected:
  Loop loop;
  Listener listen(ListenOptions options = server_options()) {
    return Listener::open(loop.executor(), loopback(GetParam()), std::move(options)).value();
  }
};
INSTANTIATE_TEST_SUITE_P(Io, EveryTransport, testing::ValuesIn(schemes),
                         [](const auto& scheme) { return std::string(name_of(scheme.param)); });

/// A server that does not wait long for a UDP client that is gone.
ListenOptions short_lived() {
  auto out = server_options();
  out.timeouts = net::Timeouts{.idle = 200ms};
  return out;
}

TEST_P(EveryTransport, CarriesMessagesBothWays) {
  auto listener = listen();
  loop.spawn([&] { return echo_one(listener); });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await connect(listener.endpoint());
    corliss::test::TestRng rng;
    for (const std::size_t size : {1, 16, 670, 1244, 70'000, 300'000}) {
      const Message message = rng.bytes(size);
      EXPECT_TRUE(co_await connection.send(message));
      EXPECT_EQ(co_await receive(connection), message) << size;
    }
    EXPECT_GT(connection.bytes_in(), 370'000U);
    EXPECT_GT(connection.bytes_out(), 370'000U);
    const auto closed = co_await connection.close();
    EXPECT_EQ(closed.reason, net::Errc::closed_here);
  });
  loop.run();
}

TEST_P(EveryTransport, TellsConnectedFirstAndClosedOnce) {
  auto listener = listen();
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await accept_one(listener);
    EXPECT_EQ(connection.remote().host, "127.0.0.1");
    EXPECT_FALSE(connection.connected());
    const auto first = co_await connection.receive();
    EXPECT_TRUE(first && std::holds_alternative<net::Connected>(*first));
    EXPECT_TRUE(connection.connected());
    EXPECT_TRUE(co_await connection.send(Message(3, 7)));
    const auto second = co_await connection.receive();
    const auto* closed = second ? std::get_if<net::Closed>(&*second) : nullptr;
    EXPECT_TRUE(closed != nullptr && closed->reason == net::Errc::closed_by_peer);
    const auto third = co_await connection.receive();
    EXPECT_TRUE(!third && third.error() == net::Errc::closed_by_peer);
    EXPECT_FALSE(connection.poll_event());
    const auto late = co_await connection.send(Message(1, 1));
    EXPECT_TRUE(!late && late.error() == net::Errc::not_connected);
    const auto waited = co_await connection.writable();
    EXPECT_TRUE(!waited && waited.error() == net::Errc::closed_by_peer);
    const auto again = co_await connection.close();
    EXPECT_EQ(again.reason, net::Errc::closed_by_peer);
  });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await connect(listener.endpoint());
    EXPECT_EQ(co_await receive(connection), Message(3, 7));
    connection.start_close();
    const auto event = co_await connection.receive();
    const auto* closed = event ? std::get_if<net::Closed>(&*event) : nullptr;
    EXPECT_TRUE(closed != nullptr && closed->user_initiated());
    const auto over = co_await connection.receive();
    EXPECT_TRUE(!over && over.error() == net::Errc::closed_here);
  });
  loop.run();
}

TEST_P(EveryTransport, SendersWaitForTheirTurn) {
  constexpr std::size_t count = 2000;
  auto listener = listen();
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await accept_one(listener);
    co_await connection.receive();
    for (std::size_t i = 0; i < count; ++i) {
      const Message message = co_await receive(connection);
      if (message.size() != 670 || message[0] != static_cast<std::uint8_t>(i)) {
        ADD_FAILURE() << "message " << i;
        co_return;
      }
    }
    co_await connection.close();
  });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await connect(listener.endpoint());
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(co_await connection.send(Message(670, static_cast<std::uint8_t>(i))));
      most = std::max(most, connection.queued());
    }
    EXPECT_GT(most, send_high_water - 1000);
    EXPECT_LT(most, send_high_water + 2000);
    const auto event = co_await connection.receive();
    EXPECT_TRUE(event && std::holds_alternative<net::Closed>(*event));
  });
  loop.run();
}

TEST_P(EveryTransport, WaitingCoroutinesEndWithTheConnection) {
  auto listener = listen();
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await accept_one(listener);
    while (co_await connection.receive()) {
    }
  });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = std::make_unique<Connection>(co_await connect(listener.endpoint()));
    asio::co_spawn(
        loop.context,
        [&connection]() -> asio::awaitable<void> {
          const auto event = co_await connection->receive();
          EXPECT_TRUE(!event && event.error() == net::Errc::closed_here);
        },
        asio::detached);
    // The other coroutine waits by now: it ran until its first wait.
    connection.reset();
  });
  loop.run();
}

TEST_P(EveryTransport, ACancelledReceiveLosesNothing) {
  auto listener = listen();
  loop.spawn([&] { return echo_one(listener); });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await connect(listener.endpoint());
    asio::steady_timer timer(loop.context, 1ms);
    const auto first = co_await (connection.receive() || timer.async_wait(asio::use_awaitable));
    EXPECT_EQ(first.index(), 1U);
    EXPECT_TRUE(co_await connection.send(Message(5, 9)));
    EXPECT_EQ(co_await receive(connection), Message(5, 9));
  });
  loop.run();
}

TEST_P(EveryTransport, AServerThatVanishesIsNoticed) {
  bool cut = false;
  auto listener = listen(short_lived());
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await accept_one(listener);
    while (co_await connection.receive()) {
    }
  });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto options = client_options();
    options.timeouts = net::Timeouts{.idle = 60ms, .ping = 20ms};
    options.wrap = [&cut](auto inner) { return std::make_unique<CutTransport>(std::move(inner), cut); };
    auto connection = co_await connect(listener.endpoint(), std::move(options));
    cut = true;
    (void)co_await connection.send(Message(10, 1));
    const auto before = std::chrono::steady_clock::now();
    const auto event = co_await connection.receive();
    const auto* closed = event ? std::get_if<net::Closed>(&*event) : nullptr;
    EXPECT_TRUE(closed != nullptr && closed->reason == net::Errc::idle_timeout);
    EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  });
  loop.run();
}

TEST_P(EveryTransport, AServerThatTakesNothingIsNoticed) {
  if (GetParam() == Scheme::udp) {
    GTEST_SKIP() << "a datagram is taken or lost";
  }
  bool stuck = false;
  auto listener = listen();
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await accept_one(listener);
    while (co_await connection.receive()) {
    }
  });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto options = client_options();
    options.timeouts = net::Timeouts{.write = 30ms};
    options.wrap = [&stuck](auto inner) { return std::make_unique<StuckTransport>(std::move(inner), stuck); };
    auto connection = co_await connect(listener.endpoint(), std::move(options));
    stuck = true;
    std::error_code why;
    while (!why) {  // the last one waits for room that does not come
      const auto sent = co_await connection.send(Message(1000, 1));
      why = sent ? std::error_code() : sent.error();
    }
    const auto event = co_await connection.receive();
    const auto* closed = event ? std::get_if<net::Closed>(&*event) : nullptr;
    EXPECT_TRUE(closed != nullptr && closed->reason == net::Errc::write_timeout);
  });
  loop.run();
}

TEST_P(EveryTransport, CloseIsBoundedWhenThePeerIsSilent) {
  bool cut = false;
  auto listener = listen(short_lived());
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await accept_one(listener);
    while (co_await connection.receive()) {
    }
  });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto options = client_options();
    options.timeouts = net::Timeouts{.close = 30ms};
    options.wrap = [&cut](auto inner) { return std::make_unique<CutTransport>(std::move(inner), cut); };
    auto connection = co_await connect(listener.endpoint(), std::move(options));
    cut = true;
    const auto closed = co_await connection.close();
    EXPECT_TRUE(closed.user_initiated());
  });
  loop.run();
}

/// Connects, exchanges messages, closes; with operation n of one side's sockets failing.
struct Outcome {
  bool finished = false;  ///< everything went as if nothing had failed
  int connected = 0;
  int closed = 0;
};

asio::awaitable<void> failing_server(Listener& listener, Outcome& outcome) {
  auto accepted = co_await listener.accept();
  if (!accepted) {
    co_return;
  }
  auto connection = *std::move(accepted);
  while (const auto event = co_await connection.receive()) {
    outcome.connected += std::holds_alternative<net::Connected>(*event) ? 1 : 0;
    outcome.closed += std::holds_alternative<net::Closed>(*event) ? 1 : 0;
    if (const auto* received = std::get_if<net::Received>(&*event)) {
      const Message copy(received->message.begin(), received->message.end());
      (void)co_await connection.send(copy);
    }
  }
}

asio::awaitable<void> failing_client(Listener& listener, ConnectOptions options, Outcome& outcome) {
  auto connected = co_await Connection::connect(listener.endpoint(), std::move(options));
  listener.close();
  if (!connected) {
    EXPECT_NE(connected.error(), Fault::local) << connected.error().message();
    co_return;
  }
  ++outcome.connected;
  auto connection = *std::move(connected);
  bool all = true;
  for (int i = 0; i < 3; ++i) {
    (void)co_await connection.send(Message(100, static_cast<std::uint8_t>(i)));
    const auto event = co_await connection.receive();
    const auto* received = event ? std::get_if<net::Received>(&*event) : nullptr;
    all = all && received != nullptr && received->message.size() == 100;
    if (event && std::holds_alternative<net::Closed>(*event)) {
      ++outcome.closed;
      EXPECT_NE(std::get<net::Closed>(*event).reason, net::Errc::closed_here);
      co_return;
    }
  }
  const auto closed = co_await connection.close();
  ++outcome.closed;
  outcome.finished = all && closed.user_initiated();
}

TEST_P(EveryTransport, EndsInOrderWhateverOperationFails) {
  const net::Timeouts short_times{
      .handshake = 300ms, .idle = 300ms, .stall = 300ms, .write = 300ms, .close = 100ms};
  for (const bool at_server : {false, true}) {
    bool reached = true;
    for (int n = 0; reached; ++n) {
      SCOPED_TRACE(std::string(at_server ? "server" : "client") + ", operation " + std::to_string(n));
      ASSERT_LT(n, 1000);
      Loop one;
      FailAt plan{.left = n};
      Outcome server;
      Outcome client;
      const auto wrap = [&](std::unique_ptr<Transport> inner) -> std::unique_ptr<Transport> {
        return std::make_unique<FailingTransport>(std::move(inner), plan, one.executor());
      };
      auto listen_with = server_options();
      listen_with.timeouts = short_times;
      auto connect_with = client_options();
      connect_with.timeouts = short_times;
      if (at_server) {
        listen_with.on_accept = [&](const Accepting& accepting) {
          accepting.transport = wrap(std::move(accepting.transport));
        };
      } else {
        connect_with.wrap = wrap;
      }
      auto listener = Listener::open(one.executor(), loopback(GetParam()), std::move(listen_with)).value();
      one.spawn([&] { return failing_server(listener, server); });
      one.spawn([&] { return failing_client(listener, connect_with, client); });
      one.run();
      reached = plan.count > n;
      EXPECT_EQ(client.closed, client.connected);
      EXPECT_LE(server.closed, 1);
      EXPECT_GE(server.closed, server.connected);
      if (!reached) {
        EXPECT_TRUE(client.finished);
        EXPECT_GT(n, 5);
      }
      if (HasFailure()) {
        return;
      }
    }
  }
}

TEST_P(EveryTransport, DestructionOfTheContextFreesEverything) {
  auto context = std::make_unique<asio::io_context>(1);
  {
    auto listener = Listener::open(context->get_executor(), loopback(GetParam()), server_options()).value();
    asio::co_spawn(
        *context, [&] { return echo_one(listener); }, asio::detached);
    asio::co_spawn(
        *context,
        [&]() -> asio::awaitable<void> {
          auto connection = co_await connect(listener.endpoint());
          (void)co_await connection.send(Message(5, 9));
          (void)co_await receive(connection);
          context->stop();
          (void)co_await connection.receive();
        },
        asio::detached);
    context->run_for(10s);
    EXPECT_TRUE(context->stopped());
  }
  context.reset();  // with both coroutines in the middle; ASan looks for what is left
}

}  // namespace
}  // namespace corliss::io::test
