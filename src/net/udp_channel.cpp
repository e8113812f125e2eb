#include "net/handshake.h"
#include "net/inbox.h"
#include "net/machine.h"

#include <corliss/base/endian.h>
#include <corliss/net/udp_channel.h>

#include <algorithm>
#include <array>
#include <vector>

namespace corliss::net {

namespace {

UdpSessionOptions session_options(UdpSessionOptions::Side side, std::uint32_t connection_id,
                                  const ChannelOptions& options) {
  UdpSessionOptions out;
  out.side = side;
  out.connection_id = connection_id;
  out.limits = options.limits;
  out.timeouts = options.timeouts;
  return out;
}

class UdpMachine final : public Machine {
 public:
  template <class Side>
  UdpMachine(Side own, const ChannelOptions& given, const UdpSessionOptions& session_options, Rng& random,
             TimePoint now)
      : Machine(given, now), rng(&random), session(session_options, now) {
    session.set_message_limit(std::min(options.limits.message, max_handshake_size));
    handshake.emplace(std::move(own), random);
  }

  Result<void> feed(Bytes input, TimePoint now) override {
    state.start_feed();
    const auto fed = session.feed(input, now);
    if (state.is(Phase::closed)) {
      return corliss::fail(state.reason());
    }
    CORLISS_CHECK(drain(now));
    return fed;
  }

  ConstBytes outgoing() override {
    for (std::size_t at = 0; at < unsealed.size(); at += max_batch) {
      const auto records = std::span(unsealed).subspan(at, std::min(max_batch, unsealed.size() - at));
      if (const auto sealed = codec.seal(records, rng); !sealed) {
        finish(sealed.error());
        return {};
      }
    }
    unsealed.clear();
    return session.outgoing();
  }

  void sent(std::size_t, TimePoint) override { session.sent(); }

  std::optional<TimePoint> deadline() const noexcept override {
    if (state.is(Phase::closed)) {
      return std::nullopt;
    }
    auto due = session.deadline();
    if (due && state.is(Phase::handshaking)) {
      due = std::min(*due, after(started, options.timeouts.handshake));
    }
    return due;
  }

  Result<void> on_deadline(TimePoint now) override {
    if (state.is(Phase::closed)) {
      return corliss::fail(state.reason());
    }
    const auto done = session.on_deadline(now);
    CORLISS_CHECK(drain(now));
    if (state.is(Phase::handshaking) && now >= after(started, options.timeouts.handshake)) {
      return finish_with(Errc::handshake_timeout);
    }
    return done;
  }

  std::size_t queued() const noexcept override { return session.queued(); }

  void trim() noexcept override {
    state.drop_messages();
    state.trim();
    session.trim();
    if (unsealed.empty()) {
      std::vector<PacketCodec::Record>().swap(unsealed);
    }
  }

 private:
  std::size_t max_message() const noexcept override { return codec.max_plain(options.limits.message); }

  Result<Bytes> make_room(std::size_t size) override {
    CORLISS_TRY(const Bytes room, session.prepare(codec.sealed_size(size)));
    pending = PacketCodec::Record{room, size};
    return room.subspan(codec.headroom(), size);
  }

  Result<void> queue_prepared(TimePoint now) override {
    if (const auto committed = session.commit(now); !committed) {
      return finish_with(committed.error());
    }
    unsealed.push_back(pending);
    return {};
  }

  void start_closing(TimePoint now) override { (void)session.close(now); }

  void forget() noexcept override {
    session.fail(state.reason());  // says goodbye, where it was not the session that ended
    inbox.clear();
    unsealed.clear();
    handshake.reset();
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

  Rng* rng;
  std::optional<Handshake> handshake;
  PacketCodec codec;
  UdpSession session;
  Inbox inbox;
  std::vector<PacketCodec::Record> unsealed;  ///< committed; they lie in the session
  PacketCodec::Record pending{};              ///< prepared
};

}  // namespace

UdpChannel UdpChannel::client(ClientHandshake handshake, std::uint32_t connection_id,
                              const ChannelOptions& options, Rng& rng, TimePoint now) {
  const auto session = session_options(UdpSessionOptions::Side::client, connection_id, options);
  return UdpChannel(std::make_unique<UdpMachine>(std::move(handshake), options, session, rng, now));
}

UdpChannel UdpChannel::server(ServerHandshake handshake, std::uint32_t connection_id,
                              const ChannelOptions& options, Rng& rng, TimePoint now) {
  auto session = session_options(UdpSessionOptions::Side::server, connection_id, options);
  std::array<std::uint8_t, 4> challenge{};
  const auto filled = rng.fill(challenge);
  session.challenge = load_le<std::uint32_t>(challenge.data());
  auto machine = std::make_unique<UdpMachine>(std::move(handshake), options, session, rng, now);
  if (!filled) {
    machine->fail(filled.error());
  }
  return UdpChannel(std::move(machine));
}

}  // namespace corliss::net
