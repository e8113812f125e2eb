#pragma once

#include "net/channel_state.h"
#include "net/packet_codec.h"

#include <corliss/base/secret.h>

#include <algorithm>
#include <array>

namespace corliss::net {

/// Received packets that are opened together. They become messages in order up to the first that is refused;
/// it and all after it are wiped.
class Inbox {
 public:
  /// Errors: as of `open`, when the batch is full.
  [[nodiscard]] Result<void> add(Bytes packet, const PacketCodec& codec, ChannelState& state) {
    batch_[size_++] = packet;
    return size_ == batch_.size() ? open(codec, state) : Result<void>{};
  }

  /// Errors: crypto::Errc::unauthenticated, Errc::empty_message.
  [[nodiscard]] Result<void> open(const PacketCodec& codec, ChannelState& state) {
    const auto packets = std::span(batch_).first(std::exchange(size_, 0));
    std::error_code error;
    const std::size_t good = codec.open(packets, error);
    for (std::size_t i = 0; i < good; ++i) {
      if (packets[i].empty()) {
        std::for_each(packets.begin() + static_cast<std::ptrdiff_t>(i), packets.end(), wipe);
        return fail(Errc::empty_message);
      }
      if (!state.is(ChannelState::Phase::closing) && !(codec.encrypts() && is_late_handshake(packets[i]))) {
        state.add_message(packets[i]);
      }
    }
    return error ? fail(error) : Result<void>{};
  }

  void clear() noexcept { size_ = 0; }

 private:
  std::array<Bytes, max_batch> batch_;
  std::size_t size_ = 0;
};

}  // namespace corliss::net
