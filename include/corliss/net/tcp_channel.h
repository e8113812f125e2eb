#pragma once

#include <corliss/net/channel.h>
#include <corliss/net/handshake.h>

namespace corliss::net {

/// A Steam connection over TCP: frames, the channel handshake, then encrypted packets.
///
///     auto channel = TcpChannel::client({}, {}, crypto::system_rng(), now);   // then as in `Channel`
///
/// Errors that end it: of the frames, Errc::bad_magic, frame_too_large, handshake_too_large, empty_message,
/// stream_truncated; of the handshake, everything under that heading in errc.h; of a packet,
/// crypto::Errc::unauthenticated, whatever is wrong with it: it and all that follows is wiped, nothing of it
/// is delivered and nothing is sent; the timeouts.
class TcpChannel final : public OwningChannel {
 public:
  /// `rng` gives session key, challenge and nonces, and must live as long as the channel.
  static TcpChannel client(ClientHandshake handshake, const ChannelOptions& options, Rng& rng, TimePoint now);
  static TcpChannel server(ServerHandshake handshake, const ChannelOptions& options, Rng& rng, TimePoint now);
  /// Frames alone, without handshake and encryption: to measure what encryption costs. No Steam server takes
  /// it.
  static TcpChannel plain(const ChannelOptions& options, TimePoint now);

 private:
  using OwningChannel::OwningChannel;
};

}  // namespace corliss::net
