#include "io/await.h"
#include "io/channels.h"
#include "io/happy_eyeballs.h"
#include "io/socket_transport.h"
#include "io/tls_channel.h"

#include <corliss/base/endian.h>
#include <corliss/crypto/random_pool.h>
#include <corliss/io/connection.h>
#include <corliss/net/tcp_channel.h>

#include <algorithm>
#include <array>
#include <utility>

#include <asio/experimental/awaitable_operators.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>

namespace corliss::io {
namespace {

using Addresses = std::vector<asio::ip::address>;

/// One call of `connect`; attempts that lost may outlive it for a moment.
struct Call {
  Endpoint endpoint;
  ConnectOptions options;
  Rng& rng;
  std::optional<TlsContext> tls;
  bool over = false;

  void tell(const ConnectTrace& trace) const {
    if (options.on_step && !over) {
      options.on_step(trace);
    }
  }
  [[nodiscard]] Endpoint at(const asio::ip::address& address) const {
    return {endpoint.scheme, address.to_string(), endpoint.port};
  }
};
using Job = std::shared_ptr<Call>;

ConnectTrace trace_of(ConnectStep step, const Endpoint& at, const Connection* connection = nullptr) {
  ConnectTrace out{step, at.authority()};
  if (connection != nullptr) {
    out.bytes_in = connection->bytes_in();
    out.bytes_out = connection->bytes_out();
  }
  return out;
}

void tell_failed(const Call& call, const Endpoint& at, std::error_code error, std::int32_t detail = 0) {
  ConnectTrace out{ConnectStep::failed, at.authority()};
  out.error = error;
  out.detail = detail;
  call.tell(out);
}

/// The resolver's answer, kept apart from the coroutine: it cannot be cancelled while it asks.
struct Lookup {
  explicit Lookup(const asio::any_io_executor& executor)
      : resolver(executor), done(executor, TimePoint::max()) {}
  asio::ip::tcp::resolver resolver;
  asio::steady_timer done;
  std::error_code error;
  Addresses addresses;
};

asio::awaitable<Result<Addresses>> resolve(Job job) {
  std::error_code not_literal;
  const auto literal = asio::ip::make_address(job->endpoint.host, not_literal);
  if (!not_literal) {
    co_return Addresses{literal};
  }
  const auto lookup = std::make_shared<Lookup>(co_await asio::this_coro::executor);
  lookup->resolver.async_resolve(
      job->endpoint.host, std::to_string(job->endpoint.port), asio::ip::resolver_base::numeric_service,
      [lookup](const std::error_code& error, const asio::ip::tcp::resolver::results_type& results) {
        lookup->error = from_system(error);
        for (const auto& entry : results) {
          lookup->addresses.push_back(entry.endpoint().address());
        }
        lookup->done.cancel();
      });
  co_await lookup->done.async_wait(quietly);
  if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
    lookup->resolver.cancel();
    co_return fail(Errc::cancelled);
  }
  if (lookup->error) {
    co_return fail(lookup->error);
  }
  co_return interleave(lookup->addresses);
}

/// The ids that Steam's clients use: 512 and a multiple of 256 above it; a random one, since a server may
/// still know an earlier session from the same port.
Result<std::uint32_t> udp_connection_id(Rng& rng) {
  std::array<std::uint8_t, 4> bytes{};
  CORLISS_CHECK(rng.fill(bytes));
  return net::udp_first_client_id + load_le<std::uint32_t>(bytes.data()) / 512 * net::udp_client_id_step;
}

/// The channel of the connection, its times beginning now.
Result<std::unique_ptr<net::Channel>> make_channel(const Call& job, std::function<void()> on_encrypted) {
  const TimePoint now = TimePoint::clock::now();
  const auto options = channel_options(job.endpoint.scheme, job.options.limits, job.options.timeouts);
  switch (job.endpoint.scheme) {
    case Scheme::tcp:
      return std::make_unique<net::TcpChannel>(
          net::TcpChannel::client(job.options.handshake, options, job.rng, now));
    case Scheme::udp: {
      CORLISS_TRY(const std::uint32_t id, udp_connection_id(job.rng));
      return std::make_unique<net::UdpChannel>(
          net::UdpChannel::client(job.options.handshake, id, options, job.rng, now));
    }
    case Scheme::ws:
    case Scheme::wss:
      break;
  }
  const bool tls = job.endpoint.scheme == Scheme::wss;
  const std::string host = job.endpoint.port == (tls ? 443 : 80)
                               ? job.endpoint.authority().substr(0, job.endpoint.authority().rfind(':'))
                               : job.endpoint.authority();
  auto channel =
      std::make_unique<net::WebSocketChannel>(net::WebSocketChannel::client(host, options, job.rng, now));
  if (!tls) {
    return channel;
  }
  return TlsChannel::client(*job.tls, job.endpoint.host, std::move(channel), std::move(on_encrypted));
}

/// Waits until the handshakes over an open transport are done.
asio::awaitable<Result<Connection>> shake_hands(Job job, std::unique_ptr<Transport> transport,
                                                Endpoint remote) {
  job->tell(trace_of(ConnectStep::opened, remote));
  const auto self = std::make_shared<const Connection*>(nullptr);  // set before TLS can be done
  auto channel = make_channel(*job, [job, self, remote] {
    if (*self != nullptr) {
      job->tell(trace_of(ConnectStep::encrypted, remote, *self));
    }
  });
  if (!channel) {
    co_return fail(channel.error());
  }
  if (job->options.wrap) {
    transport = job->options.wrap(std::move(transport));
  }
  Connection connection(co_await asio::this_coro::executor, std::move(transport), *std::move(channel),
                        remote);
  *self = &connection;
  const auto event = co_await connection.receive();
  *self = nullptr;
  if (!event) {
    co_return fail(event.error());
  }
  if (const auto* closed = std::get_if<net::Closed>(&*event)) {
    tell_failed(*job, remote, closed->reason, closed->detail);
    co_return fail(closed->reason);
  }
  job->tell(trace_of(ConnectStep::connected, remote, &connection));
  co_return std::move(connection);
}

/// A TCP connection that stands, and to whom.
struct Opened {
  std::unique_ptr<Transport> transport;
  Endpoint remote;
};

asio::awaitable<Result<Opened>> open_tcp(Job job, asio::ip::address address) {
  asio::ip::tcp::socket socket(co_await asio::this_coro::executor);
  job->tell(trace_of(ConnectStep::trying, job->at(address)));
  const auto [error] = co_await socket.async_connect({address, job->endpoint.port}, quietly);
  if (error) {
    tell_failed(*job, job->at(address), from_system(error));
    co_return fail(from_system(error));
  }
  co_return Opened{make_transport(std::move(socket)), job->at(address)};
}

/// Nothing but the answers of the handshake tells that a UDP address is good, so all of it is the attempt.
asio::awaitable<Result<Connection>> connect_udp(Job job, asio::ip::address address) {
  asio::ip::udp::socket socket(co_await asio::this_coro::executor);
  job->tell(trace_of(ConnectStep::trying, job->at(address)));
  const asio::ip::udp::endpoint to(address, job->endpoint.port);
  std::error_code error;
  socket.open(to.protocol(), error);
  if (!error) {
    socket.connect(to, error);
  }
  if (error) {
    tell_failed(*job, job->at(address), from_system(error));
    co_return fail(from_system(error));
  }
  co_return co_await shake_hands(job, make_transport(std::move(socket)), job->at(address));
}

asio::awaitable<Result<Connection>> connect_one(Job job) {
  auto addresses = co_await resolve(job);
  if (!addresses) {
    co_return fail(addresses.error());
  }
  ConnectTrace resolved{ConnectStep::resolved, {}};
  for (const auto& address : *addresses) {
    resolved.address += (resolved.address.empty() ? "" : " ") + job->at(address).authority();
  }
  job->tell(resolved);
  if (job->endpoint.scheme == Scheme::udp) {
    const Attempt<Connection> attempt = [job](asio::ip::address address) {
      return connect_udp(job, std::move(address));
    };
    co_return co_await run_race<Connection>(*std::move(addresses), attempt);
  }
  const Attempt<Opened> attempt = [job](asio::ip::address address) {
    return open_tcp(job, std::move(address));
  };
  auto opened = co_await run_race<Opened>(*std::move(addresses), attempt);
  if (!opened) {
    co_return fail(opened.error());
  }
  co_return co_await shake_hands(job, std::move(opened->transport), std::move(opened->remote));
}

/// Whatever way the call ends.
struct Ender {
  Job job;
  ~Ender() { job->over = true; }
};

}  // namespace

