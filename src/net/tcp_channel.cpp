#include "net/handshake.h"
#include "net/inbox.h"
#include "net/machine.h"

#include <corliss/net/tcp_channel.h>
#include <corliss/net/tcp_frame.h>

#include <algorithm>
#include <array>
#include <vector>

namespace corliss::net {

namespace {

class TcpMachine final : public StreamMachine {
 public:
  TcpMachine(const ChannelOptions& given, Rng* random, TimePoint now)
      : StreamMachine(given, now), rng_(random) {
    reader_.set_limit(std::min(options.limits.message, max_handshake_size));
  }

  void start_client(ClientHandshake own) { handshake_.emplace(std::move(own), *rng_); }
  void start_server(ServerHandshake own, TimePoint now) {
    handshake_.emplace(std::move(own), *rng_);
    if (const auto request = handshake_->start()) {
      queue_handshake_message(*request, now);
    } else {
      finish(request.error());
    }
  }
  void connect() {
    reader_.set_limit(options.limits.message);
    state.connect();
  }

  Result<void> feed(Bytes input, TimePoint now) override {
    state.start_feed();
    if (state.is(Phase::closed)) {
      return corliss::fail(state.reason());
    }
    CORLISS_CHECK(reader_.feed(input));
    if (!input.empty()) {
      last_received = now;
    }
    return read_frames(now);
  }

  ConstBytes outgoing() override {
    if (send.outgoing().empty() && !prepared && !send.filling().empty()) {
      if (const auto sealed = seal(); !sealed) {
        finish(sealed.error());
        return {};
      }
      send.turn();
    }
    return send.outgoing();
  }

  void sent(std::size_t count, TimePoint now) override {
    send.sent(count, now);
    if (state.is(Phase::closing) && send.empty()) {
      finish(Errc::closed_here);
    }
  }

  std::size_t queued() const noexcept override { return send.size(); }

  void trim() noexcept override {
    state.drop_messages();
    state.trim();
    reader_.trim();
    send.trim();
    if (unsealed_.empty()) {
      std::vector<Record>().swap(unsealed_);
    }
  }

 private:
  struct Record {
    std::size_t offset;  ///< of the frame in send.filling()
    std::size_t plain;
  };

  std::size_t max_message() const noexcept override { return codec_.max_plain(options.limits.message); }

  Result<Bytes> make_room(std::size_t size) override {
    const std::size_t frame = tcp_frame_header_size + codec_.sealed_size(size);
    if (send.size() + frame > options.limits.queued) {
      return corliss::fail(Errc::queue_full);
    }
    const Record record{send.filling().size(), size};
    const Bytes room = send.filling().extend(frame);
    pending_ = record;
    return room.subspan(tcp_frame_header_size + codec_.headroom(), size);
  }
  void take_back() noexcept override { send.filling().truncate(pending_.offset); }

  Result<void> queue_prepared(TimePoint now) override {
    unsealed_.push_back(pending_);
    send.note_queued(now);
    return {};
  }

  void start_closing(TimePoint now) override {
    close_by = after(now, options.timeouts.close);
    if (send.empty()) {
      finish(Errc::closed_here);
    }
  }

  void forget() noexcept override {
    reader_.wipe_rest();
    inbox_.clear();
    unsealed_.clear();
    send.drop_unwritten();
    handshake_.reset();
  }

  bool inside_message() const noexcept override { return reader_.inside_frame(); }

  void queue_handshake_message(ConstBytes message, TimePoint now) {
    if (!message.empty()) {
      const Bytes room = send.filling().extend(tcp_frame_header_size + message.size());
      write_tcp_frame_header(room.first<tcp_frame_header_size>(), static_cast<std::uint32_t>(message.size()));
      std::copy(message.begin(), message.end(), room.begin() + tcp_frame_header_size);
      send.note_queued(now);
    }
  }

  Result<void> on_handshake_message(ConstBytes message, TimePoint now) {
    const auto answer = handshake_->on_message(message);
    if (!answer) {
      // The last answer outlives the handshake, which `finish` ends.
      const std::vector<std::uint8_t> last(handshake_->farewell().begin(), handshake_->farewell().end());
      finish(answer.error(), handshake_->refusal());
      queue_handshake_message(last, now);
      return corliss::fail(state.reason());
    }
    queue_handshake_message(*answer, now);
    if (handshake_->done()) {
      codec_ = handshake_->take_codec();
      handshake_.reset();
      connect();
    }
    return {};
  }

  /// Opens what was gathered, in order, up to the first packet that is refused.
  Result<void> open_batch() {
    const auto opened = inbox_.open(codec_, state);
    return opened ? Result<void>{} : finish_with(opened.error());
  }

  Result<void> on_frame(Bytes payload, TimePoint now) {
    if (payload.empty()) {
      CORLISS_CHECK(open_batch());
      return finish_with(Errc::empty_message);
    }
    if (handshake_) {
      return on_handshake_message(payload, now);
    }
    const auto added = inbox_.add(payload, codec_, state);
    return added ? Result<void>{} : finish_with(added.error());
  }

  Result<void> read_frames(TimePoint now) {
    for (;;) {
      const auto frame = reader_.next();
      if (!frame) {
        CORLISS_CHECK(open_batch());
        return finish_with(handshake_ && frame.error() == Errc::frame_too_large ? Errc::handshake_too_large
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
    for (std::size_t at = 0; at < unsealed_.size(); at += records.size()) {
      const std::size_t count = std::min(records.size(), unsealed_.size() - at);
      for (std::size_t i = 0; i < count; ++i) {
        const Record& record = unsealed_[at + i];
        const std::size_t payload = codec_.sealed_size(record.plain);
        const Bytes frame = all.subspan(record.offset, tcp_frame_header_size + payload);
        write_tcp_frame_header(frame.first<tcp_frame_header_size>(), static_cast<std::uint32_t>(payload));
        records[i] = {frame.subspan(tcp_frame_header_size), record.plain};
      }
      CORLISS_CHECK(codec_.seal(std::span(records).first(count), rng_));
    }
    unsealed_.clear();
    return {};
  }

  Rng* rng_;
  std::optional<Handshake> handshake_;
  PacketCodec codec_;
  TcpFrameReader reader_;
  Inbox inbox_;
  std::vector<Record> unsealed_;  ///< committed
  Record pending_{};              ///< prepared
};

}  // namespace

TcpChannel TcpChannel::client(ClientHandshake handshake, const ChannelOptions& options, Rng& rng,
                              TimePoint now) {
  auto machine = std::make_unique<TcpMachine>(options, &rng, now);
  machine->start_client(std::move(handshake));
  return TcpChannel(std::move(machine));
}

TcpChannel TcpChannel::server(ServerHandshake handshake, const ChannelOptions& options, Rng& rng,
                              TimePoint now) {
  auto machine = std::make_unique<TcpMachine>(options, &rng, now);
  machine->start_server(std::move(handshake), now);
  return TcpChannel(std::move(machine));
}

TcpChannel TcpChannel::plain(const ChannelOptions& options, TimePoint now) {
  auto machine = std::make_unique<TcpMachine>(options, nullptr, now);
  machine->connect();
  return TcpChannel(std::move(machine));
}

}  // namespace corliss::net
