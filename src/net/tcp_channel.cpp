#include "net/channel_state.h"
#include "net/deadline.h"
#include "net/handshake.h"
#include "net/inbox.h"
#include "net/send_queue.h"

#include <corliss/net/tcp_channel.h>
#include <corliss/net/tcp_frame.h>

#include <algorithm>
#include <array>

namespace corliss::net {

using Phase = ChannelState::Phase;

struct TcpChannel::Impl {
  ChannelOptions options;
  Rng* rng = nullptr;
  ChannelState state;
  std::optional<Handshake> handshake;
  PacketCodec codec;

  TcpFrameReader reader;
  Inbox inbox;

  struct Record {
    std::size_t offset;  ///< of the frame in send.filling()
    std::size_t plain;
  };
  SendQueue send;
  std::vector<Record> unsealed;
  std::optional<Record> prepared;

  TimePoint started;
  TimePoint last_received;
  TimePoint close_by = TimePoint::max();

  Impl(const ChannelOptions& given, Rng* random, TimePoint now)
      : options(given), rng(random), started(now), last_received(now) {
    options.limits.message = std::min(options.limits.message, max_frame_size);
    reader.set_limit(std::min(options.limits.message, max_handshake_size));
  }

  void connect() {
    reader.set_limit(options.limits.message);
    state.connect();
  }

  void finish(std::error_code reason, std::int32_t detail = 0) noexcept {
    if (state.is(Phase::closed)) {
      return;
    }
    state.finish(reason, detail);
    reader.wipe_rest();
    inbox.clear();
    unsealed.clear();
    prepared.reset();
    send.drop_unwritten();
    handshake.reset();
  }
  Result<void> finish_with(std::error_code reason, std::int32_t detail = 0) noexcept {
    finish(reason, detail);
    return corliss::fail(state.reason());
  }

  void queue_handshake_message(ConstBytes message, TimePoint now) {
    if (!message.empty()) {
      const Bytes room = send.filling().extend(tcp_frame_header_size + message.size());
      write_tcp_frame_header(room.first<tcp_frame_header_size>(), static_cast<std::uint32_t>(message.size()));
      std::copy(message.begin(), message.end(), room.begin() + tcp_frame_header_size);
      send.note_queued(now);
    }
  }

  Result<void> on_handshake_message(ConstBytes message, TimePoint now) {
    const auto answer = handshake->on_message(message);
    if (!answer) {
      // The last answer outlives the handshake, which `finish` ends.
      const std::vector<std::uint8_t> last(handshake->farewell().begin(), handshake->farewell().end());
      finish(answer.error(), handshake->refusal());
      queue_handshake_message(last, now);
      return corliss::fail(state.reason());
    }
    queue_handshake_message(*answer, now);
    if (handshake->done()) {
      codec = handshake->take_codec();
      handshake.reset();
      connect();
    }
    return {};
  }

  /// Opens what was gathered, in order, up to the first packet that is refused.
  Result<void> open_batch() {
    const auto opened = inbox.open(codec, state);
    return opened ? Result<void>{} : finish_with(opened.error());
  }

  Result<void> on_frame(Bytes payload, TimePoint now) {
    if (payload.empty()) {
      CORLISS_CHECK(open_batch());
      return finish_with(Errc::empty_message);
    }
    if (handshake) {
      return on_handshake_message(payload, now);
    }
    const auto added = inbox.add(payload, codec, state);
    return added ? Result<void>{} : finish_with(added.error());
  }

  Result<void> read_frames(TimePoint now) {
    for (;;) {
      const auto frame = reader.next();
      if (!frame) {
        CORLISS_CHECK(open_batch());
        return finish_with(handshake && frame.error() == Errc::frame_too_large ? Errc::handshake_too_large
                                                                               : frame.error());
      }
      if (!*frame) {
        return open_batch();
      }
      CORLISS_CHECK(on_frame(**frame, now));
    }
  }

