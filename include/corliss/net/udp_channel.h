#pragma once

#include <corliss/net/channel.h>
#include <corliss/net/handshake.h>
#include <corliss/net/udp_session.h>

namespace corliss::net {

/// UDP channels time out as UDP sessions do.
inline constexpr ChannelOptions udp_channel_options{.limits = {}, .timeouts = udp_timeouts};

/// A Steam connection over UDP: a `UdpSession`, the channel handshake, then encrypted packets. `feed` takes
/// exactly one datagram from the address of the peer, `outgoing` gives one.
///
///     auto channel = UdpChannel::client({}, 512, udp_channel_options, crypto::system_rng(), now);
///
/// Errors that end it: those of UdpSession; of the handshake, everything under that heading in errc.h; of a
/// packet, crypto::Errc::unauthenticated, as for `TcpChannel`.
class UdpChannel final : public OwningChannel {
 public:
  /// `connection_id` is ours: `udp_first_client_id` for the first connection of the process, plus
  /// `udp_client_id_step` for each further one. `rng` gives session key, challenges and nonces, and must live
  /// as long as the channel.
  static UdpChannel client(ClientHandshake handshake, std::uint32_t connection_id,
                           const ChannelOptions& options, Rng& rng, TimePoint now);
  /// `connection_id` must not be 0, and differ from those of other sessions with the same client.
  static UdpChannel server(ServerHandshake handshake, std::uint32_t connection_id,
                           const ChannelOptions& options, Rng& rng, TimePoint now);

 private:
  using OwningChannel::OwningChannel;
};

}  // namespace corliss::net
