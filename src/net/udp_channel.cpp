#include "net/channel_state.h"
#include "net/deadline.h"
#include "net/handshake.h"
#include "net/inbox.h"

#include <corliss/base/endian.h>
#include <corliss/net/udp_channel.h>

#include <algorithm>
#include <array>

namespace corliss::net {

using Phase = ChannelState::Phase;

struct UdpChannel::Impl {
  ChannelOptions options;
  Rng* rng;
  ChannelState state;
  std::optional<Handshake> handshake;
  PacketCodec codec;
  UdpSession session;
  TimePoint started;

  Inbox inbox;
  std::vector<PacketCodec::Record> unsealed;  ///< committed; they lie in the session
  std::optional<PacketCodec::Record> prepared;

  Impl(const ChannelOptions& given, const UdpSessionOptions& session_options, Rng& random, TimePoint now)
      : options(given), rng(&random), session(session_options, now), started(now) {
    options.limits.message = std::min(options.limits.message, max_frame_size);
    session.set_message_limit(std::min(options.limits.message, max_handshake_size));
  }

  static UdpSessionOptions session_options(UdpSessionOptions::Side side, std::uint32_t connection_id,
                                           const ChannelOptions& options) {
    UdpSessionOptions out;
    out.side = side;
    out.connection_id = connection_id;
    out.limits = options.limits;
    out.timeouts = options.timeouts;
    return out;
  }

  void finish(std::error_code reason, std::int32_t detail = 0) noexcept {
    if (state.is(Phase::closed)) {
      return;
    }
    state.finish(reason, detail);
    session.fail(state.reason());  // says goodbye, where it was not the session that ended
    inbox.clear();
    unsealed.clear();
    prepared.reset();
    handshake.reset();
  }
  Result<void> finish_with(std::error_code reason, std::int32_t detail = 0) noexcept {
    finish(reason, detail);
    return corliss::fail(state.reason());
  }

  Result<void> queue_handshake_message(ConstBytes message, TimePoint now) {
    if (message.empty()) {
      return {};
    }
    CORLISS_TRY(const Bytes room, session.prepare(message.size()));
    std::copy(message.begin(), message.end(), room.begin());
    return session.commit(now);
  }

  Result<void> on_handshake_message(ConstBytes message, TimePoint now) {
    const auto answer = handshake->on_message(message);
    if (!answer) {
      // The refusal is queued before the goodbye, which waits for it: `close` instead of `fail`.
      if (!handshake->farewell().empty() && queue_handshake_message(handshake->farewell(), now)) {
        state.finish(answer.error(), handshake->refusal());
        handshake.reset();
        (void)session.close(now);
        return corliss::fail(state.reason());
      }
      return finish_with(answer.error(), handshake->refusal());
    }
    CORLISS_CHECK(queue_handshake_message(*answer, now));
    if (handshake->done()) {
      codec = handshake->take_codec();
      handshake.reset();
      session.set_message_limit(options.limits.message);
      state.connect();
    }
    return {};
  }

  Result<void> open_batch() {
    const auto opened = inbox.open(codec, state);
    return opened ? Result<void>{} : finish_with(opened.error());
  }

