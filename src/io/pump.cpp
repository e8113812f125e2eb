#include "io/pump.h"

#include "io/socket_transport.h"

#include <algorithm>
#include <new>
#include <utility>

#include <asio/error.hpp>
#include <asio/post.hpp>

namespace corliss::io {
namespace {

/// Datagrams that are read before others get their turn.
constexpr int datagrams_per_turn = 16;

TimePoint clock_now() noexcept {
  return TimePoint::clock::now();
}

}  // namespace

void Connection::Pump::Signal::notify() noexcept {
  if (std::exchange(waited_for_, false)) {
    std::error_code ignored;
    timer_.cancel(ignored);
  }
}

Connection::Pump::Pump(const asio::any_io_executor& executor, std::unique_ptr<Transport> transport,
                       std::unique_ptr<net::Channel> channel, Endpoint remote)
    : event_came(executor),
      room_came(executor),
      executor_(executor),
      buffers_(ReadBuffers::of(executor)),
      transport_(std::move(transport)),
      channel_(std::move(channel)),
      remote_(std::move(remote)),
      timer_(executor) {}

/// One step of the machine. Without memory the connection ends.
template <class Step>
void Connection::Pump::guarded(Step step) {
  const TimePoint now = clock_now();
  try {
    step(now);
    settle(now);
  } catch (const std::bad_alloc&) {
    channel_->fail(Errc::no_memory);
    end();
    peek();
    event_came.notify();
    room_came.notify();
  }
}

void Connection::Pump::start() {
  guarded([this](TimePoint now) {
    moved(now);
    want_read();
  });
}

void Connection::Pump::abandon() noexcept {
  if (!over_) {
    guarded([this](TimePoint now) { (void)channel_->close(now); });
    end();
  }
  next_.reset();
  if (!closed_) {
    closed_ = net::Closed{net::Errc::closed_here};
  }
  input_.give_back();
  event_came.notify();
  room_came.notify();
}

std::optional<net::Event> Connection::Pump::poll_event() {
  if (closed_) {
    return std::nullopt;
  }
  auto event = next_ ? std::exchange(next_, std::nullopt) : channel_->poll_event();
  told_ = event && std::holds_alternative<net::Received>(*event);
  if (const auto* closed = event ? std::get_if<net::Closed>(&*event) : nullptr) {
    closed_ = *closed;
    event_came.notify();
    room_came.notify();
  } else if (!told_ && !peek()) {
    input_.give_back();  // whether or not anybody asks again: acknowledgements may come
    want_read();
  }
  return event;
}

Result<void> Connection::Pump::commit() {
  CORLISS_CHECK(channel_->commit(clock_now()));
  schedule_write();
  return {};
}

void Connection::Pump::start_close() {
  (void)channel_->close(clock_now());
  schedule_write();
}

/// Later, in one go: what is committed until then is sealed as one batch.
void Connection::Pump::schedule_write() {
  if (!over_ && !std::exchange(scheduled_, true)) {
    asio::post(executor_, [self = shared_from_this()] {
      self->scheduled_ = false;
      if (!self->over_) {
        self->guarded([](TimePoint) {});
      }
    });
  }
}

void Connection::Pump::on_ready(Ready what, std::error_code error) {
  (what == Ready::read ? reading_ : writing_) = false;
  if (over_) {
    return;
  }
  guarded([&](TimePoint now) {
    if (error) {
      channel_->fail(from_system(error));
    } else if (what == Ready::read) {
      read(now);
    }
  });
}

void Connection::Pump::on_timer() {
  armed_for_ = TimePoint::max();
  if (over_) {
    return;
  }
  guarded([this](TimePoint now) {
    (void)channel_->on_deadline(now);
    if (!trimmed_ && now >= active_at_ + trim_after) {
      trimmed_ = !told_ && !next_;
      if (trimmed_) {
        channel_->trim();
      } else {
        active_at_ = now;  // look again
      }
    }
  });
}

/// Whether there is something to tell.
bool Connection::Pump::peek() {
  if (!next_ && !closed_) {
    next_ = channel_->poll_event();
  }
  return next_.has_value();
}

void Connection::Pump::want_read() {
  if (over_ || std::exchange(reading_, true)) {
    return;
  }
  if (more_input_) {
    asio::post(executor_, [self = shared_from_this()] { self->on_ready(Ready::read, {}); });
  } else {
    transport_->wait(Ready::read, shared_from_this());
  }
}

void Connection::Pump::read(TimePoint now) {
  if (told_ || next_) {
    return;  // poll_event goes on
  }
  const bool datagrams = remote_.scheme == Scheme::udp;
  for (int turn = 0; turn < (datagrams ? datagrams_per_turn : 1); ++turn) {
    const Bytes room = input_.take(buffers_);
    const auto count = transport_->read(room);
    if (!count) {
      if (is_would_block(count.error())) {
        more_input_ = false;
        break;
      }
      channel_->fail(from_system(count.error()));
      return;
    }
    if (*count == 0 && !datagrams) {
      if (reset_) {
        channel_->fail(Errc::connection_reset);
      } else {
        (void)channel_->end_of_input(now);
      }
      return;
    }
    moved(now);
    bytes_in_ += *count;
    more_input_ = datagrams || *count == room.size();
    (void)channel_->feed(room.first(*count), now);
    if (peek()) {
      return;
    }
  }
  input_.give_back();
  want_read();
}

void Connection::Pump::write(TimePoint now) {
  while (!writing_ && !over_) {
    const ConstBytes bytes = channel_->outgoing();
    if (bytes.empty()) {
      return;
    }
    const auto count = transport_->write(bytes);
    if (count) {
      moved(now);
      bytes_out_ += *count;
      channel_->sent(*count, now);
    } else if (is_would_block(count.error())) {
      writing_ = true;
      transport_->wait(Ready::write, shared_from_this());
    } else {
      // The system tells a reset once; reading then shows an end. EPIPE follows a proper end, too.
      reset_ = reset_ || count.error() == asio::error::connection_reset;
      read(now);  // the peer may have said why
      channel_->fail(from_system(count.error()));
      return;
    }
  }
}

/// After anything happened: writes, tells, ends, sets the clock.
void Connection::Pump::settle(TimePoint now) {
  write(now);
  if (!over_ && !channel_->deadline()) {
    write(now);  // a goodbye, if it needs no waiting
    end();
  }
  arm_timer();
  if (peek()) {
    event_came.notify();
  }
  if (over_ || queued() <= send_high_water) {
    room_came.notify();
  }
}

void Connection::Pump::arm_timer() {
  const auto deadline = channel_->deadline();
  if (over_ || !deadline) {
    return;
  }
  const TimePoint due = trimmed_ ? *deadline : std::min(*deadline, active_at_ + trim_after);
  // A timer that is due earlier looks again by itself, so that a busy connection does not set it at all.
  if (due < armed_for_) {
    armed_for_ = due;
    timer_.expires_at(due);
    timer_.async_wait([self = shared_from_this()](const std::error_code& error) {
      if (!error) {
        self->on_timer();
      }
    });
  }
}

void Connection::Pump::end() noexcept {
  over_ = true;
  transport_->close();
  std::error_code ignored;
  timer_.cancel(ignored);
}

}  // namespace corliss::io
