#include "bench/connection_bench.h"

#include "bench/content_bench.h"
#include "bench/message.h"
#include "io/socket_transport.h"

#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/random_pool.h>
#include <corliss/crypto/rsa.h>
#include <corliss/io/connection.h>
#include <corliss/io/listener.h>
#include <corliss/net/tcp_channel.h>
#include <corliss/net/tcp_frame.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace corliss::bench {
namespace {

using asio::ip::tcp;
using io::Connection;

/// Messages of one pass.
constexpr std::size_t stream_messages = 1024;
constexpr std::size_t round_trips = 128;
constexpr std::size_t batch = 64;
constexpr std::size_t bare_write = std::size_t{64} << 10;
constexpr std::size_t most_samples = std::size_t{1} << 20;

/// Both ends of a connection.
struct Pair {
  Connection client;
  Connection server;
};

using MakePair = std::function<Pair(asio::io_context&)>;

std::pair<tcp::socket, tcp::socket> connected_sockets(asio::io_context& context) {
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp::socket near(context);
  near.connect(acceptor.local_endpoint());
  tcp::socket far = acceptor.accept();
  for (auto* socket : {&near, &far}) {
    socket->non_blocking(true);
    socket->set_option(tcp::no_delay(true));
  }
  return {std::move(near), std::move(far)};
}

Connection plain_end(asio::io_context& context, tcp::socket socket) {
  return Connection(context.get_executor(), io::make_transport(std::move(socket)),
                    std::make_unique<net::TcpChannel>(net::TcpChannel::plain({}, TimePoint::clock::now())),
                    {io::Scheme::tcp, "127.0.0.1", 0});
}

Pair plain_pair(asio::io_context& context) {
  auto sockets = connected_sockets(context);
  return {plain_end(context, std::move(sockets.first)), plain_end(context, std::move(sockets.second))};
}

/// Through a listener, with the handshake.
Pair whole_pair(asio::io_context& context, io::Scheme scheme) {
  static const auto key = crypto::RsaPrivateKey::generate(1024).value();
  static const auto public_key = key.public_key().value();
  io::ListenOptions listen;
  listen.handshake.key = &key;
  io::ConnectOptions options;
  options.handshake.key = &public_key;
  auto listener =
      io::Listener::open(context.get_executor(), {scheme, "127.0.0.1", 0}, std::move(listen)).value();
  std::optional<Result<Connection>> client;
  std::optional<Result<Connection>> server;
  asio::co_spawn(
      context, [&]() -> asio::awaitable<void> { server.emplace(co_await listener.accept()); },
      asio::detached);
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        client.emplace(co_await Connection::connect(listener.endpoint(), options));
      },
      asio::detached);
  context.restart();
  while (!client || !server) {
    context.run_one();
  }
  for (const auto* end : {&*client, &*server}) {
    if (!*end) {
      throw std::system_error(end->error(), "bench connection");
    }
  }
  return {std::move(**client), std::move(**server)};
}

void must(bool good, const char* what) {
  if (!good) {
    throw WrongResult(what);
  }
}

/// For co_await: an error is a value.
constexpr asio::experimental::as_tuple_t<asio::use_awaitable_t<>> quietly{};

/// Ours, as an application uses it: coroutines at both ends, which live through all passes.
class Ours : public Subject {
 public:
  Ours(std::string name, const MakePair& make, std::size_t connections, std::vector<std::uint8_t> message)
      : name_(std::move(name)), message_(std::move(message)) {
    for (std::size_t i = 0; i < connections; ++i) {
      pairs_.push_back(std::make_unique<Pair>(make(context_)));
    }
  }
  std::string name() const override { return name_; }
  void pass() override {
    done_ = 0;
    go_.cancel();
    context_.restart();
    context_.run();  // until `count` has seen all, or something is wrong
    if (!wrong_.empty()) {
      throw WrongResult(wrong_);
    }
  }
  std::string check() override {
    looking_ = true;
    std::string wrong;
    try {
      pass();
    } catch (const WrongResult& error) {
      wrong = error.what();
    }
    looking_ = false;
    return wrong;
  }

 protected:
  void spawn(std::function<asio::awaitable<void>()> coroutine) {
    asio::co_spawn(context_, std::move(coroutine), [this](const std::exception_ptr& thrown) {
      try {
        if (thrown) {
          std::rethrow_exception(thrown);
        }
      } catch (const std::exception& error) {
        wrong_ = error.what();
        context_.stop();
      }
    });
  }
  /// Until the next pass begins.
  asio::steady_timer& go() noexcept { return go_; }
  void count() {
    if (++done_ == units()) {
      context_.stop();
    }
  }
  /// The share of pair `index`.
  [[nodiscard]] std::size_t quota(std::size_t index) const {
    return units() / pairs_.size() + (index < units() % pairs_.size() ? 1 : 0);
  }

