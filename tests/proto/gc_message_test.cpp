#include "support/test_support.h"

#include <corliss/base/hex.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/gc_message.h>

namespace corliss::proto {
namespace {

TEST(GcMessage, BothKinds) {
  const auto protobuf = test::hex("a60f008009000000510500000000000000");
  const auto parts = split_gc_payload(0x80000FA6, protobuf);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->message, 4006U);
  EXPECT_TRUE(parts->is_protobuf);
  EXPECT_TRUE(parts->body.empty());
  CMsgProtoBufHeader header;
  ASSERT_TRUE(header.ParseFromArray(parts->header.data(), static_cast<int>(parts->header.size())));
  EXPECT_EQ(header.jobid_source(), 5U);

  const auto structure = test::hex("0100070000000000000008000000000000000102");
  const auto old = split_gc_payload(1025, structure);
  ASSERT_TRUE(old);
  EXPECT_EQ(old->message, 1025U);
  EXPECT_FALSE(old->is_protobuf);
  EXPECT_EQ(old->target_job, JobId(7));
  EXPECT_EQ(old->source_job, JobId(8));
  EXPECT_EQ(to_hex(old->body), "0102");
}

TEST(GcMessage, RefusesMalformedOnes) {
  struct Bad {
    std::uint32_t msgtype;
    const char* bytes;
    Errc why;
  };
  const Bad rows[] = {
      {0x80000FA6, "", Errc::message_too_short},
      {0x80000FA6, "a60f0080000000", Errc::message_too_short},
      {0x80000FA6, "a60f008001000000", Errc::bad_header_length},
      {0x80000FA6, "a60f0080ffffffff00", Errc::bad_header_length},
      {0x80000FA6, "a60f00000000000000", Errc::bad_header},
      {0x80000FA7, "a60f008000000000", Errc::bad_header},
      {1025, "", Errc::message_too_short},
      {1025, "0100ffffffffffffffffffffffffffffff", Errc::message_too_short},
      {1025, "0200ffffffffffffffffffffffffffffffff", Errc::bad_struct_header},
      {1025, "0000ffffffffffffffffffffffffffffffff", Errc::bad_struct_header},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(split_gc_payload(row.msgtype, test::hex(row.bytes)).error(), row.why) << row.bytes;
  }
}

TEST(GcMessage, Written) {
  CMsgGCClient gc;
  set_gc_payload(gc, 1025 | 0x80000000, MsgGCHdr{JobId(7), JobId(8)}, test::hex("0102"));
  EXPECT_EQ(gc.msgtype(), 1025U);
  EXPECT_EQ(to_hex(bytes_of(gc.payload())), "0100070000000000000008000000000000000102");
  CMsgProtoBufHeader header;
  header.set_jobid_source(5);
  set_gc_payload(gc, 4006, header, test::hex("03"));
  EXPECT_EQ(gc.msgtype(), 0x80000FA6);
  EXPECT_EQ(to_hex(bytes_of(gc.payload())), "a60f00800900000051050000000000000003");
}

}  // namespace
}  // namespace corliss::proto
