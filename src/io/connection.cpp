#include "io/await.h"
#include "io/pump.h"

#include <corliss/io/connection.h>

#include <algorithm>
#include <utility>

namespace corliss::io {

Connection::Connection(const asio::any_io_executor& executor, std::unique_ptr<Transport> transport,
                       std::unique_ptr<net::Channel> channel, Endpoint remote)
    : pump_(std::make_shared<Pump>(executor, std::move(transport), std::move(channel), std::move(remote))) {
  pump_->start();
}

Connection::Connection(Connection&&) noexcept = default;

Connection& Connection::operator=(Connection&& other) noexcept {
  Connection ended(std::move(other));
  pump_.swap(ended.pump_);
  return *this;
}

Connection::~Connection() {
  if (pump_) {
    pump_->abandon();
  }
}

std::optional<net::Event> Connection::poll_event() {
  return pump_->poll_event();
}

asio::awaitable<Result<net::Event>> Connection::receive() {
  const auto pump = pump_;  // outlives this object, where it ends meanwhile
  for (;;) {
    if (auto event = pump->poll_event()) {
      co_return *event;
    }
    if (pump->closed()) {
      co_return fail(pump->closed()->reason);
    }
    co_await pump->event_came.wait().async_wait(quietly);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
      co_return fail(Errc::cancelled);
    }
  }
}

Result<Bytes> Connection::prepare(std::size_t size) {
  return pump_->prepare(size);
}

Result<void> Connection::commit() {
  return pump_->commit();
}

asio::awaitable<Result<void>> Connection::writable() {
  const auto pump = pump_;
  while (pump->queued() > send_high_water && pump->connected()) {
    co_await pump->room_came.wait().async_wait(quietly);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
      co_return fail(Errc::cancelled);
    }
  }
  if (pump->closed()) {
    co_return fail(pump->closed()->reason);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Connection::send(ConstBytes message) {
  const auto pump = pump_;
  if (pump->queued() > send_high_water) {
    const auto ready = co_await writable();
    if (!ready) {
      co_return ready;
    }
  }
  const auto room = pump->prepare(message.size());
  if (!room) {
    co_return fail(room.error());
  }
  std::copy(message.begin(), message.end(), room->begin());
  co_return pump->commit();
}

std::size_t Connection::queued() const noexcept {
  return pump_->queued();
}

void Connection::start_close() {
  pump_->start_close();
}

asio::awaitable<net::Closed> Connection::close() {
  const auto pump = pump_;
  pump->start_close();
  for (;;) {
    while (pump->poll_event()) {
    }
    if (pump->closed()) {
      co_return *pump->closed();
    }
    co_await pump->event_came.wait().async_wait(quietly);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
      co_return net::Closed{Errc::cancelled};
    }
  }
}

bool Connection::connected() const noexcept {
  return pump_->connected();
}

const Endpoint& Connection::remote() const noexcept {
  return pump_->remote();
}

std::uint64_t Connection::bytes_in() const noexcept {
  return pump_->bytes_in();
}

std::uint64_t Connection::bytes_out() const noexcept {
  return pump_->bytes_out();
}

}  // namespace corliss::io
