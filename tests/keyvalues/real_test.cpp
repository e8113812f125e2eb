#include "keyvalues/kv_support.h"

#include <corliss/base/reader.h>

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

Result<std::uint64_t> varint(Reader& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    CORLISS_TRY(const auto byte, in.u8());
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      break;
    }
  }
  return value;
}

// The bytes of the first length-delimited field `wanted`, protobuf walked by hand: this layer knows no
// protobuf.
Result<ConstBytes> field(ConstBytes message, std::uint64_t wanted) {
  Reader in(message);
  for (;;) {
    CORLISS_TRY(const auto tag, varint(in));
    if ((tag & 7) == 2) {
      CORLISS_TRY(const auto size, varint(in));
      CORLISS_TRY(const auto bytes, in.bytes(static_cast<std::size_t>(size)));
      if (tag >> 3 == wanted) {
        return bytes;
      }
    } else if ((tag & 7) == 0) {
      CORLISS_CHECK(varint(in));
    } else {
      CORLISS_CHECK(in.skip((tag & 7) == 1 ? 8 : 4));
    }
  }
}

TEST(RealData, ProductInfoOfApp480) {
  const auto path = test::real_data("002_in_8904_k_EMsgClientPICSProductInfoResponse_app480.bin");
  if (!path) {
    GTEST_SKIP() << test::real_data_hint;
  }
  const auto packet = test::read_file(*path);
  Reader in(packet);
  ASSERT_TRUE(in.skip(4));
  ASSERT_TRUE(in.skip(in.u32().value()));
  const auto app = field(in.take_rest(), 1);  // CMsgClientPICSProductInfoResponse.apps
  ASSERT_TRUE(app);
  const auto buffer = field(*app, 5);  // AppInfo.buffer
  ASSERT_TRUE(buffer);
  ASSERT_EQ(buffer->size(), 3229U);

  const Tree tree = read_text(*buffer).value();
  const Node root = tree.root();
  EXPECT_EQ(root.name(), "appinfo");
  EXPECT_EQ(root["appid"].get<std::uint32_t>(), 480U);
  EXPECT_EQ(root.at("common/name").string(), "Spacewar");
  EXPECT_EQ(root.at("depots/481/manifests/public/gid").get<std::uint64_t>(), 3183503801510301321U);
  EXPECT_EQ(root.at("depots/481/manifests/previous/gid").get<std::uint64_t>(), 8382873932604653347U);
  EXPECT_EQ(root.at("depots/481/encryptedmanifests/private/gid").string(),
            "89A09467D33499F8ED88480C22A2B962");
  EXPECT_EQ(root.at("depots/229006/depotfromapp").get<int>(), 228980);
  EXPECT_EQ(root.at("depots/branches/public/buildid").get<int>(), 3538192);
  EXPECT_EQ(root.at("depots/branches/private/pwdrequired").get<bool>(), true);
  EXPECT_EQ(write_text(tree).value(), text_of(buffer->first(3228)));
  EXPECT_EQ(read_binary(write_binary(tree).value())->node_count(), tree.node_count());

  Events events;
  TextStream stream(events);
  test::TestRng rng;
  ASSERT_FALSE(feed_split(stream, *buffer, rng, false));
  EXPECT_EQ(events.lines, events_of(tree));
}

}  // namespace
}  // namespace corliss::keyvalues
