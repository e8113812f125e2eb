#include "keyvalues/kv_support.h"

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

TEST(Binary, EveryTypeBothWays) {
  TreeBuilder builder;
  builder.block("t")
      .leaf("s", "x")
      .leaf("i", Value::int32(-7))
      .leaf("f", Value::float32(1.5F))
      .leaf("p", Value::pointer(3))
      .leaf("c", Value::color(0xFF0080FFU))
      .leaf("u", Value::uint64(~0ULL))
      .leaf("l", Value::int64(-9))
      .leaf("", "")
      .block("")
      .end()
      .end();
  const Tree tree = builder.finish().value();
  const auto bytes = write_binary(tree).value();
  const Tree again = read_binary(bytes).value();
  EXPECT_TRUE(again.root().same_as(tree.root()));
  EXPECT_EQ(again.consumed(), bytes.size());
  EXPECT_EQ(again.root()["i"].value(), Value::int32(-7));
  EXPECT_EQ(again.root()["u"].get<std::uint64_t>(), ~0ULL);
  EXPECT_EQ(again.root()["u"].type(), Type::uint64);
  EXPECT_EQ(again.root()["c"].text(), "-16744193");
  const auto other_end = write_binary(tree.root(), EndMarker::alternate).value();
  EXPECT_EQ(other_end.size(), bytes.size());
  EXPECT_EQ(other_end.back(), 11);
  EXPECT_TRUE(read_binary(other_end).value().root().same_as(tree.root()));
  const Tree owned = read_binary_owned(bytes).value();
  EXPECT_TRUE(owned.root().same_as(tree.root()));
  EXPECT_FALSE(read_binary_owned({1}));
  // As text the numbers are their text, and types go; an empty name cannot be written.
  EXPECT_EQ(write_text(tree).error(), Errc::empty_key);
}

struct Refusal {
  const char* why;
  const char* hex;
  Errc error;
  std::uint64_t at;
};

TEST(Binary, RefusesWithCauseAndPlace) {
  const std::vector<Refusal> refusals{
      {"nothing", "", Errc::unexpected_end, 0},
      {"no outer end", "00720008", Errc::unexpected_end, 4},
      {"no end of a block", "007200", Errc::unexpected_end, 3},
      {"name without end", "007272", Errc::unterminated_string, 1},
      {"value without end", "007200016b0076", Errc::unterminated_string, 6},
      {"value missing", "007200016b00", Errc::unterminated_string, 6},
      {"int32 cut short", "0072000261000100", Errc::unexpected_end, 8},
      {"uint64 cut short", "00720007610001000000000000", Errc::unexpected_end, 13},
      {"wide string", "0072000577006800690000000808", Errc::unknown_type, 3},
      {"type 9", "0072000978000000000808", Errc::unknown_type, 3},
      {"type 12", "0072000c7800000000000808", Errc::unknown_type, 3},
      {"type 16", "107800", Errc::unknown_type, 0},
      {"type 255", "ff7800", Errc::unknown_type, 0},
      {"text", "227222207b2022612220223122207d", Errc::unknown_type, 0},
      {"second root without end", "0061000800620008", Errc::unexpected_end, 8},
      {"bad node behind the first root", "0061000805620008", Errc::unknown_type, 4},
  };
  for (const Refusal& refusal : refusals) {
    const auto input = test::hex(refusal.hex);
    const Verdict verdict = refused_binary(input);
    EXPECT_EQ(verdict.error, refusal.error) << refusal.why << ": " << verdict.error.message();
    EXPECT_EQ(verdict.error, Fault::malformed) << refusal.why;
    EXPECT_EQ(verdict.place.at, (Place{refusal.at, 0, 0})) << refusal.why;
  }
  EXPECT_EQ(refused_binary(test::hex("0061000062000808")).place.opened, std::nullopt);
  EXPECT_EQ(refused_binary(test::hex("00610000620008")).place.opened, (Place{0, 0, 0}));
  EXPECT_EQ(refused_binary(test::hex("00610000620000630008")).place.opened, (Place{3, 0, 0}));
}

TEST(Binary, EveryTruncationIsRefused) {
  test::TestRng rng;
  for (int round = 0; round < 10; ++round) {
    const auto bytes = write_binary(random_tree(rng, true)).value();
    const std::size_t step = bytes.size() / 2000 + 1;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
      const Verdict verdict = refused_binary(ConstBytes(bytes).first(size));
      EXPECT_TRUE(verdict.error == Errc::unexpected_end || verdict.error == Errc::unterminated_string)
          << size;
      EXPECT_LE(verdict.place.at.offset, size);
    }
  }
}

