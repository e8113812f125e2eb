#include "io/await.h"
#include "io/listener.h"
#include "io/pump.h"
#include "io/socket_transport.h"

#include <corliss/base/buffer.h>
#include <corliss/base/endian.h>
#include <corliss/net/udp_packet.h>
#include <corliss/net/udp_session.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include <asio/post.hpp>

namespace corliss::io {
namespace {

using asio::ip::udp;

/// Datagrams that are taken before others get their turn.
constexpr int datagrams_per_turn = 64;
/// Clients that wait for `accept`; the client asks again after 3 s.
constexpr std::size_t max_waiting = 1024;
/// What may wait for one session, in bytes; twice its window.
constexpr std::size_t max_inbox = 2 * net::udp_window * net::max_udp_datagram;
/// The socket's buffers serve all sessions; the system may give less.
constexpr int socket_buffer = 4 << 20;

/// A session: the address of the client, and the connection id that it chose.
using Key = std::tuple<udp::endpoint, std::uint32_t>;

class Session;

/// The socket of a listener, alive as long as it or one of its sessions.
class SharedSocket : public std::enable_shared_from_this<SharedSocket> {
 public:
  using Newcomer = std::function<void(std::unique_ptr<Session>, const udp::endpoint&)>;

  explicit SharedSocket(const asio::any_io_executor& executor) : socket_(executor) {}

  std::error_code open(const udp::endpoint& at) {
    auto error = open_at(socket_, at);
    if (!error) {
      socket_.non_blocking(true, error);
    }
    std::error_code ignored;
    socket_.set_option(asio::socket_base::receive_buffer_size(socket_buffer), ignored);
    socket_.set_option(asio::socket_base::send_buffer_size(socket_buffer), ignored);
    return error;
  }
  void start(Newcomer newcomer) {
    newcomer_ = std::move(newcomer);
    wait();
  }
  void stop() noexcept {
    newcomer_ = nullptr;
    close_when_unused();
  }

  udp::socket& socket() noexcept { return socket_; }
  void add(const Key& key, Session* session) { sessions_.emplace(key, session); }
  void remove(const Key& key) noexcept {
    sessions_.erase(key);
    close_when_unused();
  }

 private:
  void close_when_unused() noexcept {
    if (!newcomer_ && sessions_.empty()) {
      std::error_code ignored;
      socket_.close(ignored);
    }
  }
  void wait() {
    socket_.async_wait(udp::socket::wait_read, [self = shared_from_this()](const std::error_code&) {
      if (self->socket_.is_open()) {
        self->read();
      }
    });
  }
  void read();
  void take(Bytes datagram, const udp::endpoint& from);

  udp::socket socket_;
  std::map<Key, Session*> sessions_;
  Newcomer newcomer_;
  std::array<std::uint8_t, net::max_udp_datagram> datagram_;
};

/// One client's datagrams.
class Session final : public Transport {
 public:
  Session(std::shared_ptr<SharedSocket> shared, const udp::endpoint& client, std::uint32_t id)
      : shared_(std::move(shared)), client_(client), key_(client, id) {
    shared_->add(key_, this);
  }
  ~Session() override { Session::close(); }

  /// A datagram came; dropped where too many wait.
  void deliver(ConstBytes datagram) {
    const std::size_t size = size_field + datagram.size();
    if (inbox_.size() + size > max_inbox) {
      const Bytes rest = inbox_.bytes().subspan(taken_);
      std::copy(rest.begin(), rest.end(), inbox_.bytes().begin());
      inbox_.truncate(rest.size());
      taken_ = 0;
    }
    if (inbox_.size() + size > max_inbox) {
      return;
    }
    const Bytes room = inbox_.extend(size);
    store_le<std::uint16_t>(room.data(), static_cast<std::uint16_t>(datagram.size()));
    std::copy(datagram.begin(), datagram.end(), room.begin() + size_field);
    if (const auto waiter = std::move(waiter_)) {
      waiter->on_ready(Ready::read, {});
    }
  }

  Result<std::size_t> read(Bytes room) override {
    if (taken_ == inbox_.size()) {
      return fail(std::make_error_code(std::errc::operation_would_block));
    }
    const Bytes rest = inbox_.bytes().subspan(taken_);
    const std::size_t size = load_le<std::uint16_t>(rest.data());
    const std::size_t count = std::min(size, room.size());
    std::copy_n(rest.begin() + size_field, count, room.begin());
    taken_ += size_field + size;
    if (taken_ == inbox_.size()) {
      inbox_.clear();
      taken_ = 0;
    }
    return count;
  }

