#include "sim/certificate.h"

#include <corliss/crypto/random_pool.h>
#include <corliss/io/connection.h>
#include <corliss/io/listener.h>
#include <corliss/sim/cm_session.h>
#include <corliss/sim/errc.h>
#include <corliss/sim/faulty_channel.h>
#include <corliss/sim/server.h>

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_set>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/address.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace corliss::sim {
namespace {

constexpr std::size_t universe_key_bits = 1024;
/// Until `accept` is tried again when there are no descriptors.
constexpr Duration accept_pause = std::chrono::milliseconds(100);

TimePoint clock_now() noexcept {
  return TimePoint::clock::now();
}

/// Does to a socket what FaultyChannel says.
class CutTransport final : public io::Transport {
 public:
  explicit CutTransport(std::unique_ptr<io::Transport> inner) : inner_(std::move(inner)) {}

  void cut(Cut how) noexcept {
    if (how == Cut::half_close) {
      inner_->end_output();
    }
    reset_ = how == Cut::reset;
  }

  Result<std::size_t> read(Bytes room) override { return inner_->read(room); }
  Result<std::size_t> write(ConstBytes bytes) override { return inner_->write(bytes); }
  void wait(io::Ready what, std::shared_ptr<io::Waiter> waiter) override {
    inner_->wait(what, std::move(waiter));
  }
  void close() noexcept override { reset_ ? inner_->close_with_reset() : inner_->close(); }
  void end_output() noexcept override { inner_->end_output(); }
  void close_with_reset() noexcept override { inner_->close_with_reset(); }

 private:
  std::unique_ptr<io::Transport> inner_;
  bool reset_ = false;
};

PublicAddress address_of(const io::Endpoint& remote) {
  std::error_code error;
  const auto address = asio::ip::make_address(remote.host, error);
  if (!error && address.is_v6()) {
    const auto bytes = address.to_v6().to_bytes();
    std::array<std::uint8_t, 16> out{};
    std::copy(bytes.begin(), bytes.end(), out.begin());
    return out;
  }
  return error ? std::uint32_t{0} : static_cast<std::uint32_t>(address.to_v4().to_uint());
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::any_io_executor executor, ServerOptions options, crypto::RsaPrivateKey key,
       crypto::RsaPublicKey public_key, Certificate certificate)
      : executor_(std::move(executor)),
        options_(std::move(options)),
        rng_(options_.rng == nullptr ? crypto::system_rng() : *options_.rng),
        key_(std::move(key)),
        public_key_(std::move(public_key)),
        certificate_(std::move(certificate)),
        gone_(executor_, TimePoint::max()) {}

  Result<void> open();
  /// Nobody is served any more.
  void end() noexcept;
  asio::awaitable<void> stop();
  void log_off_all(proto::EResult result);

  [[nodiscard]] const std::vector<io::Endpoint>& endpoints() const noexcept { return endpoints_; }
  [[nodiscard]] const crypto::RsaPublicKey& public_key() const noexcept { return public_key_; }
  [[nodiscard]] const std::string& certificate_pem() const noexcept { return certificate_.chain_pem; }
  [[nodiscard]] std::size_t connections() const noexcept { return clients_.size(); }
  [[nodiscard]] std::size_t logged_on() const noexcept { return cm_ ? cm_->logged_on() : 0; }
  [[nodiscard]] std::uint64_t accepted(io::Scheme scheme) const noexcept {
    return accepted_[static_cast<std::size_t>(scheme)];
  }

 private:
  struct Client {
    Client(io::Connection made, std::shared_ptr<Cm> given, const FaultRules& rules)
        : cm(std::move(given)),
          session(*cm, address_of(made.remote()), rules, clock_now()),
          connection(std::move(made)) {}
    const std::shared_ptr<Cm> cm;  ///< outlives the session, in whatever order the last coroutine ends
    CmSession session;
    std::optional<io::Connection> connection;  ///< ends with the server
    std::optional<asio::steady_timer> timer;
    TimePoint armed_for = TimePoint::max();
    bool closing = false;
  };
  using ClientPtr = std::shared_ptr<Client>;

  struct Door {
    std::optional<io::Listener> listener;
    std::deque<FaultRules> rules;  ///< of the clients that `accept` has still to give
  };

  void admit(Door& door, io::Scheme scheme, const io::Accepting& accepting);
  static asio::awaitable<void> accept(std::shared_ptr<Impl> self, Door& door);
  static asio::awaitable<void> serve(std::shared_ptr<Impl> self, ClientPtr client);
  void flush(const ClientPtr& client);
  void arm(const ClientPtr& client);

  asio::any_io_executor executor_;
  ServerOptions options_;
  Rng& rng_;
  crypto::RsaPrivateKey key_;
  crypto::RsaPublicKey public_key_;
  Certificate certificate_;
  std::vector<std::unique_ptr<Door>> doors_;
  std::vector<io::Endpoint> endpoints_;
  std::array<std::uint64_t, scheme_count> accepted_{};
  std::shared_ptr<Cm> cm_;
  std::unordered_set<ClientPtr> clients_;
  asio::steady_timer gone_;  ///< cancelled whenever a client goes
  bool ended_ = false;
};

Result<void> Server::Impl::open() {
  CORLISS_TRY(const auto tls, io::TlsContext::server(certificate_.chain_pem, certificate_.key_pem));
  for (const auto& rule : options_.faults) {
    CORLISS_CHECK(check(rule));
  }
  for (const auto& at : options_.listen) {
    auto door = std::make_unique<Door>();
    io::ListenOptions listen;
    listen.handshake.key = &key_;
    listen.handshake.universe = options_.cm.universe;
    listen.handshake.legacy = options_.legacy;
    listen.handshake.key_log = options_.key_log;
    listen.tls = tls;
    listen.limits = options_.limits;
    listen.timeouts = options_.timeouts;
    listen.rng = &rng_;
    listen.on_accept = [this, where = door.get(), scheme = at.scheme](const io::Accepting& accepting) {
      admit(*where, scheme, accepting);
    };
    CORLISS_TRY(auto listener, io::Listener::open(executor_, at, std::move(listen)));
    endpoints_.push_back(listener.endpoint());
    door->listener = std::move(listener);
    doors_.push_back(std::move(door));
  }
  auto cm = options_.cm;
  if (cm.cm_list.empty()) {
    for (const auto& endpoint : endpoints_) {
      if (endpoint.scheme == io::Scheme::wss) {
        cm.cm_list.push_back(endpoint.authority());
      }
    }
  }
  cm_ = std::make_shared<Cm>(std::move(cm), rng_);
  for (const auto& door : doors_) {
    asio::co_spawn(executor_, accept(shared_from_this(), *door), asio::detached);
  }
  return {};
}

/// Puts the client's faults between its channel and its socket.
void Server::Impl::admit(Door& door, io::Scheme scheme, const io::Accepting& accepting) {
  const auto number = ++accepted_[static_cast<std::size_t>(scheme)];
  auto rules = rules_for(options_.faults, scheme, number);
  for (const auto& rule : rules) {
    if (rule.kind == FaultKind::result && rule.at == FaultPoint::channel) {
      accepting.handshake.result = rule.result;
    }
  }
  if (FaultyChannel::wanted(rules)) {
    auto transport = std::make_unique<CutTransport>(std::move(accepting.transport));
    accepting.wrap = [this, scheme, rules, socket = transport.get()](std::unique_ptr<net::Channel> inner) {
      return std::make_unique<FaultyChannel>(std::move(inner), scheme, rules, rng_, clock_now(),
                                             [socket](Cut how) { socket->cut(how); });
    };
    FaultRules oversized;
    std::copy_if(rules.begin(), rules.end(), std::back_inserter(oversized),
                 [](const FaultRule& rule) { return rule.kind == FaultKind::oversized; });
    if (scheme == io::Scheme::wss && !oversized.empty()) {
      accepting.wrap_inside_tls = [this, oversized](std::unique_ptr<net::Channel> inner) {
        return std::make_unique<FaultyChannel>(std::move(inner), io::Scheme::ws, oversized, rng_,
                                               clock_now());
      };
    }
    accepting.transport = std::move(transport);
  }
  door.rules.push_back(std::move(rules));
}

asio::awaitable<void> Server::Impl::accept(std::shared_ptr<Impl> self, Door& door) {
  for (;;) {
    auto connection = co_await door.listener->accept();
    if (self->ended_) {
      co_return;
    }
    if (!connection) {
      if (connection.error() == io::Errc::listener_closed) {
        co_return;
      }
      asio::steady_timer pause(self->executor_, accept_pause);
      std::error_code ignored;
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      if (self->ended_) {
        co_return;
      }
      continue;
    }
    const auto client = std::make_shared<Client>(*std::move(connection), self->cm_, door.rules.front());
    door.rules.pop_front();
    self->clients_.insert(client);
    self->arm(client);
    asio::co_spawn(self->executor_, serve(self, client), asio::detached);
  }
}

asio::awaitable<void> Server::Impl::serve(std::shared_ptr<Impl> self, ClientPtr client) {
  while (client->connection) {
    const auto event = co_await client->connection->receive();
    if (!event || std::holds_alternative<net::Closed>(*event) || !client->connection) {
      break;
    }
    if (const auto* received = std::get_if<net::Received>(&*event)) {
      (void)client->session.receive(received->message, clock_now());
      self->flush(client);
      if (client->connection->queued() > io::send_high_water) {
        (void)co_await client->connection->writable();
      }
    }
  }
  client->timer.reset();
  client->connection.reset();
  self->clients_.erase(client);
  self->gone_.cancel();
}

/// Sends what the session has to say, and closes where it is over.
void Server::Impl::flush(const ClientPtr& client) {
  if (!client->connection) {
    return;
  }
  const TimePoint now = clock_now();
  bool good = true;
  while (const auto message = client->session.poll_message(now)) {
    const auto room =
        good ? client->connection->prepare(message->size()) : Result<Bytes>(fail(Errc::logged_off));
    good = room.has_value();
    if (good) {
      std::copy(message->begin(), message->end(), room->begin());
      good = client->connection->commit().has_value();
    }
  }
  if ((!good || client->session.over()) && !std::exchange(client->closing, true)) {
    client->connection->start_close();
  }
  arm(client);
}

void Server::Impl::arm(const ClientPtr& client) {
  const auto due = client->session.deadline();
  if (!due || *due >= client->armed_for || !client->connection) {
    return;  // an earlier timer looks again by itself
  }
  if (!client->timer) {
    client->timer.emplace(executor_);
  }
  client->armed_for = *due;
  client->timer->expires_at(*due);
  client->timer->async_wait(
      [self = weak_from_this(), weak = std::weak_ptr(client)](const std::error_code& error) {
        const auto server = self.lock();
        const auto mine = weak.lock();
        if (error || !server || !mine) {
          return;
        }
        mine->armed_for = TimePoint::max();
        mine->session.on_deadline(clock_now());
        server->flush(mine);
      });
}

void Server::Impl::end() noexcept {
  ended_ = true;
  for (const auto& door : doors_) {
    door->listener->close();
  }
  for (const auto& client : clients_) {
    client->timer.reset();
    client->connection.reset();
  }
  gone_.cancel();
}

void Server::Impl::log_off_all(proto::EResult result) {
  for (const auto& client : clients_) {
    client->session.log_off(result, clock_now());
    flush(client);
  }
}

asio::awaitable<void> Server::Impl::stop() {
  for (const auto& door : doors_) {
    door->listener->close();
  }
  for (const auto& client : clients_) {
    if (client->connection) {
      client->closing = true;
      client->connection->start_close();
    }
  }
  while (!clients_.empty()) {
    gone_.expires_at(TimePoint::max());
    std::error_code ignored;
    co_await gone_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

Result<Server> Server::start(const asio::any_io_executor& executor, ServerOptions options) {
  CORLISS_TRY(auto key, options.key_pem.empty() ? crypto::RsaPrivateKey::generate(universe_key_bits)
                                                : crypto::RsaPrivateKey::from_pem(options.key_pem));
  CORLISS_TRY(auto public_key, key.public_key());
  CORLISS_TRY(auto certificate, make_certificate());
  auto impl = std::make_shared<Impl>(executor, std::move(options), std::move(key), std::move(public_key),
                                     std::move(certificate));
  if (auto opened = impl->open(); !opened) {
    impl->end();
    return fail(opened.error());
  }
  return Server(std::move(impl));
}

Server::Server(std::shared_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Server::Server(Server&&) noexcept = default;

Server& Server::operator=(Server&& other) noexcept {
  Server ended(std::move(other));
  impl_.swap(ended.impl_);
  return *this;
}

Server::~Server() {
  if (impl_) {
    impl_->end();
  }
}

const std::vector<io::Endpoint>& Server::endpoints() const noexcept {
  return impl_->endpoints();
}

std::optional<io::Endpoint> Server::endpoint(io::Scheme scheme) const {
  const auto& all = impl_->endpoints();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [scheme](const io::Endpoint& one) { return one.scheme == scheme; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

const crypto::RsaPublicKey& Server::public_key() const noexcept {
  return impl_->public_key();
}

const std::string& Server::certificate_pem() const noexcept {
  return impl_->certificate_pem();
}

std::size_t Server::connections() const noexcept {
  return impl_->connections();
}

std::size_t Server::logged_on() const noexcept {
  return impl_->logged_on();
}

std::uint64_t Server::accepted(io::Scheme scheme) const noexcept {
  return impl_->accepted(scheme);
}

void Server::log_off_all(proto::EResult result) {
  impl_->log_off_all(result);
}

asio::awaitable<void> Server::stop() {
  return impl_->stop();
}

}  // namespace corliss::sim
