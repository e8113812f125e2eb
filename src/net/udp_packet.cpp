#include <corliss/base/endian.h>
#include <corliss/net/errc.h>
#include <corliss/net/udp_packet.h>

namespace corliss::net {
namespace {

constexpr std::uint32_t udp_magic = 0x31305356;  // "VS01"

}  // namespace

Result<UdpPacket> parse_udp_packet(ConstBytes datagram) noexcept {
  if (datagram.size() < udp_header_size) {
    return fail(Errc::truncated_datagram);
  }
  const std::uint8_t* at = datagram.data();
  if (load_le<std::uint32_t>(at) != udp_magic) {
    return fail(Errc::bad_magic);
  }
  UdpHeader header;
  header.payload_size = load_le<std::uint16_t>(at + 4);
  if (header.payload_size > max_udp_payload) {
    return fail(Errc::datagram_too_large);
  }
  if (datagram.size() - udp_header_size < header.payload_size) {
    return fail(Errc::truncated_datagram);
  }
  if (at[6] == 0 || at[6] > static_cast<std::uint8_t>(UdpPacketType::Datagram)) {
    return fail(Errc::bad_packet_type);
  }
  header.type = static_cast<UdpPacketType>(at[6]);
  header.flags = at[7];
  header.source_id = load_le<std::uint32_t>(at + 8);
  header.dest_id = load_le<std::uint32_t>(at + 12);
  header.seq_this = load_le<std::uint32_t>(at + 16);
  header.seq_ack = load_le<std::uint32_t>(at + 20);
  header.packets_in_msg = load_le<std::uint32_t>(at + 24);
  header.msg_start_seq = load_le<std::uint32_t>(at + 28);
  header.msg_size = load_le<std::uint32_t>(at + 32);
  return UdpPacket{header, datagram.subspan(udp_header_size, header.payload_size)};
}

void write_udp_header(std::span<std::uint8_t, udp_header_size> out, const UdpHeader& header) noexcept {
  std::uint8_t* at = out.data();
  store_le<std::uint32_t>(at, udp_magic);
  store_le<std::uint16_t>(at + 4, header.payload_size);
  at[6] = static_cast<std::uint8_t>(header.type);
  at[7] = header.flags;
  store_le<std::uint32_t>(at + 8, header.source_id);
  store_le<std::uint32_t>(at + 12, header.dest_id);
  store_le<std::uint32_t>(at + 16, header.seq_this);
  store_le<std::uint32_t>(at + 20, header.seq_ack);
  store_le<std::uint32_t>(at + 24, header.packets_in_msg);
  store_le<std::uint32_t>(at + 28, header.msg_start_seq);
  store_le<std::uint32_t>(at + 32, header.msg_size);
}

}  // namespace corliss::net
