#include "support/test_support.h"

#include <corliss/net/errc.h>
#include <corliss/net/udp_packet.h>

#include <fstream>

namespace corliss::net {
namespace {

nlohmann::json vectors() {
  return nlohmann::json::parse(std::ifstream(test::data("net/transport.json")));
}

TEST(UdpPacket, VectorsParseAndWriteBack) {
  const auto cases = vectors();
  ASSERT_EQ(cases["udp"].size(), 11u);
  for (const auto& vector : cases["udp"]) {
    const auto bytes = test::hex(vector["bytes"]);
    const auto packet = parse_udp_packet(bytes);
    ASSERT_TRUE(packet) << vector["name"];
    std::vector<std::uint8_t> again(udp_header_size);
    write_udp_header(std::span(again).first<udp_header_size>(), packet->header);
    again.insert(again.end(), packet->payload.begin(), packet->payload.end());
    EXPECT_EQ(again, bytes) << vector["name"];
  }
}

TEST(UdpPacket, FieldsOfASplitMessage) {
  const auto cases = vectors();
  const auto bytes = test::hex(cases["udp"][6]["bytes"]);
  const auto packet = parse_udp_packet(bytes).value();
  EXPECT_EQ(packet.header.type, UdpPacketType::Data);
  EXPECT_EQ(packet.header.source_id, 0x200u);
  EXPECT_EQ(packet.header.dest_id, 0x1000u);
  EXPECT_EQ(packet.header.seq_this, 3u);
  EXPECT_EQ(packet.header.seq_ack, 2u);
  EXPECT_EQ(packet.header.packets_in_msg, 3u);
  EXPECT_EQ(packet.header.msg_start_seq, 2u);
  EXPECT_EQ(packet.header.msg_size, 3000u);
  EXPECT_EQ(packet.payload.size(), max_udp_payload);
}

TEST(UdpPacket, MalformedVectors) {
  const std::map<std::string, Errc> expected{{"short-header", Errc::truncated_datagram},
                                             {"payload-longer-than-datagram", Errc::truncated_datagram},
                                             {"payload-too-big", Errc::datagram_too_large},
                                             {"type-invalid", Errc::bad_packet_type}};
  const auto cases = vectors();
  std::size_t seen = 0;
  for (const auto& vector : cases["udp_malformed"]) {
    const auto found = expected.find(vector["name"]);
    const auto packet = parse_udp_packet(test::hex(vector["bytes"]));
    if (found == expected.end()) {  // well-formed alone; the session refuses it (udp_session_test)
      EXPECT_EQ(vector["name"], "zero-packets-in-msg");
      EXPECT_TRUE(packet);
      continue;
    }
    ASSERT_FALSE(packet) << vector["name"];
    EXPECT_EQ(packet.error(), found->second) << vector["name"];
    ++seen;
  }
  EXPECT_EQ(seen, expected.size());
}

TEST(UdpPacket, RefusesEveryTruncationAndOtherTypes) {
  const auto cases = vectors();
  const auto bytes = test::hex(cases["udp"][9]["bytes"]);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(parse_udp_packet(ConstBytes(bytes).first(size)).error(), Errc::truncated_datagram);
  }
  auto changed = bytes;
  for (const int type : {0, 8, 9, 255}) {
    changed[6] = static_cast<std::uint8_t>(type);
    EXPECT_EQ(parse_udp_packet(changed).error(), Errc::bad_packet_type);
  }
  changed = bytes;
  changed[3] ^= 1;
  EXPECT_EQ(parse_udp_packet(changed).error(), Errc::bad_magic);
  changed = bytes;
  changed.push_back(0);  // bytes behind the payload are ignored
  EXPECT_EQ(parse_udp_packet(changed)->payload.size(), 5u);
}

}  // namespace
}  // namespace corliss::net