  Result<std::size_t> write(ConstBytes bytes) override {
    std::error_code error;
    shared_->socket().send_to(asio::buffer(bytes.data(), bytes.size()), client_, 0, error);
    if (error && is_would_block(error)) {
      return fail(error);
    }
    return bytes.size();  // or lost: an error of the shared socket need not be this client's
  }

  void wait(Ready what, std::shared_ptr<Waiter> waiter) override {
    if (what == Ready::write) {
      wait_for(shared_->socket(), what, std::move(waiter));
    } else if (taken_ < inbox_.size()) {
      asio::post(shared_->socket().get_executor(),
                 [held = std::move(waiter)] { held->on_ready(Ready::read, {}); });
    } else {
      waiter_ = std::move(waiter);
    }
  }

  void close() noexcept override {
    if (!std::exchange(closed_, true)) {
      shared_->remove(key_);
      waiter_.reset();
      inbox_.release();
      taken_ = 0;
    }
  }

 private:
  static constexpr std::size_t size_field = 2;

  std::shared_ptr<SharedSocket> shared_;
  udp::endpoint client_;
  Key key_;
  Buffer inbox_;           ///< datagrams, each behind its size
  std::size_t taken_ = 0;  ///< bytes of `inbox_` that were read
  std::shared_ptr<Waiter> waiter_;
  bool closed_ = false;
};

void SharedSocket::read() {
  for (int turn = 0; turn < datagrams_per_turn && socket_.is_open(); ++turn) {
    std::error_code error;
    udp::endpoint from;
    const std::size_t count = socket_.receive_from(asio::buffer(datagram_), from, 0, error);
    if (error && is_would_block(error)) {
      break;
    }
    if (!error) {  // others are of one datagram: a client that is gone
      take(Bytes(datagram_).first(count), from);
    }
  }
  if (socket_.is_open()) {
    wait();
  }
}

void SharedSocket::take(Bytes datagram, const udp::endpoint& from) {
  const auto packet = net::parse_udp_packet(datagram);
  if (!packet) {
    return;
  }
  const Key key(from, packet->header.source_id);
  if (const auto known = sessions_.find(key); known != sessions_.end()) {
    known->second->deliver(datagram);
  } else if (newcomer_ && packet->header.type == net::UdpPacketType::ChallengeReq &&
             sessions_.size() < max_udp_sessions) {
    auto session = std::make_unique<Session>(shared_from_this(), from, packet->header.source_id);
    session->deliver(datagram);
    newcomer_(std::move(session), from);
  }
}

class UdpListener final : public Listener::Impl {
 public:
  UdpListener(const asio::any_io_executor& executor, ListenOptions given)
      : Impl(executor, Scheme::udp, std::move(given)),
        shared_(std::make_shared<SharedSocket>(executor)),
        came_(executor, TimePoint::max()) {}
  ~UdpListener() override { shared_->stop(); }

  std::error_code open(const udp::endpoint& at) {
    auto error = shared_->open(at);
    if (!error) {
      endpoint_ = endpoint_of(Scheme::udp, shared_->socket().local_endpoint(error));
    }
    if (!error) {
      shared_->start([this](std::unique_ptr<Session> session, const udp::endpoint& from) {
        if (waiting_.size() < max_waiting) {
          waiting_.push_back({std::move(session), from});
          came_.cancel();
        }
      });
    }
    return error;
  }

  asio::awaitable<Result<Connection>> accept(std::shared_ptr<Impl>) override {
    for (;;) {
      while (!waiting_.empty()) {
        Client client = std::move(waiting_.front());
        waiting_.pop_front();
        if (auto connection = admit(std::move(client.session), endpoint_of(Scheme::udp, client.from))) {
          co_return *std::move(connection);
        }
      }
      if (closed_) {
        co_return fail(Errc::listener_closed);
      }
      co_await came_.async_wait(quietly);
      if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
        co_return fail(Errc::cancelled);
      }
    }
  }

  void close() noexcept override {
    closed_ = true;
    waiting_.clear();
    shared_->stop();
    std::error_code ignored;
    came_.cancel(ignored);
  }

 private:
  struct Client {
    std::unique_ptr<Session> session;
    udp::endpoint from;
  };

  std::shared_ptr<SharedSocket> shared_;
  std::deque<Client> waiting_;
  asio::steady_timer came_;
  bool closed_ = false;
};

}  // namespace

Result<std::shared_ptr<Listener::Impl>> listen_udp(const asio::any_io_executor& executor,
                                                   const udp::endpoint& at, ListenOptions options) {
  auto listener = std::make_shared<UdpListener>(executor, std::move(options));
  if (const auto error = listener->open(at)) {
    return fail(from_system(error));
  }
  return listener;
}

}  // namespace corliss::io
