#include "net/machine.h"

namespace corliss::net {

Result<void> Machine::end_of_input(TimePoint) {
  return finish_with(Errc::closed_by_peer);
}

void Machine::drop_prepared() noexcept {
  if (std::exchange(prepared, false)) {
    take_back();
  }
}

Result<Bytes> Machine::prepare(std::size_t size) {
  if (!connected()) {
    return corliss::fail(Errc::not_connected);
  }
  if (size == 0) {
    return corliss::fail(Errc::empty_message);
  }
  if (size > max_message()) {
    return corliss::fail(Errc::message_too_large);
  }
  drop_prepared();
  CORLISS_TRY(const Bytes room, make_room(size));
  prepared = true;
  return room;
}

Result<void> Machine::commit(TimePoint now) {
  if (state.is(Phase::closed)) {
    return corliss::fail(state.reason());
  }
  if (!std::exchange(prepared, false)) {
    return corliss::fail(Errc::nothing_prepared);
  }
  return queue_prepared(now);
}

Result<void> Machine::close(TimePoint now) {
  switch (state.phase()) {
    case Phase::closed:
      return corliss::fail(state.reason());
    case Phase::closing:
      return {};
    case Phase::handshaking:
      finish(Errc::closed_here);
      return {};
    case Phase::connected:
      break;
  }
  drop_prepared();
  state.start_closing();
  start_closing(now);
  return {};
}

Result<void> StreamMachine::end_of_input(TimePoint) {
  return finish_with(inside_message() ? Errc::stream_truncated : Errc::closed_by_peer);
}

std::optional<TimePoint> StreamMachine::deadline() const noexcept {
  const Timeouts& timeouts = options.timeouts;
  if (state.is(Phase::closed)) {
    return std::nullopt;
  }
  TimePoint due = std::min(close_by, after(last_received, timeouts.idle));
  if (state.is(Phase::handshaking)) {
    due = std::min(due, after(started, timeouts.handshake));
  }
  if (inside_message()) {
    due = std::min(due, after(last_received, timeouts.stall));
  }
  if (const auto since = send.waiting_since()) {
    due = std::min(due, after(*since, timeouts.write));
  }
  return due;
}

Result<void> StreamMachine::on_deadline(TimePoint now) {
  const Timeouts& timeouts = options.timeouts;
  if (state.is(Phase::closed)) {
    return corliss::fail(state.reason());
  }
  if (now >= close_by) {
    return finish_with(Errc::closed_here);
  }
  if (state.is(Phase::handshaking) && now >= after(started, timeouts.handshake)) {
    return finish_with(Errc::handshake_timeout);
  }
  if (const auto since = send.waiting_since(); since && now >= after(*since, timeouts.write)) {
    return finish_with(Errc::write_timeout);
  }
  if (inside_message() && now >= after(last_received, timeouts.stall)) {
    return finish_with(Errc::stall_timeout);
  }
  if (now >= after(last_received, timeouts.idle)) {
    return finish_with(Errc::idle_timeout);
  }
  return {};
}

}  // namespace corliss::net
