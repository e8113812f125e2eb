#pragma once

#include "net/channel_state.h"
#include "net/deadline.h"
#include "net/send_queue.h"

#include <corliss/net/channel.h>
#include <corliss/net/handshake.h>

#include <algorithm>

namespace corliss::net {

using Phase = ChannelState::Phase;

/// What the machines of all transports do alike: the checks in front of sending, and one end.
class Machine : public Channel {
 public:
  [[nodiscard]] Result<void> end_of_input(TimePoint now) override;
  void fail(std::error_code reason) noexcept final { finish(reason); }
  [[nodiscard]] std::optional<Event> poll_event() final { return state.poll(); }
  [[nodiscard]] Result<Bytes> prepare(std::size_t size) final;
  [[nodiscard]] Result<void> commit(TimePoint now) final;
  [[nodiscard]] Result<void> close(TimePoint now) final;
  [[nodiscard]] bool connected() const noexcept final { return state.is(Phase::connected); }

 protected:
  Machine(const ChannelOptions& given, TimePoint now) : options(given), started(now) {
    options.limits.message = std::min(options.limits.message, max_frame_size);
  }

  void finish(std::error_code reason, std::int32_t detail = 0) noexcept {
    if (!state.is(Phase::closed)) {
      state.finish(reason, detail);
      prepared = false;
      forget();
    }
  }
  Result<void> finish_with(std::error_code reason, std::int32_t detail = 0) noexcept {
    finish(reason, detail);
    return corliss::fail(state.reason());
  }

  /// The largest message that Limits::message allows.
  [[nodiscard]] virtual std::size_t max_message() const noexcept = 0;
  virtual Result<Bytes> make_room(std::size_t size) = 0;
  /// Takes back the last room.
  virtual void take_back() noexcept {}
  virtual Result<void> queue_prepared(TimePoint now) = 0;
  /// The state is `closing`: what is to be said goes out.
  virtual void start_closing(TimePoint now) = 0;
  /// It is over: wipes and drops everything but what is being written.
  virtual void forget() noexcept = 0;

  ChannelOptions options;
  ChannelState state;
  TimePoint started;
  bool prepared = false;

 private:
  void drop_prepared() noexcept;
};

/// A machine whose transport is a stream of bytes.
class StreamMachine : public Machine {
 public:
  [[nodiscard]] Result<void> end_of_input(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> deadline() const noexcept override;
  [[nodiscard]] Result<void> on_deadline(TimePoint now) override;

 protected:
  StreamMachine(const ChannelOptions& given, TimePoint now) : Machine(given, now), last_received(now) {}

  /// Whether a frame or message has begun and is not complete.
  [[nodiscard]] virtual bool inside_message() const noexcept = 0;

  SendQueue send;
  TimePoint last_received;
  TimePoint close_by = TimePoint::max();
};

}  // namespace corliss::net
