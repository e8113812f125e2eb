#include "support/test_support.h"
#include "vectors/messages.h"

#include <corliss/proto/message.h>
#include <corliss/proto/product_info.pb.h>

namespace corliss::proto {
namespace {

TEST(MessageVectors, All) {
  const auto report = vectors::check_messages(test::data("proto/messages.json"));
  for (const auto& failure : report.failures) {
    ADD_FAILURE() << failure.name << ": " << failure.why;
  }
  EXPECT_EQ(report.cases, 30U);
}

// Received from Steam; what its fields hold is said beside the file. The SHA-1 is of all but the last byte.
TEST(RealMessage, ProductInfo) {
  const auto path = test::real_data("002_in_8904_k_EMsgClientPICSProductInfoResponse_app480.bin");
  if (!path) {
    GTEST_SKIP() << test::real_data_hint;
  }
  const auto packet = test::read_file(*path);
  MessageView message;
  ASSERT_TRUE(message.parse(packet));
  EXPECT_EQ(message.emsg(), EMsg::ClientPICSProductInfoResponse);
  EXPECT_TRUE(message.is_protobuf());
  EXPECT_EQ(packet.size() - 8 - message.body().size(), 29U);
  EXPECT_TRUE(message.steam_id().is_valid());
  EXPECT_FALSE(message.target_job().is_none());
  EXPECT_TRUE(message.source_job().is_none());

  CMsgClientPICSProductInfoResponse response;
  ASSERT_TRUE(message.read_body(response));
  ASSERT_EQ(response.apps_size(), 1);
  EXPECT_EQ(response.packages_size(), 0);
  const auto& app = response.apps(0);
  EXPECT_EQ(app.appid(), 480U);
  EXPECT_EQ(app.change_number(), 24483107U);
  EXPECT_TRUE(app.has_missing_token() && !app.missing_token());
  EXPECT_TRUE(app.has_only_public() && !app.only_public());
  EXPECT_EQ(app.size(), 3229U);
  ASSERT_EQ(app.buffer().size(), 3229U);
  EXPECT_EQ(app.buffer().back(), '\0');
  EXPECT_EQ(app.buffer().substr(0, 9), "\"appinfo\"");
  EXPECT_EQ(bytes_of(app.sha()).size(), 20U);
  EXPECT_EQ(static_cast<unsigned char>(app.sha()[0]), 0x71);
  EXPECT_TRUE(response.has_meta_data_only() && !response.meta_data_only());
  EXPECT_TRUE(response.has_response_pending() && !response.response_pending());

  std::vector<std::uint8_t> again(packet.size());
  const auto written = write_message(message.emsg(), message.protobuf_header(), response, again);
  ASSERT_TRUE(written);
  EXPECT_EQ(again, packet);
}

}  // namespace
}  // namespace corliss::proto
