#include <corliss/base/hex.h>

#include <array>

namespace corliss {
namespace {

TEST(Hex, RoundTripsEveryByte) {
  std::vector<std::uint8_t> all;
  for (int i = 0; i < 256; ++i) {
    all.push_back(static_cast<std::uint8_t>(i));
  }
  EXPECT_EQ(from_hex(to_hex(all)).value(), all);
  EXPECT_EQ(to_hex(all).substr(0, 8), "00010203");
  EXPECT_EQ(from_hex("DEadBEef").value(), (std::vector<std::uint8_t>{0xde, 0xad, 0xbe, 0xef}));
}

TEST(Hex, RefusesEverythingElse) {
  for (const char* text : {"0", "0g", "g0", " 00", "0x00", "00 ", "é0"}) {
    EXPECT_EQ(from_hex(text).error(), BaseErrc::bad_hex) << text;
  }
}

TEST(Hex, FixedSizeIsExactAndWipesWhenRefused) {
  std::array<std::uint8_t, 2> out{1, 2};
  EXPECT_TRUE(from_hex("abcd", out));
  EXPECT_EQ(out[1], 0xcd);
  for (const char* text : {"", "ab", "abcdef", "abcx"}) {
    out = {1, 2};
    EXPECT_FALSE(from_hex(text, out)) << text;
    EXPECT_EQ(out[0] | out[1], 0) << text;
  }
}

}  // namespace
}  // namespace corliss
