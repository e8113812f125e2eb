#include <corliss/proto/fmt.h>

namespace corliss::proto {
namespace {

TEST(Fmt, SteamIdForms) {
  const SteamId id(76561197969249708);
  EXPECT_EQ(fmt::format("{}", id), "[U:1:8983980]");
  EXPECT_EQ(fmt::format("{:s}", id), "[U:1:8983980]");
  EXPECT_EQ(fmt::format("{:d}", id), "76561197969249708");
  EXPECT_EQ(fmt::format("{:l}", id), "STEAM_0:0:4491990");
  EXPECT_EQ(fmt::format("<{:>20d}> {:d}", id, id), "<   76561197969249708> 76561197969249708");
  EXPECT_EQ(fmt::format("<{:*^15}>", id), "<*[U:1:8983980]*>");
  EXPECT_THROW((void)fmt::format(fmt::runtime("{:q}"), id), fmt::format_error);
  EXPECT_THROW((void)fmt::format(fmt::runtime("{:dd}"), id), fmt::format_error);
}

TEST(Fmt, DecimalIds) {
  EXPECT_EQ(fmt::format("{} {} {} {}", AppId(440), GameId(570), GlobalId(7), JobId(8)), "440 570 7 8");
  EXPECT_EQ(fmt::format("{:>6}", DepotId(481)), "   481");
}

}  // namespace
}  // namespace corliss::proto