  /// Seals everything that was committed, where it lies, and turns it into frames.
  Result<void> seal() {
    std::array<PacketCodec::Record, max_batch> records;
    const Bytes all = send.filling().bytes();
    for (std::size_t at = 0; at < unsealed.size(); at += records.size()) {
      const std::size_t count = std::min(records.size(), unsealed.size() - at);
      for (std::size_t i = 0; i < count; ++i) {
        const Record& record = unsealed[at + i];
        const std::size_t payload = codec.sealed_size(record.plain);
        const Bytes frame = all.subspan(record.offset, tcp_frame_header_size + payload);
        write_tcp_frame_header(frame.first<tcp_frame_header_size>(), static_cast<std::uint32_t>(payload));
        records[i] = {frame.subspan(tcp_frame_header_size), record.plain};
      }
      CORLISS_CHECK(codec.seal(std::span(records).first(count), rng));
    }
    unsealed.clear();
    return {};
  }
};

TcpChannel::TcpChannel(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
TcpChannel::TcpChannel(TcpChannel&&) noexcept = default;
TcpChannel& TcpChannel::operator=(TcpChannel&&) noexcept = default;
TcpChannel::~TcpChannel() = default;

TcpChannel TcpChannel::client(ClientHandshake handshake, const ChannelOptions& options, Rng& rng,
                              TimePoint now) {
  auto impl = std::make_unique<Impl>(options, &rng, now);
  impl->handshake.emplace(std::move(handshake), rng);
  return TcpChannel(std::move(impl));
}

TcpChannel TcpChannel::server(ServerHandshake handshake, const ChannelOptions& options, Rng& rng,
                              TimePoint now) {
  auto impl = std::make_unique<Impl>(options, &rng, now);
  impl->handshake.emplace(std::move(handshake), rng);
  if (const auto request = impl->handshake->start()) {
    impl->queue_handshake_message(*request, now);
  } else {
    impl->finish(request.error());
  }
  return TcpChannel(std::move(impl));
}

TcpChannel TcpChannel::plain(const ChannelOptions& options, TimePoint now) {
  auto impl = std::make_unique<Impl>(options, nullptr, now);
  impl->connect();
  return TcpChannel(std::move(impl));
}

Result<void> TcpChannel::feed(Bytes input, TimePoint now) {
  auto& s = *impl_;
  s.state.start_feed();
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  CORLISS_CHECK(s.reader.feed(input));
  if (!input.empty()) {
    s.last_received = now;
  }
  return s.read_frames(now);
}

Result<void> TcpChannel::end_of_input(TimePoint) {
  auto& s = *impl_;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  return s.finish_with(s.reader.inside_frame() ? Errc::stream_truncated : Errc::closed_by_peer);
}

void TcpChannel::fail(std::error_code reason) noexcept {
  impl_->finish(reason);
}

std::optional<Event> TcpChannel::poll_event() {
  return impl_->state.poll();
}

Result<Bytes> TcpChannel::prepare(std::size_t size) {
  auto& s = *impl_;
  if (!s.state.is(Phase::connected)) {
    return corliss::fail(Errc::not_connected);
  }
  if (size == 0) {
    return corliss::fail(Errc::empty_message);
  }
  if (size > s.codec.max_plain(s.options.limits.message)) {
    return corliss::fail(Errc::message_too_large);
  }
  if (s.prepared) {
    s.send.filling().truncate(s.prepared->offset);
    s.prepared.reset();
  }
  const std::size_t frame = tcp_frame_header_size + s.codec.sealed_size(size);
  if (s.send.size() + frame > s.options.limits.queued) {
    return corliss::fail(Errc::queue_full);
  }
  Impl::Record record{s.send.filling().size(), size};
  const Bytes room = s.send.filling().extend(frame);
  s.prepared = record;
  return room.subspan(tcp_frame_header_size + s.codec.headroom(), size);
}

Result<void> TcpChannel::commit(TimePoint now) {
  auto& s = *impl_;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  if (!s.prepared) {
    return corliss::fail(Errc::nothing_prepared);
  }
  s.unsealed.push_back(*s.prepared);
  s.prepared.reset();
  s.send.note_queued(now);
  return {};
}

Result<void> TcpChannel::close(TimePoint now) {
  auto& s = *impl_;
  switch (s.state.phase()) {
    case Phase::closed:
      return corliss::fail(s.state.reason());
    case Phase::closing:
      return {};
    case Phase::handshaking:
      s.finish(Errc::closed_here);
      return {};
    case Phase::connected:
      break;
  }
  if (s.prepared) {
    s.send.filling().truncate(s.prepared->offset);
    s.prepared.reset();
  }
  s.state.start_closing();
  s.close_by = after(now, s.options.timeouts.close);
  if (s.send.empty()) {
    s.finish(Errc::closed_here);
  }
  return {};
}

ConstBytes TcpChannel::outgoing() {
  auto& s = *impl_;
  if (s.send.outgoing().empty() && !s.prepared && !s.send.filling().empty()) {
    if (const auto sealed = s.seal(); !sealed) {
      s.finish(sealed.error());
      return {};
    }
    s.send.turn();
  }
  return s.send.outgoing();
}

void TcpChannel::sent(std::size_t count, TimePoint now) {
  auto& s = *impl_;
  s.send.sent(count, now);
  if (s.state.is(Phase::closing) && s.send.empty()) {
    s.finish(Errc::closed_here);
  }
}

std::optional<TimePoint> TcpChannel::deadline() const noexcept {
  const auto& s = *impl_;
  const Timeouts& timeouts = s.options.timeouts;
  if (s.state.is(Phase::closed)) {
    return std::nullopt;
  }
  TimePoint due = std::min(s.close_by, after(s.last_received, timeouts.idle));
  if (s.state.is(Phase::handshaking)) {
    due = std::min(due, after(s.started, timeouts.handshake));
  }
  if (s.reader.inside_frame()) {
    due = std::min(due, after(s.last_received, timeouts.stall));
  }
  if (const auto since = s.send.waiting_since()) {
    due = std::min(due, after(*since, timeouts.write));
  }
  return due;
}

Result<void> TcpChannel::on_deadline(TimePoint now) {
  auto& s = *impl_;
  const Timeouts& timeouts = s.options.timeouts;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  if (now < *deadline()) {
    return {};
  }
  if (s.state.is(Phase::closing)) {
    return s.finish_with(Errc::closed_here);
  }
  if (s.state.is(Phase::handshaking) && now >= after(s.started, timeouts.handshake)) {
    return s.finish_with(Errc::handshake_timeout);
  }
  if (const auto since = s.send.waiting_since(); since && now >= after(*since, timeouts.write)) {
    return s.finish_with(Errc::write_timeout);
  }
  const bool stalled = s.reader.inside_frame() && now >= after(s.last_received, timeouts.stall);
  return s.finish_with(stalled ? Errc::stall_timeout : Errc::idle_timeout);
}

bool TcpChannel::connected() const noexcept {
  return impl_->state.is(Phase::connected);
}

std::size_t TcpChannel::queued() const noexcept {
  return impl_->send.size();
}

void TcpChannel::trim() noexcept {
  auto& s = *impl_;
  s.state.drop_messages();
  s.state.trim();
  s.reader.trim();
  s.send.trim();
  if (s.unsealed.empty()) {
    std::vector<Impl::Record>().swap(s.unsealed);
  }
}

}  // namespace corliss::net
