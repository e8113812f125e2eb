#include <corliss/keyvalues/value.h>

#include <array>
#include <clocale>
#include <limits>

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

TEST(Value, IntegersAreWholeInRangeAndDecimal) {
  EXPECT_EQ(Value("42").get<std::int32_t>(), 42);
  EXPECT_EQ(Value(" \t+42\r\n").get<std::uint8_t>(), 42);
  EXPECT_EQ(Value("-0").get<std::uint32_t>(), 0U);
  EXPECT_EQ(Value("007").get<std::uint16_t>(), 7);
  EXPECT_EQ(Value("-2147483648").get<std::int32_t>(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(Value("18446744073709551615").get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Value("-9223372036854775808").get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", " ", "+", "-", "+-1", "--1", "1.0", "1e3", "0x10", "1,000", "12a", "a12",
                           "1 2", "true", "18446744073709551616", "99999999999999999999"}) {
    EXPECT_FALSE(Value(text).get<std::uint64_t>()) << text;
    EXPECT_FALSE(Value(text).get<std::int64_t>()) << text;
  }
  EXPECT_FALSE(Value("256").get<std::uint8_t>());
  EXPECT_FALSE(Value("65536").get<std::uint16_t>());
  EXPECT_FALSE(Value("-1").get<std::uint32_t>());
  EXPECT_FALSE(Value("-").get<std::uint32_t>());
  EXPECT_FALSE(Value("4294967296").get<std::uint32_t>());
  EXPECT_FALSE(Value("2147483648").get<std::int32_t>());
}

TEST(Value, FloatsHaveAPointInAnyLocale) {
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(Value(" 1.5 ").get<float>(), 1.5F);
  EXPECT_EQ(Value("+.25").get<double>(), 0.25);
  EXPECT_EQ(Value("-1e3").get<double>(), -1000.0);
  EXPECT_EQ(Value::float32(1.5F).text(), "1.5");
  std::setlocale(LC_ALL, "C");
  for (const char* text : {"", "1,5", "1.5x", "0x1p3", "inf", "nan", "-inf", "+-1", ".", "-"}) {
    EXPECT_FALSE(Value(text).get<float>()) << text;
    EXPECT_FALSE(Value(text).get<double>()) << text;
  }
}

TEST(Value, BooleansAreNumbers) {
  EXPECT_EQ(Value("1").get<bool>(), true);
  EXPECT_EQ(Value("0").get<bool>(), false);
  EXPECT_EQ(Value("-7").get<bool>(), true);
  EXPECT_EQ(Value::int32(2).get<bool>(), true);
  for (const char* text : {"true", "false", "yes", "", "1.0", "4294967296"}) {
    EXPECT_FALSE(Value(text).get<bool>().has_value()) << text;
  }
}

TEST(Value, EnumsAreNumbersOrNames) {
  constexpr std::array<std::pair<std::string_view, std::int32_t>, 2> members{{{"Game", 1}, {"DLC", 4}}};
  EXPECT_EQ(Value("4").get_enum(members), 4);
  EXPECT_EQ(Value(" DLC ").get_enum(members), 4);
  EXPECT_EQ(Value("9").get_enum(members), 9);
  EXPECT_FALSE(Value("dlc").get_enum(members));
  EXPECT_FALSE(Value("").get_enum(members));
}

TEST(Value, NumbersHaveTheTextOfTheirType) {
  EXPECT_EQ(Value::int32(-1).text(), "-1");
  EXPECT_EQ(Value::pointer(0x80000000U).text(), "-2147483648");
  EXPECT_EQ(Value::color(0xFF0080FFU).text(), "-16744193");
  EXPECT_EQ(Value::uint64(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Value::int64(-2).text(), "-2");
  EXPECT_EQ(Value::uint64(1ULL << 63).get<std::uint64_t>(), 1ULL << 63);
  EXPECT_FALSE(Value::uint64(1ULL << 63).get<std::int64_t>());
  EXPECT_FALSE(Value::int32(-1).get<std::uint32_t>());
  EXPECT_EQ(Value::int32(7).get<float>(), 7.0F);
  EXPECT_EQ(Value::float32(3.0F).get<std::int32_t>(), 3);
  EXPECT_FALSE(Value::float32(1.5F).get<std::int32_t>());
}

TEST(Value, FloatTextIsTheShortestThatReadsBack) {
  EXPECT_EQ(Value::float32(0.0F).text(), "0");
  EXPECT_EQ(Value::float32(-0.0F).text(), "-0");
  EXPECT_EQ(Value::float32(123.456F).text(), "123.456");
  EXPECT_EQ(Value::float32(100.0F).text(), "1e+02");
  EXPECT_EQ(Value::float32(0.1F).text(), "0.1");
  EXPECT_EQ(Value::float32(16777216.0F).text(), "16777216");
  EXPECT_EQ(Value::float32(std::numeric_limits<float>::infinity()).text(), "inf");
  EXPECT_EQ(Value::float32(-std::numeric_limits<float>::infinity()).text(), "-inf");
  EXPECT_EQ(Value::float32(std::numeric_limits<float>::quiet_NaN()).text(), "nan");
  for (const std::uint32_t bits : {1U, 0x7F7FFFFFU, 0x00800000U, 0x3F800001U, 0xC2C80000U, 0x12345678U}) {
    const Value value = Value::of_bits(Type::float32, bits);
    const auto back = Value::parse(Type::float32, value.text());
    ASSERT_TRUE(back) << value.text();
    EXPECT_EQ(back->bits(), bits) << value.text();
  }
}

TEST(Value, ParsesTheTextOfEveryType) {
  for (const Value& value :
       {Value("x"), Value::int32(-7), Value::float32(1.5F), Value::pointer(3), Value::color(0xFF0080FFU),
        Value::uint64(~0ULL), Value::int64(-9), Value::float32(std::numeric_limits<float>::infinity()),
        Value::float32(-std::numeric_limits<float>::infinity())}) {
    const std::string text = value.text();
    EXPECT_EQ(Value::parse(value.type(), text), value) << text;
    EXPECT_NE(type_name(value.type()), "unknown");
  }
  EXPECT_TRUE(Value::parse(Type::float32, "nan"));
  for (const Type type :
       {Type::int32, Type::float32, Type::pointer, Type::color, Type::uint64, Type::int64, Type::block}) {
    EXPECT_FALSE(Value::parse(type, "x"));
  }
  EXPECT_EQ(type_name(Type::block), "block");
  EXPECT_EQ(type_name(static_cast<Type>(5)), "unknown");
}

}  // namespace
}  // namespace corliss::keyvalues