TEST(Binary, RootsAndTrailingBytes) {
  const auto two = test::hex("00610008016200310008ff");
  EXPECT_EQ(events_of(read_binary(two).value()), (std::vector<std::string>{"{ a", "}"}));
  EXPECT_EQ(read_binary(two)->consumed(), two.size() - 1);
  BinaryOptions options;
  options.all_roots = true;
  const Tree both = read_binary(two, options).value();
  EXPECT_EQ(events_of(both), (std::vector<std::string>{"{ a", "}", "b = string 1"}));
  EXPECT_EQ(write_binary(both).value(), test::hex("00610008016200310008"));
  EXPECT_EQ(write_text(both).error(), Errc::leaf_root);
  const auto leaf_first = test::hex(
      "0162003100006100080162003300"
      "08");
  EXPECT_EQ(events_of(read_binary(leaf_first).value()), (std::vector<std::string>{"b = string 1"}));
  EXPECT_FALSE(read_binary(test::hex("08"))->root());
  EXPECT_EQ(write_binary(Tree()).value(), test::hex("08"));
}

TEST(Binary, LimitsAreExact) {
  const auto nested = [](std::size_t depth) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < depth; ++i) {
      bytes.insert(bytes.end(), {0, 'a', 0});
    }
    bytes.resize(bytes.size() + depth + 1, 8);
    return bytes;
  };
  EXPECT_TRUE(read_binary(nested(100)));
  EXPECT_EQ(refused_binary(nested(101)).error, Errc::too_deep);
  EXPECT_EQ(refused_binary(nested(1'000'000)).error, Errc::too_deep);
  BinaryOptions options;
  options.limits.max_depth = Limits::unlimited;
  const auto bytes = nested(300'000);
  const Tree deep = read_binary(bytes, options).value();
  EXPECT_EQ(write_binary(deep).value(), bytes);
}

TEST(Binary, SizeTokenAndNodeLimits) {
  const auto bytes = test::hex("007200016b00767676000808");
  BinaryOptions options;
  options.limits.max_size = bytes.size();
  EXPECT_TRUE(read_binary(bytes, options));
  --options.limits.max_size;
  EXPECT_EQ(refused_binary(bytes, options).error, Errc::too_large);
  EXPECT_EQ(refused_binary(bytes, options).error, Fault::limit);
  // What follows the document does not count.
  auto longer = bytes;
  longer.resize(1000);
  options.limits.max_size = bytes.size();
  EXPECT_EQ(read_binary(longer, options)->consumed(), bytes.size());
  options = {};
  options.limits.max_token = 3;
  EXPECT_TRUE(read_binary(bytes, options));
  options.limits.max_token = 2;
  EXPECT_EQ(refused_binary(bytes, options).error, Errc::too_large);
  options.limits.max_token = 0;
  EXPECT_EQ(refused_binary(bytes, options).error, Errc::too_large);
  options = {};
  options.limits.max_nodes = 2;
  EXPECT_TRUE(read_binary(bytes, options));
  options.limits.max_nodes = 1;
  EXPECT_EQ(refused_binary(bytes, options).error, Errc::too_many_nodes);
  options.limits.max_nodes = 0;
  EXPECT_EQ(refused_binary(bytes, options).error, Errc::too_many_nodes);
}

TEST(Vbkv, HeaderAndChecksum) {
  auto file = test::hex("56424b560b88e9c3007200016b0076000b0b");
  const Tree tree = read_vbkv(file).value();
  EXPECT_EQ(tree.root()["k"].string(), "v");
  EXPECT_EQ(write_vbkv(tree.root()).value(), file);
  BinaryOptions options;
  options.limits.max_size = 4;
  EXPECT_EQ(read_vbkv(file, options).error(), Errc::too_large);
  ErrorPlace place;
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_EQ(read_vbkv(ConstBytes(file).first(size), {}, &place).error(),
              size < 8 ? Errc::bad_magic : Errc::checksum);
  }
  file[9] ^= 1;
  EXPECT_EQ(read_vbkv(file, {}, &place).error(), Errc::checksum);
  EXPECT_EQ(read_vbkv(file).error(), Fault::unauthenticated);
  EXPECT_EQ(place.at.offset, 4U);
  file[0] = 'v';
  EXPECT_EQ(read_vbkv(file).error(), Errc::bad_magic);
  // "08" and one more byte; CRC-32 of 0801 by zlib.
  const auto trailing = test::hex("56424b5661a807fe0801");
  const auto error = read_vbkv(trailing, {}, &place).error();
  EXPECT_EQ(error, Errc::trailing_bytes);
  EXPECT_EQ(place.at.offset, 9U);
  TreeBuilder builder;
  builder.leaf("a", std::string_view("x\0", 2));
  const Tree with_nul = builder.finish().value();
  EXPECT_EQ(write_vbkv(with_nul.root()).error(), Errc::nul);
}

}  // namespace
}  // namespace corliss::keyvalues
