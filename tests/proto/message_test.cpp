#include "support/allocations.h"
#include "support/test_support.h"

#include <corliss/base/endian.h>
#include <corliss/base/hex.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/message.h>
#include <corliss/proto/struct_messages.h>

namespace corliss::proto {
namespace {

constexpr const char* heartbeat = "bf0200801400000009ba5600000100100110f9d2b4ffffffffffff01";
constexpr const char* job_heartbeat =
    "7b0000002402002a00000000000000ffffffffffffffffefba560000010010017929edff";
constexpr const char* encrypt_result = "19050000ffffffffffffffffffffffffffffffff01000000";

struct Bad {
  const char* name;
  std::string bytes;
  Errc why;
};

TEST(Message, RefusesMalformedOnes) {
  const std::vector<Bad> rows{
      {"nothing", "", Errc::message_too_short},
      {"one byte", "bf", Errc::message_too_short},
      {"three bytes", "bf0200", Errc::message_too_short},
      {"protobuf, no length", "bf020080", Errc::message_too_short},
      {"protobuf, half a length", "bf020080000000", Errc::message_too_short},
      {"header of 1, nothing left", "bf02008001000000", Errc::bad_header_length},
      {"header of 2^31 - 1", "bf020080ffffff7f", Errc::bad_header_length},
      {"header of 2^31", "bf02008000000080", Errc::bad_header_length},
      {"header of 2^32 - 1", "bf020080ffffffff", Errc::bad_header_length},
      {"header of 2^32 - 8", "bf020080f8ffffff0000000000000000", Errc::bad_header_length},
      {"header is garbage", "bf02008002000000ffff", Errc::bad_header},
      {"fixed64 cut", "bf0200800400000009010203", Errc::bad_header},
      {"field number 0", "bf020080020000000000", Errc::bad_header},
      {"text longer than the header", "bf02008003000000620541", Errc::bad_header},
      {"end of a group that never began", "bf0200800100000074", Errc::bad_header},
      {"extended, one byte short", "7b000000240200ffffffffffffffffffffffffffffffffef0000000000000000000000",
       Errc::message_too_short},
      {"extended, size 35", "7b000000230200ffffffffffffffffffffffffffffffffef000000000000000000000000",
       Errc::bad_struct_header},
      {"extended, size 32 as steam-vent wrote",
       "7b000000200200ffffffffffffffffffffffffffffffffef000000000000000000000000", Errc::bad_struct_header},
      {"extended, version 1", "7b000000240100ffffffffffffffffffffffffffffffffef000000000000000000000000",
       Errc::bad_struct_header},
      {"extended, version 258", "7b000000240201ffffffffffffffffffffffffffffffffef000000000000000000000000",
       Errc::bad_struct_header},
      {"MsgHdr, one byte short", "17050000ffffffffffffffffffffffffffffff", Errc::message_too_short},
      {"MsgHdr with the flag, too short for one", "170500800000000000000000", Errc::message_too_short},
  };
  MessageView message;
  for (const auto& row : rows) {
    const auto packet = test::hex(row.bytes);
    const auto parsed = message.parse(packet);
    ASSERT_FALSE(parsed) << row.name;
    EXPECT_EQ(parsed.error(), row.why) << row.name << ": " << parsed.error().message();
    EXPECT_EQ(message.emsg(), EMsg::Invalid) << row.name;
    EXPECT_TRUE(message.body().empty()) << row.name;
    EXPECT_FALSE(message.extended_header()) << row.name;
  }
}

TEST(Message, EveryTruncationOfAHeaderIsRefused) {
  for (const auto& [text, header] :
       {std::pair{heartbeat, 28U}, std::pair{job_heartbeat, 36U}, std::pair{encrypt_result, 20U}}) {
    const auto packet = test::hex(text);
    MessageView message;
    for (std::size_t size = 0; size < packet.size(); ++size) {
      const auto part = ConstBytes(packet).first(size);
      EXPECT_EQ(message.parse(part).has_value(), size >= header) << text << " cut to " << size;
    }
    EXPECT_TRUE(message.parse(packet));
  }
}

TEST(Message, ReadsEachKindOfHeader) {
  MessageView message;
  const auto protobuf = test::hex(heartbeat);
  ASSERT_TRUE(message.parse(protobuf));
  EXPECT_TRUE(message.is_protobuf());
  EXPECT_EQ(message.emsg(), EMsg::ClientHeartBeat);
  EXPECT_EQ(message.steam_id(), SteamId(76561197960287930));
  EXPECT_EQ(message.session_id(), -1234567);
  EXPECT_TRUE(message.target_job().is_none());
  EXPECT_TRUE(message.source_job().is_none());
  EXPECT_EQ(message.eresult(), std::nullopt);
  EXPECT_EQ(message.extended_header(), std::nullopt);

  const auto extended = test::hex(job_heartbeat);
  ASSERT_TRUE(message.parse(extended));
  EXPECT_EQ(message.kind(), HeaderKind::ExtendedClientMsgHdr);
  EXPECT_EQ(message.target_job(), JobId(42));
  EXPECT_TRUE(message.source_job().is_none());
  EXPECT_EQ(message.steam_id(), SteamId(76561197960287930));
  EXPECT_EQ(message.session_id(), -1234567);
  EXPECT_EQ(message.extended_header()->canary, ExtendedClientMsgHdr::right_canary);
  EXPECT_FALSE(message.protobuf_header().has_steamid()) << "left over from the message before";

  const auto plain = test::hex(encrypt_result);
  ASSERT_TRUE(message.parse(plain));
  EXPECT_EQ(message.kind(), HeaderKind::MsgHdr);
  EXPECT_EQ(message.emsg(), EMsg::ChannelEncryptResult);
  EXPECT_EQ(to_hex(message.body()), "01000000");
  EXPECT_EQ(message.steam_id(), SteamId());

  // The flag does not count for the three handshake messages.
  auto flagged = plain;
  flagged[3] = 0x80;
  ASSERT_TRUE(message.parse(flagged));
  EXPECT_EQ(message.kind(), HeaderKind::MsgHdr);
  EXPECT_EQ(message.emsg(), EMsg::ChannelEncryptResult);
}

TEST(Message, AnyEMsgAndAnyFieldIsKept) {
  CMsgProtoBufHeader header;
  header.set_jobid_target(7);
  std::string with_unknown = header.SerializeAsString();
  // Fields 506, 507 and 508: bytes, a varint, a fixed32.
  const auto unknown = test::hex("d21f03616263d81f96ffffffffffffffff01e51f01020304");
  with_unknown.append(text_of(unknown));
  std::vector<std::uint8_t> packet(8 + with_unknown.size() + 3);
  store_le(packet.data(), std::uint32_t{4711} | protobuf_flag);
  store_le(packet.data() + 4, static_cast<std::uint32_t>(with_unknown.size()));
  std::copy(with_unknown.begin(), with_unknown.end(), packet.begin() + 8);
  packet[packet.size() - 3] = 0x98;  // a body of one field that CMsgClientHello has not
  packet[packet.size() - 2] = 0x06;
  packet[packet.size() - 1] = 0x05;

  MessageView message;
  ASSERT_TRUE(message.parse(packet));
  EXPECT_EQ(message.emsg(), EMsg{4711});
  EXPECT_EQ(message.target_job(), JobId(7));
  CMsgClientHello body;
  ASSERT_TRUE(message.read_body(body));
  std::vector<std::uint8_t> again(packet.size());
  ASSERT_TRUE(write_message(message.emsg(), message.protobuf_header(), body, again));
  EXPECT_EQ(to_hex(again), to_hex(packet));
}

TEST(Message, JobNoneOnTheWireIsAbsent) {
  CMsgProtoBufHeader header;
  header.set_jobid_source(~std::uint64_t{0});
  header.set_eresult(static_cast<int>(EResult::AccessDenied));
  header.set_target_job_name("Player.GetOwnedGames#1");
  std::vector<std::uint8_t> out(200);
  const auto written = write_message(EMsg::ServiceMethodResponse, header, ConstBytes(), out);
  ASSERT_TRUE(written);
  MessageView message;
  ASSERT_TRUE(message.parse(*written));
  EXPECT_TRUE(message.source_job().is_none());
  EXPECT_EQ(message.eresult(), EResult::AccessDenied);
  EXPECT_EQ(message.target_job_name(), "Player.GetOwnedGames#1");
}

TEST(Message, BodiesOfTheWrongKindOrType) {
  MessageView message;
  CMsgClientHello hello;
  const auto extended = test::hex(job_heartbeat);
  ASSERT_TRUE(message.parse(extended));
  EXPECT_EQ(message.read_body(hello).error(), Errc::wrong_header_kind);
  for (const char* text : {"4d2600800000000008", "4d26008000000000ff", "4d260080000000000a05"}) {
    const auto packet = test::hex(text);
    ASSERT_TRUE(message.parse(packet));
    EXPECT_EQ(message.read_body(hello).error(), Errc::bad_body) << text;
  }
}

TEST(Message, TextNeedNotBeUtf8) {
  CMsgProtoBufHeader header;
  header.set_error_message("\xff\xfe not UTF-8");
  std::vector<std::uint8_t> out(message_size(header, ConstBytes()));
  testing::internal::CaptureStderr();
  ASSERT_TRUE(write_message(EMsg::ServiceMethodResponse, header, ConstBytes(), out));
  MessageView message;
  ASSERT_TRUE(message.parse(out));
  EXPECT_EQ(message.protobuf_header().error_message(), "\xff\xfe not UTF-8");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the library never prints";
}

TEST(Message, WritesExactlyWhatItSays) {
  CMsgProtoBufHeader header;
  header.set_steamid(76561197960287930);
  CMsgClientHello hello;
  hello.set_protocol_version(65581);
  const auto body = test::hex("08ad8004");
  const auto both = [&](auto write, std::size_t size) {
    std::vector<std::uint8_t> out(size + 1, 0xAA);
    const auto written = write(Bytes(out));
    ASSERT_TRUE(written);
    EXPECT_EQ(written->size(), size);
    EXPECT_EQ(written->data(), out.data());
    EXPECT_EQ(out.back(), 0xAA);
    std::vector<std::uint8_t> small(size - 1, 0xAA);
    EXPECT_EQ(write(Bytes(small)).error(), BaseErrc::buffer_too_small);
    EXPECT_EQ(small, std::vector<std::uint8_t>(size - 1, 0xAA));
  };
  both([&](Bytes out) { return write_message(EMsg::ClientHello, header, hello, out); },
       message_size(header, hello));
  both([&](Bytes out) { return write_message(EMsg::ClientHello, header, ConstBytes(body), out); },
       message_size(header, ConstBytes(body)));
  both([&](Bytes out) { return write_message(EMsg::ChannelEncryptResult, MsgHdr(), body, out); },
       message_size(MsgHdr(), body));
  both([&](Bytes out) { return write_message(EMsg::JobHeartbeat, ExtendedClientMsgHdr(), body, out); },
       message_size(ExtendedClientMsgHdr(), body));
  EXPECT_EQ(message_size(header, hello), message_size(header, ConstBytes(body)));
}

TEST(Message, TooLargeOnesAreNotWritten) {
  const std::vector<std::uint8_t> body(max_message_size - MsgHdr::size + 17);
  std::vector<std::uint8_t> out(body.size() + 64);
  EXPECT_EQ(write_message(EMsg::ChannelEncryptResult, MsgHdr(), body, out).error(), Errc::message_too_large);
  EXPECT_EQ(write_message(EMsg::ClientHello, CMsgProtoBufHeader(), ConstBytes(body), out).error(),
            Errc::message_too_large);
  EXPECT_EQ(write_message(EMsg::ClientHello, ExtendedClientMsgHdr(), body, out).error(),
            Errc::message_too_large);
  EXPECT_TRUE(
      write_message(EMsg::ChannelEncryptResult, MsgHdr(), ConstBytes(body).first(body.size() - 17), out));
}

TEST(Message, AllocatesNothingOnceWarm) {
  CMsgProtoBufHeader header;
  header.set_steamid(76561197960287930);
  header.set_client_sessionid(-1);
  header.set_jobid_target(8);
  header.set_eresult(1);
  header.set_target_job_name("Authentication.GetPasswordRSAPublicKey#1");
  CMsgClientHello hello;
  hello.set_protocol_version(65581);
  std::vector<std::uint8_t> out(200);
  const auto extended = test::hex(job_heartbeat);
  MessageView message;
  CMsgClientHello read;
  const auto round = [&] {
    const auto written = write_message(EMsg::ServiceMethodResponse, header, hello, out);
    return written && message.parse(*written) && message.read_body(read) && message.parse(extended);
  };
  ASSERT_TRUE(round());
  const test::AllocationCount count;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(round());
  }
  EXPECT_EQ(count.calls(), 0U);
}

TEST(StructMessages, ShortBodies) {
  EXPECT_EQ(MsgClientServerUnavailable::parse(std::vector<std::uint8_t>(15)).error(), Errc::bad_body);
  EXPECT_EQ(MsgClientLogOnResponse::parse(std::vector<std::uint8_t>(3)).error(), Errc::bad_body);
  EXPECT_EQ(MsgClientLoggedOff::parse(std::vector<std::uint8_t>(3)).error(), Errc::bad_body);
  // ValvePython reads the result alone.
  const auto result = test::hex("14000000");
  EXPECT_EQ(MsgClientLogOnResponse::parse(result)->result, EResult::ServiceUnavailable);
  EXPECT_EQ(MsgClientLoggedOff::parse(result)->result, EResult::ServiceUnavailable);
  EXPECT_EQ(
      MsgClientLogOnResponse::parse(test::hex("140000000900000007000000ffffff"))->in_game_heartbeat_seconds,
      7);
}

TEST(StructMessages, RoundTrips) {
  test::TestRng random;
  const auto logon = random.bytes(MsgClientLogOnResponse::size);
  const auto logon_again = MsgClientLogOnResponse::parse(logon)->bytes();
  EXPECT_TRUE(std::equal(logon.begin(), logon.end(), logon_again.begin(), logon_again.end()));
  const auto off = random.bytes(MsgClientLoggedOff::size);
  const auto off_again = MsgClientLoggedOff::parse(off)->bytes();
  EXPECT_TRUE(std::equal(off.begin(), off.end(), off_again.begin(), off_again.end()));
  const auto unavailable = random.bytes(MsgClientServerUnavailable::size);
  const auto unavailable_again = MsgClientServerUnavailable::parse(unavailable)->bytes();
  EXPECT_TRUE(
      std::equal(unavailable.begin(), unavailable.end(), unavailable_again.begin(), unavailable_again.end()));
}

}  // namespace
}  // namespace corliss::proto
