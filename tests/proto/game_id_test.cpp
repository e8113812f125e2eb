#include <corliss/proto/errc.h>
#include <corliss/proto/game_id.h>

#include <unordered_set>

namespace corliss::proto {
namespace {

static_assert(GameId(15600326224256172602U).app_id() == AppId(570));
static_assert(GameId(15600326224256172602U).type() == EGameIdType::GameMod);
static_assert(GameId(15600326224256172602U).mod_id() == 0xD87F7E0C);
static_assert(GameId(1) < GameId(2));

// The long values are those of SteamKit's GameIDFacts.
TEST(GameId, Made) {
  EXPECT_EQ(GameId::for_app(AppId(570))->value(), 570U);
  EXPECT_EQ(GameId::for_mod(AppId(420), "Research and Development")->value(), 10210309621176861092U);
  EXPECT_EQ(GameId::for_mod(AppId(215), "hidden")->value(), 9826266959967158487U);
  EXPECT_EQ(GameId::for_mod(AppId(570), "test")->value(), 15600326224256172602U);
  EXPECT_EQ(
      GameId::for_shortcut("\"C:\\Program Files (x86)\\Git\\mingw64\\bin\\wintoast.exe\"", "Git for Windows")
          .value(),
      12754778225939316736U);
  EXPECT_EQ(GameId::for_shortcut("", "").value(), 9223372036888330240U);
}

TEST(GameId, AppsOfMoreThan24BitsAreRefused) {
  EXPECT_EQ(GameId::for_app(AppId(0xFFFFFF))->app_id(), AppId(0xFFFFFF));
  EXPECT_EQ(GameId::for_app(AppId(0x1000000)).error(), Errc::id_out_of_range);
  EXPECT_EQ(GameId::for_mod(AppId(0x1000000), "x").error(), Errc::id_out_of_range);
}

TEST(GameId, FieldsLeaveTheOthersAlone) {
  const GameId id(0x8123456702ABCDEF);
  EXPECT_EQ(id.with_app_id(AppId(0xFF000001)).value(), 0x8123456702000001U);
  EXPECT_EQ(id.with_type(EGameIdType::P2P).value(), 0x8123456703ABCDEFU);
  EXPECT_EQ(id.with_mod_id(1).value(), 0x8000000102ABCDEFU);
}

TEST(GameId, Text) {
  EXPECT_EQ(*GameId::parse("10210309621176861092"), GameId(10210309621176861092U));
  EXPECT_EQ(to_string(GameId(10210309621176861092U)), "10210309621176861092");
  EXPECT_EQ(GameId::parse("x").error(), Errc::bad_id);
  EXPECT_EQ(GameId::parse("18446744073709551616").error(), Errc::id_out_of_range);
  EXPECT_EQ((std::unordered_set<GameId>{GameId(1), GameId(1)}.size()), 1U);
}

}  // namespace
}  // namespace corliss::proto
