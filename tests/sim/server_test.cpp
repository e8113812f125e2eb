#include "net/channel_pair.h"
#include "sim/fault_cases.h"
#include "sim/socket_client.h"

#include <corliss/sim/errc.h>
#include <corliss/sim/server.h>

#include <algorithm>
#include <deque>
#include <memory>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace corliss::sim::test {
namespace {

using namespace std::chrono_literals;

constexpr Scheme all_schemes[] = {Scheme::tcp, Scheme::udp, Scheme::ws, Scheme::wss};

ServerOptions options_for(Scheme scheme, const FaultRules& faults = {}) {
  ServerOptions options;
  options.listen = {{scheme, "127.0.0.1", 0}};
  options.faults = faults;
  options.key_pem = net::test::server_key().to_pem();
  return options;
}

io::ConnectOptions client_of(const Server& server) {
  io::ConnectOptions options;
  options.timeout = 60s;
  options.handshake.key = &server.public_key();
  options.tls = io::TlsContext::client(server.certificate_pem()).value();
  return options;
}

/// Runs servers and clients on one thread until every client has ended, at most a minute.
class Box {
 public:
  ClientProbe& add(ServerOptions options, net::Timeouts timeouts, std::uint64_t first = 100) {
    servers_.push_back(Server::start(context_.get_executor(), std::move(options)).value());
    auto client = client_of(servers_.back());
    client.timeouts = timeouts;
    return add_client(servers_.back().endpoints().front(), std::move(client), first);
  }
  ClientProbe& add_client(const io::Endpoint& at, io::ConnectOptions options, std::uint64_t first = 100) {
    probes_.emplace_back(first);
    ClientProbe& probe = probes_.back();
    ++running_;
    asio::co_spawn(context_, run_client(at, std::move(options), probe),
                   [this](const std::exception_ptr& thrown) {
                     EXPECT_FALSE(thrown);
                     if (--running_ == 0) {
                       servers_.clear();
                       watchdog_.cancel();
                     }
                   });
    return probe;
  }
  void run() {
    watchdog_.expires_after(60s);
    watchdog_.async_wait([this](const std::error_code& error) {
      if (!error) {
        ADD_FAILURE() << running_ << " clients wait for ever";
        context_.stop();
      }
    });
    context_.run();
    servers_.clear();
  }
  asio::io_context& context() { return context_; }

