#include <corliss/proto/errc.h>
#include <corliss/proto/ids.h>

#include <type_traits>
#include <unordered_set>

namespace corliss::proto {
namespace {

static_assert(!std::is_convertible_v<std::uint32_t, AppId>);
static_assert(!std::is_convertible_v<AppId, DepotId>);
static_assert(!std::is_constructible_v<DepotId, AppId>);
static_assert(AppId() == AppId(0));
static_assert(AppId(440) < AppId(570));
static_assert(ManifestId(1118032470228587934).value() == 1118032470228587934);

TEST(Ids, ParseTakesDecimalOnly) {
  EXPECT_EQ(*AppId::parse("440"), AppId(440));
  EXPECT_EQ(*AppId::parse("0"), AppId());
  EXPECT_EQ(*AppId::parse("00000000000000000000440"), AppId(440));
  EXPECT_EQ(*AppId::parse("4294967295"), AppId(4294967295));
  EXPECT_EQ(*ManifestId::parse("18446744073709551615"), ManifestId(18446744073709551615U));
  for (const char* text :
       {"", " 1", "1 ", "+1", "-1", "1x", "0x10", "1.0", "\xd9\xa1", "x99999999999999999999"}) {
    EXPECT_EQ(AppId::parse(text).error(), Errc::bad_id) << text;
  }
  EXPECT_EQ(AppId::parse(std::string_view("1\0", 2)).error(), Errc::bad_id);
  for (const char* text :
       {"4294967296", "4294967300", "42949672950", "99999999999999999999999999999999999999"}) {
    EXPECT_EQ(AppId::parse(text).error(), Errc::id_out_of_range) << text;
  }
  for (const char* text : {"18446744073709551616", "18446744073709551620", "184467440737095516150"}) {
    EXPECT_EQ(ManifestId::parse(text).error(), Errc::id_out_of_range) << text;
  }
}

TEST(Ids, HashAndText) {
  const std::unordered_set<DepotId> set{DepotId(1), DepotId(2), DepotId(1)};
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(to_string(DepotId(481)), "481");
}

TEST(ProtoErrc, MapsToFaults) {
  EXPECT_EQ(std::error_code(Errc::bad_id), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::id_out_of_range), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::not_a_clan), Fault::local);
  for (const Errc errc : {Errc::message_too_short, Errc::bad_header_length, Errc::bad_header,
                          Errc::bad_struct_header, Errc::bad_body, Errc::wrong_header_kind,
                          Errc::multi_bad_gzip, Errc::multi_bad_size, Errc::multi_bad_part}) {
    EXPECT_EQ(std::error_code(errc), Fault::malformed) << std::error_code(errc).message();
  }
  for (const Errc errc : {Errc::message_too_large, Errc::multi_too_large, Errc::multi_too_deep}) {
    EXPECT_EQ(std::error_code(errc), Fault::limit) << std::error_code(errc).message();
  }
  EXPECT_STREQ(std::error_code(Errc::bad_id).category().name(), "corliss.proto");
}

}  // namespace
}  // namespace corliss::proto
