#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

#include <cstdint>
#include <span>

namespace corliss::net {

inline constexpr std::size_t udp_header_size = 36;
/// Payload bytes of one datagram, at most; longer messages are split.
inline constexpr std::size_t max_udp_payload = 0x4dc;
inline constexpr std::size_t max_udp_datagram = udp_header_size + max_udp_payload;

/// Source: SteamKit2 EUdpPacketType.
enum class UdpPacketType : std::uint8_t {
  Invalid = 0,
  ChallengeReq = 1,  ///< client, not sequenced
  Challenge = 2,     ///< server: u32 challenge, u32 load
  Connect = 3,       ///< client: u32 challenge ^ `udp_challenge_mask`
  Accept = 4,        ///< server
  Disconnect = 5,
  Data = 6,      ///< a part of a message
  Datagram = 7,  ///< not sequenced: a bare acknowledgement
};

inline constexpr std::uint32_t udp_challenge_mask = 0xa426df2b;

/// The fields of a datagram in the order of the wire, behind the magic `VS01`; all little-endian.
/// Source: SteamKit2 UdpPacket, netheader.steamd; docs/wire/udp.md.
struct UdpHeader {
  std::uint16_t payload_size = 0;
  UdpPacketType type = UdpPacketType::Invalid;
  std::uint8_t flags = 0;            ///< 0 from us, 4 seen from the official client; means nothing to us
  std::uint32_t source_id = 0;       ///< connection id of the sender
  std::uint32_t dest_id = 0;         ///< connection id of the receiver, 0 while unknown
  std::uint32_t seq_this = 0;        ///< 0 for packets that are not sequenced
  std::uint32_t seq_ack = 0;         ///< everything up to here was received
  std::uint32_t packets_in_msg = 0;  ///< parts of the message that this packet belongs to
  std::uint32_t msg_start_seq = 0;   ///< seq_this of its first part
  std::uint32_t msg_size = 0;        ///< bytes of all its parts
};

struct UdpPacket {
  UdpHeader header;
  ConstBytes payload;  ///< lies in the datagram
};

/// Reads one datagram; bytes behind the payload are ignored, as the peers do.
/// Errors: Errc::truncated_datagram, Errc::bad_magic, Errc::datagram_too_large, Errc::bad_packet_type.
/// A session drops such a datagram and goes on.
[[nodiscard]] Result<UdpPacket> parse_udp_packet(ConstBytes datagram) noexcept;

/// Writes magic and header; the payload follows it.
void write_udp_header(std::span<std::uint8_t, udp_header_size> out, const UdpHeader& header) noexcept;

}  // namespace corliss::net