std::vector<asio::ip::address> interleave(const std::vector<asio::ip::address>& sorted) {
  std::vector<asio::ip::address> first;
  std::vector<asio::ip::address> second;
  for (const auto& address : sorted) {
    (address.is_v6() == sorted.front().is_v6() ? first : second).push_back(address);
  }
  std::vector<asio::ip::address> out;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) {
      out.push_back(first[i]);
    }
    if (i < second.size()) {
      out.push_back(second[i]);
    }
  }
  return out;
}

asio::awaitable<Result<Connection>> Connection::connect(Endpoint endpoint, ConnectOptions options) {
  using asio::experimental::awaitable_operators::operator||;
  Rng& rng = options.rng == nullptr ? crypto::system_rng() : *options.rng;
  auto tls = options.tls;
  if (endpoint.scheme == Scheme::wss && !tls) {
    auto made = TlsContext::client();
    if (!made) {
      co_return fail(made.error());
    }
    tls = *std::move(made);
  }
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(options.timeout);
  const Job job = std::make_shared<Call>(Call{std::move(endpoint), std::move(options), rng, std::move(tls)});
  const Ender ender{job};
  auto first = co_await (connect_one(job) || timer.async_wait(quietly));
  if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
    co_return fail(Errc::cancelled);
  }
  if (first.index() != 0) {
    co_return fail(Errc::connect_timeout);
  }
  co_return std::get<0>(std::move(first));
}

}  // namespace corliss::io