  void send(Connection& from) {
    const auto room = from.prepare(message_.size());
    must(room.has_value(), "a message was refused");
    std::copy(message_.begin(), message_.end(), room->begin());
    must(from.commit().has_value(), "a message was refused");
  }
  /// Whether it is a message; where results are checked, every byte is compared.
  bool look(const net::Event& event) const {
    const auto* received = std::get_if<net::Received>(&event);
    must(!std::holds_alternative<net::Closed>(event), "a connection ended");
    if (received != nullptr) {
      const ConstBytes got = received->message;
      must(got.size() == message_.size(), "a message of another size");
      must(!looking_ || std::equal(got.begin(), got.end(), message_.begin()), "a message came out changed");
    }
    return received != nullptr;
  }

  asio::io_context context_{1};
  std::vector<std::unique_ptr<Pair>> pairs_;
  bool looking_ = false;

 private:
  asio::steady_timer go_{context_, TimePoint::max()};
  std::size_t done_ = 0;
  std::string wrong_;
  std::string name_;
  std::vector<std::uint8_t> message_;
};

class Stream final : public Ours {
 public:
  Stream(std::string name, const MakePair& make, std::size_t connections, std::vector<std::uint8_t> message)
      : Ours(std::move(name), make, connections, std::move(message)) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      spawn([this, i] { return produce(pairs_[i]->client, quota(i)); });
      spawn([this, i] { return consume(pairs_[i]->server); });
    }
    context_.poll();  // all wait
  }
  std::size_t units() const override { return stream_messages; }

 private:
  asio::awaitable<void> produce(Connection& from, std::size_t messages) {
    for (;;) {
      co_await go().async_wait(quietly);
      for (std::size_t sent = 0; sent < messages; ++sent) {
        if (from.queued() > io::send_high_water) {
          must((co_await from.writable()).has_value(), "a connection ended");
        }
        send(from);
      }
    }
  }
  asio::awaitable<void> consume(Connection& to) {
    for (;;) {
      auto event = to.poll_event();
      if (!event) {
        const auto waited = co_await to.receive();
        must(waited.has_value(), "a connection ended");
        event = *waited;
      }
      if (look(*event)) {
        count();
      }
    }
  }
};

class PingPong final : public Ours {
 public:
  PingPong(std::string name, const MakePair& make, std::size_t connections, std::vector<std::uint8_t> message)
      : Ours(std::move(name), make, connections, std::move(message)) {
    samples_.reserve(most_samples);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      spawn([this, i] { return ask(pairs_[i]->client, quota(i)); });
      spawn([this, i] { return answer(pairs_[i]->server); });
    }
    context_.poll();
  }
  std::size_t units() const override { return round_trips; }

  /// 50, 90, 99 and 99.9 of a hundred, in µs.
  [[nodiscard]] std::vector<double> percentiles() {
    std::sort(samples_.begin(), samples_.end());
    std::vector<double> out;
    for (const double share : {0.5, 0.9, 0.99, 0.999}) {
      out.push_back(samples_.at(static_cast<std::size_t>(share * static_cast<double>(samples_.size() - 1))));
    }
    return out;
  }

 private:
  asio::awaitable<void> ask(Connection& to, std::size_t times) {
    using Clock = std::chrono::steady_clock;
    for (;;) {
      co_await go().async_wait(quietly);
      for (std::size_t i = 0; i < times; ++i) {
        const auto before = Clock::now();
        send(to);
        bool answered = false;
        while (!answered) {
          const auto event = co_await to.receive();
          must(event.has_value(), "a connection ended");
          answered = look(*event);
        }
        if (!looking_ && samples_.size() < most_samples) {
          samples_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
        }
        count();
      }
    }
  }
  asio::awaitable<void> answer(Connection& to) {
    for (;;) {
      const auto event = co_await to.receive();
      must(event.has_value(), "a connection ended");
      if (look(*event)) {
        send(to);
      }
    }
  }
  std::vector<double> samples_;
};

/// The least that a program must do to move the bytes: write 64 KiB, read what came.
class BareSocket final : public Subject {
 public:
  explicit BareSocket(std::size_t wire_bytes)
      : sockets_(connected_sockets(context_)), wire_(wire_bytes), out_(bare_write, 0x5a), in_(bare_write) {}
  std::string name() const override { return "socket"; }
  std::size_t units() const override { return stream_messages; }
  void pass() override {
    const std::size_t all = wire_ * stream_messages;
    std::size_t sent = 0;
    std::size_t received = 0;
    while (received < all) {
      std::error_code error;
      if (sent < all) {
        sent +=
            sockets_.first.write_some(asio::buffer(out_.data(), std::min(out_.size(), all - sent)), error);
      }
      received += sockets_.second.read_some(asio::buffer(in_), error);
    }
  }
  std::string check() override {
    pass();
    return in_[0] == 0x5a ? "" : "other bytes came";
  }

 private:
  asio::io_context context_;
  std::pair<tcp::socket, tcp::socket> sockets_;
  std::size_t wire_;
  std::vector<std::uint8_t> out_;
  std::vector<std::uint8_t> in_;
};

