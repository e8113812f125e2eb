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
      : Machine(given, now), rng_(&random), session_(session_options, now) {
    session_.set_message_limit(std::min(options.limits.message, max_handshake_size));
    handshake_.emplace(std::move(own), random);
  }

  Result<void> feed(Bytes input, TimePoint now) override {
    state.start_feed();
    const auto fed = session_.feed(input, now);
    if (state.is(Phase::closed)) {
      return corliss::fail(state.reason());
    }
    CORLISS_CHECK(drain(now));
    return fed;
  }

  ConstBytes outgoing() override {
    for (std::size_t at = 0; at < unsealed_.size(); at += max_batch) {
      const auto records = std::span(unsealed_).subspan(at, std::min(max_batch, unsealed_.size() - at));
      if (const auto sealed = codec_.seal(records, rng_); !sealed) {
        finish(sealed.error());
        return {};
      }
    }
    unsealed_.clear();
    return session_.outgoing();
  }

  void sent(std::size_t, TimePoint) override { session_.sent(); }

  std::optional<TimePoint> deadline() const noexcept override {
    if (state.is(Phase::closed)) {
      return std::nullopt;
    }
    auto due = session_.deadline();
    if (due && state.is(Phase::handshaking)) {
      due = std::min(*due, after(started, options.timeouts.handshake));
    }
    return due;
  }

  Result<void> on_deadline(TimePoint now) override {
    if (state.is(Phase::closed)) {
      return corliss::fail(state.reason());
    }
    const auto done = session_.on_deadline(now);
    CORLISS_CHECK(drain(now));
    if (state.is(Phase::handshaking) && now >= after(started, options.timeouts.handshake)) {
      return finish_with(Errc::handshake_timeout);
    }
    return done;
  }

  std::size_t queued() const noexcept override { return session_.queued(); }

  void trim() noexcept override {
    state.drop_messages();
    state.trim();
    session_.trim();
    if (unsealed_.empty()) {
      std::vector<PacketCodec::Record>().swap(unsealed_);
    }
  }

 private:
  std::size_t max_message() const noexcept override { return codec_.max_plain(options.limits.message); }

  Result<Bytes> make_room(std::size_t size) override {
    CORLISS_TRY(const Bytes room, session_.prepare(codec_.sealed_size(size)));
    pending_ = PacketCodec::Record{room, size};
    return room.subspan(codec_.headroom(), size);
  }

  Result<void> queue_prepared(TimePoint now) override {
    if (const auto committed = session_.commit(now); !committed) {
      return finish_with(committed.error());
    }
    unsealed_.push_back(pending_);
    return {};
  }

  void start_closing(TimePoint now) override { (void)session_.close(now); }

  void forget() noexcept override {
    session_.fail(state.reason());  // says goodbye, where it was not the session that ended
    inbox_.clear();
    unsealed_.clear();
    handshake_.reset();
  }

  Result<void> queue_handshake_message(ConstBytes message, TimePoint now) {
    if (message.empty()) {
      return {};
    }
    CORLISS_TRY(const Bytes room, session_.prepare(message.size()));
    std::copy(message.begin(), message.end(), room.begin());
    return session_.commit(now);
  }

  Result<void> on_handshake_message(ConstBytes message, TimePoint now) {
    const auto answer = handshake_->on_message(message);
    if (!answer) {
      // The refusal is queued before the goodbye, which waits for it: `close` instead of `fail`.
      if (!handshake_->farewell().empty() && queue_handshake_message(handshake_->farewell(), now)) {
        state.finish(answer.error(), handshake_->refusal());
        handshake_.reset();
        (void)session_.close(now);
        return corliss::fail(state.reason());
      }
      return finish_with(answer.error(), handshake_->refusal());
    }
    CORLISS_CHECK(queue_handshake_message(*answer, now));
    if (handshake_->done()) {
      codec_ = handshake_->take_codec();
      handshake_.reset();
      session_.set_message_limit(options.limits.message);
      state.connect();
    }
    return {};
  }

  Result<void> open_batch() {
    const auto opened = inbox_.open(codec_, state);
    return opened ? Result<void>{} : finish_with(opened.error());
  }

  /// Takes what the session has to tell.
  Result<void> drain(TimePoint now) {
    while (const auto event = session_.poll_event()) {
      if (const auto* received = std::get_if<Received>(&*event)) {
        if (state.is(Phase::closed)) {
          continue;
        }
        if (received->message.empty()) {
          CORLISS_CHECK(open_batch());
          return finish_with(Errc::empty_message);
        }
        if (handshake_) {
          CORLISS_CHECK(on_handshake_message(received->message, now));
          continue;
        }
        if (const auto added = inbox_.add(received->message, codec_, state); !added) {
          return finish_with(added.error());
        }
      } else if (const auto* closed = std::get_if<Closed>(&*event)) {
        CORLISS_CHECK(open_batch());
        const bool too_early = handshake_ && closed->reason == Errc::frame_too_large;
        return finish_with(too_early ? make_error_code(Errc::handshake_too_large) : closed->reason);
      } else if (handshake_) {  // Connected
        CORLISS_TRY(const ConstBytes request, handshake_->start());
        CORLISS_CHECK(queue_handshake_message(request, now));
      }
    }
    return open_batch();
  }

  Rng* rng_;
  std::optional<Handshake> handshake_;
  PacketCodec codec_;
  UdpSession session_;
  Inbox inbox_;
  std::vector<PacketCodec::Record> unsealed_;  ///< committed; they lie in the session
  PacketCodec::Record pending_{};              ///< prepared
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