  /// Takes what the session has to tell.
  Result<void> drain(TimePoint now) {
    while (const auto event = session.poll_event()) {
      if (const auto* received = std::get_if<Received>(&*event)) {
        if (state.is(Phase::closed)) {
          continue;
        }
        if (received->message.empty()) {
          CORLISS_CHECK(open_batch());
          return finish_with(Errc::empty_message);
        }
        if (handshake) {
          CORLISS_CHECK(on_handshake_message(received->message, now));
          continue;
        }
        if (const auto added = inbox.add(received->message, codec, state); !added) {
          return finish_with(added.error());
        }
      } else if (const auto* closed = std::get_if<Closed>(&*event)) {
        CORLISS_CHECK(open_batch());
        const bool too_early = handshake && closed->reason == Errc::frame_too_large;
        return finish_with(too_early ? make_error_code(Errc::handshake_too_large) : closed->reason);
      } else if (handshake) {  // Connected
        CORLISS_TRY(const ConstBytes request, handshake->start());
        CORLISS_CHECK(queue_handshake_message(request, now));
      }
    }
    return open_batch();
  }
};

UdpChannel::UdpChannel(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
UdpChannel::UdpChannel(UdpChannel&&) noexcept = default;
UdpChannel& UdpChannel::operator=(UdpChannel&&) noexcept = default;
UdpChannel::~UdpChannel() = default;

UdpChannel UdpChannel::client(ClientHandshake handshake, std::uint32_t connection_id,
                              const ChannelOptions& options, Rng& rng, TimePoint now) {
  auto impl = std::make_unique<Impl>(
      options, Impl::session_options(UdpSessionOptions::Side::client, connection_id, options), rng, now);
  impl->handshake.emplace(std::move(handshake), rng);
  return UdpChannel(std::move(impl));
}

UdpChannel UdpChannel::server(ServerHandshake handshake, std::uint32_t connection_id,
                              const ChannelOptions& options, Rng& rng, TimePoint now) {
  auto session = Impl::session_options(UdpSessionOptions::Side::server, connection_id, options);
  std::array<std::uint8_t, 4> challenge{};
  const auto filled = rng.fill(challenge);
  session.challenge = load_le<std::uint32_t>(challenge.data());
  auto impl = std::make_unique<Impl>(options, session, rng, now);
  impl->handshake.emplace(std::move(handshake), rng);
  if (!filled) {
    impl->finish(filled.error());
  }
  return UdpChannel(std::move(impl));
}

Result<void> UdpChannel::feed(Bytes input, TimePoint now) {
  auto& s = *impl_;
  s.state.start_feed();
  const auto fed = s.session.feed(input, now);
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  CORLISS_CHECK(s.drain(now));
  return fed;
}

Result<void> UdpChannel::end_of_input(TimePoint) {
  return impl_->finish_with(Errc::closed_by_peer);
}

void UdpChannel::fail(std::error_code reason) noexcept {
  impl_->finish(reason);
}

std::optional<Event> UdpChannel::poll_event() {
  return impl_->state.poll();
}

Result<Bytes> UdpChannel::prepare(std::size_t size) {
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
  s.prepared.reset();
  CORLISS_TRY(const Bytes room, s.session.prepare(s.codec.sealed_size(size)));
  s.prepared = PacketCodec::Record{room, size};
  return room.subspan(s.codec.headroom(), size);
}

Result<void> UdpChannel::commit(TimePoint now) {
  auto& s = *impl_;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  if (!s.prepared) {
    return corliss::fail(Errc::nothing_prepared);
  }
  const auto record = *s.prepared;
  s.prepared.reset();
  if (const auto committed = s.session.commit(now); !committed) {
    return s.finish_with(committed.error());
  }
  s.unsealed.push_back(record);
  return {};
}

Result<void> UdpChannel::close(TimePoint now) {
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
  s.prepared.reset();
  s.state.start_closing();
  (void)s.session.close(now);
  return {};
}

ConstBytes UdpChannel::outgoing() {
  auto& s = *impl_;
  for (std::size_t at = 0; at < s.unsealed.size(); at += max_batch) {
    const auto records = std::span(s.unsealed).subspan(at, std::min(max_batch, s.unsealed.size() - at));
    if (const auto sealed = s.codec.seal(records, s.rng); !sealed) {
      s.finish(sealed.error());
      return {};
    }
  }
  s.unsealed.clear();
  return s.session.outgoing();
}

void UdpChannel::sent(std::size_t, TimePoint) {
  impl_->session.sent();
}

std::optional<TimePoint> UdpChannel::deadline() const noexcept {
  const auto& s = *impl_;
  if (s.state.is(Phase::closed)) {
    return std::nullopt;
  }
  auto due = s.session.deadline();
  if (due && s.state.is(Phase::handshaking)) {
    due = std::min(*due, after(s.started, s.options.timeouts.handshake));
  }
  return due;
}

Result<void> UdpChannel::on_deadline(TimePoint now) {
  auto& s = *impl_;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  const auto done = s.session.on_deadline(now);
  CORLISS_CHECK(s.drain(now));
  if (s.state.is(Phase::handshaking) && now >= after(s.started, s.options.timeouts.handshake)) {
    return s.finish_with(Errc::handshake_timeout);
  }
  return done;
}

bool UdpChannel::connected() const noexcept {
  return impl_->state.is(Phase::connected);
}

std::size_t UdpChannel::queued() const noexcept {
  return impl_->session.queued();
}

void UdpChannel::trim() noexcept {
  auto& s = *impl_;
  s.state.drop_messages();
  s.state.trim();
  s.session.trim();
  if (s.unsealed.empty()) {
    std::vector<PacketCodec::Record>().swap(s.unsealed);
  }
}

}  // namespace corliss::net