/// Sealing and opening alone, in calls of `count`.
class SealOpen final : public Subject {
 public:
  SealOpen(std::size_t count, std::vector<std::uint8_t> message)
      : cipher_(std::array<std::uint8_t, crypto::session_key_size>{1, 2, 3}),
        message_(std::move(message)),
        stride_(crypto::sealed_size(message_.size())),
        buffers_(count * stride_),
        seal_(count),
        open_(count) {}
  std::string name() const override { return seal_.size() == 1 ? "single" : "batch"; }
  std::size_t units() const override { return seal_.size(); }
  void pass() override {
    for (std::size_t i = 0; i < seal_.size(); ++i) {
      const Bytes out = Bytes(buffers_).subspan(i * stride_, stride_);
      seal_[i] = crypto::SealItem{&cipher_, message_, {}, out};
    }
    crypto::seal_batch(seal_, crypto::system_rng());
    for (std::size_t i = 0; i < open_.size(); ++i) {
      open_[i] = crypto::OpenItem{&cipher_, seal_[i].sealed};
    }
    crypto::open_batch(open_);
  }
  std::string check() override {
    pass();
    const bool same = std::all_of(open_.begin(), open_.end(), [this](const crypto::OpenItem& item) {
      return std::equal(item.plain.begin(), item.plain.end(), message_.begin(), message_.end());
    });
    return same ? "" : "a packet came out changed";
  }

 private:
  crypto::PacketCipher cipher_;
  std::vector<std::uint8_t> message_;
  std::size_t stride_;
  std::vector<std::uint8_t> buffers_;
  std::vector<crypto::SealItem> seal_;
  std::vector<crypto::OpenItem> open_;
};

/// (a - b) / (factor * c), round by round.
Spread cost_ratio(const Group& group, std::size_t a, std::size_t b, std::size_t c, double factor) {
  std::vector<double> out;
  const auto& with = group.measurement(a).ns_per_unit;
  const auto& without = group.measurement(b).ns_per_unit;
  const auto& unit = group.measurement(c).ns_per_unit;
  for (std::size_t i = 0; i < std::min({with.size(), without.size(), unit.size()}); ++i) {
    out.push_back((with[i] - without[i]) / (factor * unit[i]));
  }
  return spread(std::move(out));
}

}  // namespace

ConnectionReport run_connection_bench(const ConnectionBenchOptions& options) {
  const auto message = product_info_message(options.size);
  const bool tcp_transport = options.transport == "tcp";
  const io::Scheme scheme = tcp_transport                ? io::Scheme::tcp
                            : options.transport == "udp" ? io::Scheme::udp
                                                         : io::Scheme::ws;
  const MakePair whole = [scheme](asio::io_context& context) { return whole_pair(context, scheme); };
  const std::string ours = scheme == io::Scheme::ws ? "plain" : "encrypted";

  Group streams;
  const auto bare = streams.add(std::make_unique<BareSocket>(message.size() + net::tcp_frame_header_size));
  std::optional<std::size_t> plain;
  if (tcp_transport) {
    plain = streams.add(std::make_unique<Stream>("plain", plain_pair, options.connections, message));
  }
  const auto whole_stream = streams.add(std::make_unique<Stream>(ours, whole, options.connections, message));
  const auto batched = streams.add(std::make_unique<SealOpen>(batch, message));
  const Budget budget{.total = budget_of(options.quick, options.seconds, std::chrono::seconds(6)),
                      .slice = std::chrono::milliseconds(1)};
  streams.measure(budget);

  Group trips;
  std::vector<std::pair<std::size_t, PingPong*>> pings;
  const auto add_trip = [&](const std::string& name, const MakePair& make) {
    auto subject = std::make_unique<PingPong>(name, make, options.connections, message);
    PingPong* kept = subject.get();
    pings.emplace_back(trips.add(std::move(subject)), kept);
  };
  if (tcp_transport) {
    add_trip("plain", plain_pair);
  }
  add_trip(ours, whole);
  const auto single = trips.add(std::make_unique<SealOpen>(1, message));
  trips.measure(budget);

  ConnectionReport report;
  report.machine = describe_machine();
  report.transport = options.transport;
  report.connections = options.connections;
  const auto add_row = [&](const Group& group, std::size_t index, const char* op, const std::string& impl) {
    ConnectionRow row;
    row.op = op;
    row.impl = impl;
    row.bytes = message.size();
    row.ns = group.time(index);
    row.allocations = group.measurement(index).allocations_per_unit;
    if (&group == &streams && index != batched) {
      row.ratio_to_socket = group.ratio(index, bare);
    }
    report.rows.push_back(std::move(row));
  };
  add_row(streams, bare, "stream", "socket");
  if (plain) {
    add_row(streams, *plain, "stream", "plain");
    report.stream_cost = cost_ratio(streams, whole_stream, *plain, batched, 1);
    report.ping_pong_cost = cost_ratio(trips, pings[1].first, pings[0].first, single, 2);
  }
  add_row(streams, whole_stream, "stream", ours);
  add_row(streams, batched, "seal+open", "batch");
  for (const auto& ping : pings) {
    add_row(trips, ping.first, "ping-pong", ping.second->name());
    report.rows.back().percentiles_us = ping.second->percentiles();
  }
  add_row(trips, single, "seal+open", "single");
  return report;
}

}  // namespace corliss::bench
