#include "io/io_support.h"

namespace corliss::io::test {
namespace {

class EveryTransport : public testing::TestWithParam<Scheme> {};
INSTANTIATE_TEST_SUITE_P(Io, EveryTransport, testing::ValuesIn(schemes),
                         [](const auto& scheme) { return std::string(name_of(scheme.param)); });

/// Sends back whatever comes, until it is over.
asio::awaitable<void> echo(Connection connection) {
  while (const auto event = co_await connection.receive()) {
    if (const auto* received = std::get_if<net::Received>(&*event)) {
      const Message copy(received->message.begin(), received->message.end());
      (void)co_await connection.send(copy);
    }
  }
}

TEST_P(EveryTransport, CarriesMessagesBothWays) {
  Loop loop;
  auto listener = Listener::open(loop.executor(), loopback(GetParam()), server_options()).value();
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await listener.accept();
    EXPECT_TRUE(connection);
    listener.close();
    co_await echo(*std::move(connection));
  });
  loop.spawn([&]() -> asio::awaitable<void> {
    auto connection = co_await Connection::connect(listener.endpoint(), client_options());
    if (!connection) {
      ADD_FAILURE() << connection.error().message();
      co_return;
    }
    corliss::test::TestRng rng;
    for (const std::size_t size : {1, 16, 670, 1244, 70'000, 300'000}) {
      const Message message = rng.bytes(size);
      EXPECT_TRUE(co_await connection->send(message));
      const auto event = co_await connection->receive();
      const auto* received = event ? std::get_if<net::Received>(&*event) : nullptr;
      EXPECT_TRUE(received != nullptr && std::equal(message.begin(), message.end(), received->message.begin(),
                                                    received->message.end()))
          << size;
    }
    const auto closed = co_await connection->close();
    EXPECT_EQ(closed.reason, net::Errc::closed_here);
  });
  loop.run();
}

}  // namespace
}  // namespace corliss::io::test