 private:
  asio::io_context context_{1};
  asio::steady_timer watchdog_{context_};
  std::deque<Server> servers_;
  std::deque<ClientProbe> probes_;
  int running_ = 0;
};

net::Timeouts patient() {
  net::Timeouts times;
  times.handshake = times.idle = times.stall = times.write = 50s;
  times.close = 500ms;
  return times;
}

/// Patient, but for the time-out that a case waits for.
net::Timeouts times_for(const FaultCase& fault) {
  auto times = patient();
  const auto waits_for = [&](net::Errc errc) {
    return std::find(fault.reasons.begin(), fault.reasons.end(), errc) != fault.reasons.end();
  };
  if (waits_for(net::Errc::handshake_timeout)) {
    times.handshake = 1s;
  }
  if (waits_for(net::Errc::stall_timeout)) {
    times.stall = 1s;
  }
  if (waits_for(net::Errc::idle_timeout)) {
    times.idle = 4s;  // more than the resend delay of UDP
  }
  return times;
}

TEST(SimServer, ClientsOfEveryTransportAtOnce) {
  Box box;
  std::vector<ClientProbe*> probes;
  ServerOptions options;
  options.key_pem = net::test::server_key().to_pem();
  auto server = Server::start(box.context().get_executor(), std::move(options)).value();
  ASSERT_EQ(server.endpoints().size(), 4U);
  std::uint64_t first = 1000;
  for (int round = 0; round < 3; ++round) {
    for (const auto scheme : all_schemes) {
      EXPECT_NE(server.endpoint(scheme)->port, 0);
      probes.push_back(&box.add_client(*server.endpoint(scheme), client_of(server), first));
      first += 100;
    }
  }
  asio::co_spawn(
      box.context(),
      [&]() -> asio::awaitable<void> {
        asio::steady_timer look(box.context());
        while (
            std::any_of(probes.begin(), probes.end(), [](const auto* one) { return !one->outcome.closed; })) {
          look.expires_after(10ms);
          co_await look.async_wait(asio::use_awaitable);
        }
        co_await server.stop();
        EXPECT_EQ(server.connections(), 0U);
      },
      asio::detached);
  box.run();
  first = 1000;
  for (const auto* probe : probes) {
    EXPECT_EQ(probe->outcome.logon, proto::EResult::OK);
    EXPECT_EQ(probe->outcome.answers, (std::vector{first, first + 1, first + 2}));
    EXPECT_EQ(probe->outcome.closed->reason, net::Errc::closed_by_peer)
        << probe->outcome.closed->reason.message();
    first += 100;
  }
  EXPECT_EQ(server.logged_on(), 0U);
  for (const auto scheme : all_schemes) {
    EXPECT_EQ(server.accepted(scheme), 3U);
  }
}

TEST(SimServer, EveryFaultEndsTheClientWithItsReason) {
  Box box;
  std::vector<std::tuple<FaultCase, Scheme, ClientProbe*>> started;
  for (auto fault : fault_cases()) {
    for (const auto scheme : all_schemes) {
      if (fault.on.has(scheme)) {
        if (fault.rule.kind == FaultKind::drop && fault.rule.percent < 100) {
          fault.rule.percent = 5;  // each loss costs 3 s; on the simulated clock there are more
        }
        started.emplace_back(fault, scheme, &box.add(options_for(scheme, {fault.rule}), times_for(fault)));
      }
    }
  }
  box.run();
  for (const auto& [fault, scheme, probe] : started) {
    SCOPED_TRACE(fault.name + " on " + std::string(name_of(scheme)));
    expect_outcome(fault, probe->outcome);
  }
}

TEST(SimServer, FaultsStrikeTheConnectionThatTheyName) {
  for (const auto scheme : all_schemes) {
    SCOPED_TRACE(name_of(scheme));
    FaultRule rule{.kind = FaultKind::result, .first_connection = 2, .last_connection = 2};
    asio::io_context context{1};
    auto server = Server::start(context.get_executor(), options_for(scheme, {rule})).value();
    std::deque<ClientProbe> probes(3);
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
          for (auto& probe : probes) {
            co_await run_client(server.endpoints().front(), client_of(server), probe);
          }
          co_await server.stop();
        },
        asio::detached);
    context.run();
    EXPECT_EQ(probes[0].outcome.logon, proto::EResult::OK);
    EXPECT_EQ(probes[1].outcome.logon, proto::EResult::ServiceUnavailable);
    EXPECT_EQ(probes[2].outcome.logon, proto::EResult::OK);
  }
}

TEST(SimServer, EndsWithItsClientsStillThere) {
  for (const auto scheme : all_schemes) {
    SCOPED_TRACE(name_of(scheme));
    asio::io_context context{1};
    auto server =
        std::make_unique<Server>(Server::start(context.get_executor(), options_for(scheme)).value());
    std::optional<net::Closed> closed;
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
          auto options = client_of(*server);
          options.timeouts = patient();
          options.timeouts->idle = 1s;  // UDP: a server that vanishes says nothing
          auto connection = co_await io::Connection::connect(server->endpoints().front(), std::move(options));
          EXPECT_TRUE(connection);
          server.reset();
          while (connection) {
            const auto event = co_await connection->receive();
            if (!event) {
              break;
            }
            if (const auto* end = std::get_if<net::Closed>(&*event)) {
              closed = *end;
            }
          }
        },
        asio::detached);
    context.run();
    ASSERT_TRUE(closed);
    EXPECT_FALSE(closed->user_initiated());
  }
}

TEST(SimServer, RefusesWhatItCannotDo) {
  asio::io_context context{1};
  const auto error_of = [&](ServerOptions options) {
    const auto server = Server::start(context.get_executor(), std::move(options));
    return server ? std::error_code() : server.error();
  };
  auto options = options_for(Scheme::tcp);
  options.key_pem = "no key";
  EXPECT_EQ(error_of(options), crypto::Errc::bad_key);
  EXPECT_EQ(error_of(options_for(Scheme::tcp, {{.kind = FaultKind::drop, .on = Scheme::tcp}})),
            Errc::bad_fault);
  options = options_for(Scheme::tcp);
  options.listen[0].host = "localhost";
  EXPECT_EQ(error_of(options), io::Errc::bad_endpoint);
  auto taken = Server::start(context.get_executor(), options_for(Scheme::tcp)).value();
  options.listen = {taken.endpoints().front()};
  EXPECT_EQ(error_of(options), io::Errc::address_unavailable);
}

}  // namespace
}  // namespace corliss::sim::test
