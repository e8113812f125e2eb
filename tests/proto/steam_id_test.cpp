#include "support/test_support.h"
#include "vectors/steamid.h"

#include <corliss/base/endian.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/steam_id.h>

#include <array>
#include <unordered_set>

namespace corliss::proto {
namespace {

constexpr SteamId user(76561197969249708);
static_assert(user.account_id() == AccountId(8983980));
static_assert(user.instance() == SteamId::desktop_instance);
static_assert(user.type() == EAccountType::Individual);
static_assert(user.universe() == EUniverse::Public);
static_assert(SteamId(AccountId(8983980), EUniverse::Public, EAccountType::Individual) == user);
static_assert(SteamId(AccountId(4), EUniverse::Public, EAccountType::Clan).value() == 103582791429521412);
static_assert(SteamId(AccountId(5), EUniverse::Public, EAccountType::GameServer).instance() == 0);
static_assert(SteamId(AccountId(5), EUniverse::Public, EAccountType::Chat).instance() == 1);
static_assert(SteamId().value() == 0 && !SteamId().is_valid());
static_assert(user.static_account_key() == 76561193674282412);
static_assert(user < SteamId(76561197969249709));

TEST(SteamId, Vectors) {
  const auto report = vectors::check_steamid(test::data("proto/steamid.json"));
  for (const auto& failure : report.failures) {
    ADD_FAILURE() << failure.name << ": " << failure.why;
  }
  EXPECT_EQ(report.cases, 101U);
}

TEST(SteamId, FieldsKeepOnlyTheirBits) {
  const SteamId all(AccountId(0xFFFFFFFF), 0xFFFFFFFF, EUniverse{255}, EAccountType{255});
  EXPECT_EQ(all.value(), ~std::uint64_t{0});
  EXPECT_EQ(all.with_account_id(AccountId(1)).value(), 0xFFFFFFFF'00000001);
  EXPECT_EQ(all.with_instance(0x100002).value(), 0xFFF00002'FFFFFFFF);
  EXPECT_EQ(all.with_type(EAccountType{0x13}).value(), 0xFF3FFFFF'FFFFFFFF);
  EXPECT_EQ(all.with_universe(EUniverse::Public).value(), 0x01FFFFFF'FFFFFFFF);
}

struct Valid {
  std::uint64_t id;
  const char* steam3;
  bool valid;
};

// The table of SteamKit's predicate, with the text that each id is written as.
constexpr std::array<Valid, 26> validity{{
    {0, "[I:0:0]", false},
    {76561197960265729, "[U:1:1]", true},
    {76561197960265728, "[U:1:0]", false},
    {76561193665298437, "[U:1:5:0]", true},
    {76561210845167621, "[U:1:5:4]", true},
    {76561215140134917, "[U:1:5:5]", false},
    {81064793292668928, "[M:1:0:0]", true},
    {85568397215006725, "[G:1:5]", true},
    {85568397215006720, "[G:1:0]", false},
    {90071992547409920, "[A:1:0:0]", true},
    {90072417749172229, "[A:1:5:99]", true},
    {94575592174780416, "[P:1:0]", true},
    {99079191802150913, "[C:1:1]", true},
    {103582791429521412, "[g:1:4]", true},
    {103582795724488708, "[g:1:4]", false},
    {103582791429521408, "[g:1:0]", false},
    {108086391056891904, "[T:1:0]", true},
    {110338190870577156, "[c:1:4]", true},
    {109212290963734532, "[L:1:4]", true},
    {112589990684262400, "[i:1:0]", true},
    {117093590311632896, "[a:1:0]", true},
    {121597189939003393, "[i:1:1]", false},
    {139611588448485377, "[i:1:1]", false},
    {4503603922337797, "[U:0:5]", false},
    {364791574111977477, "[U:5:5]", false},
    {18379190083593961477U, "[U:255:5]", false},
}};

TEST(SteamId, ValidityAndSteam3) {
  for (const auto& row : validity) {
    EXPECT_EQ(SteamId(row.id).is_valid(), row.valid) << row.id;
    EXPECT_EQ(to_string(SteamId(row.id)), row.steam3) << row.id;
  }
}

TEST(SteamId, Predicates) {
  const auto of = [](EAccountType type, std::uint32_t instance = 0) {
    return SteamId(AccountId(7), instance, EUniverse::Public, type);
  };
  EXPECT_TRUE(of(EAccountType::GameServer).is_game_server());
  EXPECT_TRUE(of(EAccountType::AnonGameServer).is_game_server());
  EXPECT_FALSE(of(EAccountType::ContentServer).is_game_server());
  EXPECT_TRUE(of(EAccountType::ContentServer).is_content_server());
  EXPECT_TRUE(of(EAccountType::Individual).is_individual());
  EXPECT_TRUE(of(EAccountType::ConsoleUser).is_individual());
  EXPECT_TRUE(of(EAccountType::ConsoleUser).is_console_user());
  EXPECT_FALSE(of(EAccountType::Individual).is_console_user());
  EXPECT_TRUE(of(EAccountType::AnonGameServer).is_anonymous());
  EXPECT_FALSE(of(EAccountType::AnonGameServer).is_anonymous_user());
  EXPECT_TRUE(of(EAccountType::AnonUser).is_anonymous_user());
  EXPECT_FALSE(of(EAccountType::Individual).is_anonymous());
  EXPECT_TRUE(of(EAccountType::Clan).is_clan());
  EXPECT_TRUE(of(EAccountType::Chat).is_chat());
  EXPECT_TRUE(of(EAccountType::Chat, SteamId::lobby_flag).is_lobby());
  EXPECT_FALSE(of(EAccountType::Chat, SteamId::mms_lobby_flag).is_lobby());
  EXPECT_FALSE(of(EAccountType::Clan, SteamId::lobby_flag).is_lobby());

  const SteamId blank(AccountId(0), 0, EUniverse::Public, EAccountType::AnonUser);
  EXPECT_TRUE(blank.is_blank_anonymous());
  EXPECT_TRUE(blank.with_type(EAccountType::AnonGameServer).is_blank_anonymous());
  EXPECT_FALSE(blank.with_instance(1).is_blank_anonymous());
  EXPECT_FALSE(blank.with_account_id(AccountId(1)).is_blank_anonymous());
  EXPECT_FALSE(blank.with_type(EAccountType::Individual).is_blank_anonymous());
}

TEST(SteamId, ClanAndChat) {
  const SteamId clan(103582791429521412);
  const SteamId chat(110338190870577156);
  EXPECT_EQ(*clan.to_clan_chat(), chat);
  EXPECT_EQ(chat.to_clan(), clan);
  EXPECT_EQ(chat.to_clan_chat().error(), Errc::not_a_clan);
  EXPECT_EQ(user.to_clan_chat().error(), Errc::not_a_clan);
  EXPECT_EQ(clan.to_clan(), std::nullopt);
  EXPECT_EQ(chat.with_instance(SteamId::clan_chat_flag | SteamId::lobby_flag).to_clan(), std::nullopt);
  EXPECT_EQ(chat.with_instance(0).to_clan(), std::nullopt);
}

TEST(SteamId, RefusesEverythingElse) {
  struct Bad {
    std::string_view text;
    Errc why;
  };
  const Bad rows[] = {
      {"", Errc::bad_id},
      {"-1", Errc::bad_id},
      {" 1", Errc::bad_id},
      {"1 ", Errc::bad_id},
      {"\xd9\xa1", Errc::bad_id},
      {"18446744073709551616", Errc::id_out_of_range},
      {"99999999999999999999999999999999", Errc::id_out_of_range},
      {"STEAM_", Errc::bad_id},
      {"STEAM_0", Errc::bad_id},
      {"STEAM_0:", Errc::bad_id},
      {"STEAM_0:0", Errc::bad_id},
      {"STEAM_0:0:", Errc::bad_id},
      {"STEAM_:0:1", Errc::bad_id},
      {"STEAM_5:0:1", Errc::bad_id},
      {"STEAM_00:0:1", Errc::bad_id},
      {"STEAM_0:2:1", Errc::bad_id},
      {"STEAM_0:01:1", Errc::bad_id},
      {"STEAM_0::1", Errc::bad_id},
      {"STEAM_0:0:1:", Errc::bad_id},
      {"STEAM_0:0:1 ", Errc::bad_id},
      {"STEAM_0:0:-1", Errc::bad_id},
      {"STEAM_0:0:+1", Errc::bad_id},
      {"STEAM-0:0:1", Errc::bad_id},
      {"xSTEAM_0:0:1y", Errc::bad_id},
      {"STEAM_0:0:2147483648", Errc::id_out_of_range},
      {"STEAM_0:1:4294967296", Errc::id_out_of_range},
      {"STEAM_0:1:18446744073709551617", Errc::id_out_of_range},
      {"[", Errc::bad_id},
      {"]", Errc::bad_id},
      {"[]", Errc::bad_id},
      {"[U]", Errc::bad_id},
      {"[U:1]", Errc::bad_id},
      {"[U:1:]", Errc::bad_id},
      {"[:1:1]", Errc::bad_id},
      {"[UU:1:1]", Errc::bad_id},
      {"[u:1:1]", Errc::bad_id},
      {"[X:1:1]", Errc::bad_id},
      {"[U::1]", Errc::bad_id},
      {"[U:5:1]", Errc::bad_id},
      {"[U:01:1]", Errc::bad_id},
      {"[U:-1:1]", Errc::bad_id},
      {"[U:1:1:]", Errc::bad_id},
      {"[U:1:1:1:1]", Errc::bad_id},
      {"[U:1:-1]", Errc::bad_id},
      {"[U:1: 1]", Errc::bad_id},
      {"[U:1:1", Errc::bad_id},
      {"U:1:1]", Errc::bad_id},
      {"[U:1:1]\n", Errc::bad_id},
      {"\n[U:1:1]", Errc::bad_id},
      {"[U:1:4294967296]", Errc::id_out_of_range},
      {"[U:1:18446744073709551617]", Errc::id_out_of_range},
      {"[U:1:1:1048576]", Errc::id_out_of_range},
      {"[U:1:1:4294967297]", Errc::id_out_of_range},
      {"[c:1:1:1048576]", Errc::id_out_of_range},
      {"[A:1:2:345)]", Errc::bad_id},
      {"[A:1:2(345]", Errc::bad_id},
      {"[A:1:2()]", Errc::bad_id},
      {"[A:1:(3)]", Errc::bad_id},
      {"[A:1:2(3)4]", Errc::bad_id},
      {"[A:1:2:3(4)]", Errc::bad_id},
      {"[A:1:2(3):4]", Errc::bad_id},
      {"[A:1:2((3)]", Errc::bad_id},
      {"[A:1:2(3))]", Errc::bad_id},
      {"[A:1:2(1048576)]", Errc::id_out_of_range},
      {std::string_view("[U:1:1\0]", 8), Errc::bad_id},
      {std::string_view("1\0", 2), Errc::bad_id},
  };
  for (const auto& row : rows) {
    const auto id = SteamId::parse(row.text);
    ASSERT_FALSE(id) << row.text;
    EXPECT_EQ(id.error(), row.why) << row.text;
  }
}

TEST(SteamId, EachParserTakesItsOwnFormOnly) {
  EXPECT_EQ(*SteamId::parse_number("76561197969249708"), user);
  EXPECT_EQ(*SteamId::parse_steam2("STEAM_0:0:4491990"), user);
  EXPECT_EQ(*SteamId::parse_steam3("[U:1:8983980]"), user);
  EXPECT_FALSE(SteamId::parse_number("[U:1:8983980]"));
  EXPECT_FALSE(SteamId::parse_steam2("76561197969249708"));
  EXPECT_FALSE(SteamId::parse_steam2("STEAM"));
  EXPECT_FALSE(SteamId::parse_steam3("STEAM_0:0:4491990"));
  EXPECT_FALSE(SteamId::parse("cv-dgb"));
}

TEST(SteamId, Steam2UniverseCanBeGiven) {
  EXPECT_EQ(SteamId::parse_steam2("sTeAm_2:1:5")->universe(), EUniverse::Beta);
  EXPECT_EQ(SteamId::parse_steam2("STEAM_2:1:5", EUniverse::Public)->value(), 76561197960265739U);
  EXPECT_EQ(SteamId::parse_steam2("STEAM_0:1:5", EUniverse::Invalid)->universe(), EUniverse::Invalid);
  EXPECT_FALSE(SteamId::parse_steam2("STEAM_5:1:5", EUniverse::Public));
}

TEST(SteamId, FormsOfText) {
  EXPECT_EQ(to_string(user, SteamIdForm::number), "76561197969249708");
  EXPECT_EQ(to_string(user, SteamIdForm::steam2), "STEAM_0:0:4491990");
  EXPECT_EQ(to_string(user, SteamIdForm::steam2_modern), "STEAM_1:0:4491990");
  EXPECT_EQ(to_string(user.with_universe(EUniverse::Invalid), SteamIdForm::steam2_modern),
            "STEAM_0:0:4491990");
  EXPECT_EQ(to_string(SteamId(109775240917155844)), "[L:1:4]");
  EXPECT_EQ(to_string(SteamId(111464090777419780)), "[c:1:4]");
  EXPECT_EQ(to_string(SteamId(103582791429521412), SteamIdForm::steam2), "103582791429521412");
}

TEST(SteamId, InviteCodes) {
  const auto of = [](std::uint32_t account) {
    return SteamId(AccountId(account), EUniverse::Public, EAccountType::Individual);
  };
  for (const auto& [account, code] : {std::pair{123456U, "cv-dgb"}, std::pair{4294967295U, "wwww-wwww"},
                                      std::pair{1U, "c"}, std::pair{0U, "b"}, std::pair{255U, "w-w"}}) {
    EXPECT_EQ(to_invite_code(of(account)), code);
    EXPECT_EQ(*SteamId::parse_invite_code(code), of(account));
    EXPECT_EQ(*SteamId::parse_invite_code(std::string("https://s.team/p/") + code), of(account));
  }
  EXPECT_EQ(*SteamId::parse_invite_code("cvdgb"), of(123456));
  EXPECT_EQ(*SteamId::parse_invite_code("-c-"), of(1));
  for (const char* text :
       {"", "-", "https://s.team/p/", "CV-DGB", "cv-dga", "1e240", "cv dgb", "http://s.team/p/c"}) {
    EXPECT_EQ(SteamId::parse_invite_code(text).error(), Errc::bad_id) << text;
  }
  EXPECT_EQ(SteamId::parse_invite_code("cbbbb-bbbb").error(), Errc::id_out_of_range);
  EXPECT_EQ(SteamId::parse_invite_code("wwwwwwwwwwwwwwwwwwwwwwww").error(), Errc::id_out_of_range);
}

TEST(SteamId, EveryFormReadsBack) {
  test::TestRng random;
  for (int i = 0; i < 2000; ++i) {
    const auto bits = random.bytes(8);
    const SteamId id(load_le<std::uint64_t>(bits.data()));
    ASSERT_EQ(*SteamId::parse(to_string(id, SteamIdForm::number)), id);

    const SteamId person(id.account_id(), EUniverse::Public, EAccountType::Individual);
    for (const auto form : {SteamIdForm::steam3, SteamIdForm::steam2, SteamIdForm::steam2_modern}) {
      ASSERT_EQ(*SteamId::parse(to_string(person, form)), person);
    }
    ASSERT_EQ(*SteamId::parse_invite_code(to_invite_code(id)), person);
    const auto anonymous = person.with_type(EAccountType::AnonGameServer).with_instance(id.instance());
    ASSERT_EQ(*SteamId::parse(to_string(anonymous)), anonymous);
    ASSERT_EQ(*SteamId::parse(to_string(person.with_instance(id.instance()))),
              person.with_instance(id.instance()));
  }
}

TEST(SteamId, Hashes) {
  const std::unordered_set<SteamId> set{user, SteamId(1), user};
  EXPECT_EQ(set.size(), 2U);
}

}  // namespace
}  // namespace corliss::proto
