#include <corliss/net/channel.h>

#include <algorithm>

namespace corliss::net {

Result<void> Channel::send(ConstBytes message, TimePoint now) {
  CORLISS_TRY(const Bytes room, prepare(message.size()));
  std::copy(message.begin(), message.end(), room.begin());
  return commit(now);
}

Result<void> OwningChannel::feed(Bytes input, TimePoint now) {
  return machine_->feed(input, now);
}
Result<void> OwningChannel::end_of_input(TimePoint now) {
  return machine_->end_of_input(now);
}
void OwningChannel::fail(std::error_code reason) noexcept {
  machine_->fail(reason);
}
std::optional<Event> OwningChannel::poll_event() {
  return machine_->poll_event();
}
Result<Bytes> OwningChannel::prepare(std::size_t size) {
  return machine_->prepare(size);
}
Result<void> OwningChannel::commit(TimePoint now) {
  return machine_->commit(now);
}
Result<void> OwningChannel::close(TimePoint now) {
  return machine_->close(now);
}
ConstBytes OwningChannel::outgoing() {
  return machine_->outgoing();
}
void OwningChannel::sent(std::size_t count, TimePoint now) {
  machine_->sent(count, now);
}
std::optional<TimePoint> OwningChannel::deadline() const noexcept {
  return machine_->deadline();
}
Result<void> OwningChannel::on_deadline(TimePoint now) {
  return machine_->on_deadline(now);
}
bool OwningChannel::connected() const noexcept {
  return machine_->connected();
}
std::size_t OwningChannel::queued() const noexcept {
  return machine_->queued();
}
void OwningChannel::trim() noexcept {
  machine_->trim();
}

}  // namespace corliss::net
