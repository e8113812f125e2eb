#pragma once

#include <corliss/base/endian.h>
#include <corliss/net/channel.h>
#include <corliss/proto/emsg.h>

#include <utility>
#include <vector>

namespace corliss::net {

/// The part of a channel's life that no transport changes: what was said to the application, and why it
/// ended.
class ChannelState {
 public:
  enum class Phase { handshaking, connected, closing, closed };

  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] bool is(Phase phase) const noexcept { return phase_ == phase; }
  [[nodiscard]] std::error_code reason() const noexcept { return reason_; }

  void connect() noexcept {
    phase_ = Phase::connected;
    connected_due_ = true;
  }
  /// No message is told from now on.
  void start_closing() noexcept {
    phase_ = Phase::closing;
    drop_messages();
  }
  /// The first reason counts, which is the application's where it asked for the end. Messages that are ready
  /// are still told before it.
  void finish(std::error_code reason, std::int32_t detail = 0) noexcept {
    if (phase_ != Phase::closed) {
      const bool asked_for = phase_ == Phase::closing;
      reason_ = asked_for ? make_error_code(Errc::closed_here) : reason;
      detail_ = asked_for ? 0 : detail;
      phase_ = Phase::closed;
      closed_due_ = true;
    }
  }

  void start_feed() noexcept { drop_messages(); }
  void add_message(Bytes message) { messages_.push_back(message); }
  void drop_messages() noexcept {
    messages_.clear();
    told_ = 0;
  }

  [[nodiscard]] std::optional<Event> poll() noexcept {
    if (std::exchange(connected_due_, false)) {
      return Connected{};
    }
    if (told_ < messages_.size()) {
      return Received{messages_[told_++]};
    }
    if (std::exchange(closed_due_, false)) {
      return Closed{reason_, detail_};
    }
    return std::nullopt;
  }

  void trim() noexcept {
    if (told_ == messages_.size()) {
      std::vector<Bytes>().swap(messages_);
      told_ = 0;
    }
  }

 private:
  Phase phase_ = Phase::handshaking;
  bool connected_due_ = false;
  bool closed_due_ = false;
  std::error_code reason_;
  std::int32_t detail_ = 0;
  std::vector<Bytes> messages_;
  std::size_t told_ = 0;
};

/// The ChannelEncrypt messages mean nothing once the channel is encrypted; peers ignore them.
[[nodiscard]] inline bool is_late_handshake(ConstBytes message) noexcept {
  if (message.size() < 4) {
    return false;
  }
  const auto emsg = proto::emsg_of_word(load_le<std::uint32_t>(message.data()));
  return emsg == proto::EMsg::ChannelEncryptRequest || emsg == proto::EMsg::ChannelEncryptResponse ||
         emsg == proto::EMsg::ChannelEncryptResult;
}

}  // namespace corliss::net
