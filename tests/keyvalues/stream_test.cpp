#include "keyvalues/kv_support.h"
#include "support/allocations.h"

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

using namespace std::literals;

const std::vector<std::string_view>& texts() {
  static const std::vector<std::string_view> all{
      ""sv,
      "  \n// nothing\n\t"sv,
      "r { a 1 }"sv,
      "\xEF\xBB\xBF\"r\" [$A] // c\r\n{\r\n\t\"a\\n\"\t\t\"1\\\"2\" [$B]\n\tb [$C] { c d }\n \"long one\" \"x y z\" }\n// t\0\0"sv,
      "r { a \"caf\xC3\xA9 \xF0\x9F\x98\x80\" } s { t u } / end"sv,
      "r { url http://host/a//b \"C:\\\\dir\\\\\" bare }"sv,
      "\xFF\xFEr\0 \0{\0 \0a\0 \0\xE9\0 \0}\0\n\0"sv,
      "\xFE\xFF\0r\0{\0a\0 \xD8\x3D\xDE\x00\0}\0\0"sv,
      // refused ones
      "r {\r\n a { b {\r\n c 1 }"sv,
      "r { a \"1\\"sv,
      "r { a b\0c }"sv,
      "r { a 1\0 }"sv,
      "r { \"a\0\" 1 }"sv,
      "r { a [$A\n] 1 }"sv,
      "r {\n}\n}"sv,
      "r { a\r\r\n\n}"sv,
      "#base x r { }"sv,
      "\xFF\xFEr\0{\0a\0"sv,
      "\xFF\xFEr\0{\0}\0}"sv,
      "r"sv,
      "\xEF"sv,
      "\xEF\xBB"sv,
  };
  return all;
}

TEST(TextStream, AnySplitGivesTheEventsOfTheTree) {
  test::TestRng rng;
  for (const auto mode : {ConditionMode::ignore, ConditionMode::keep, ConditionMode::evaluate}) {
    for (const std::string_view text : texts()) {
      TextOptions options;
      options.conditions = mode;
      options.symbols = {"A", "C"};
      options.all_roots = true;
      ErrorPlace place;
      const auto tree = read_text(bytes_of(text), options, &place);
      for (int round = 0; round < 12; ++round) {
        Events events;
        TextStream stream(events, options);
        const auto error = feed_split(stream, bytes_of(text), rng, round == 0);
        ASSERT_EQ(error, tree ? std::error_code() : tree.error()) << text;
        if (tree) {
          EXPECT_EQ(events.lines, events_of(*tree)) << text;
        } else {
          EXPECT_EQ(stream.error_place().at, place.at) << text;
          EXPECT_EQ(stream.error_place().opened, place.opened) << text;
          EXPECT_EQ(stream.feed(bytes_of("x")).error(), error) << text;
          EXPECT_EQ(stream.finish().error(), error) << text;
        }
      }
    }
  }
}

TEST(TextStream, RandomTreesInPieces) {
  test::TestRng rng;
  for (int round = 0; round < 60; ++round) {
    const Tree tree = random_tree(rng, false);
    const std::string text = write_text(tree).value();
    Events events;
    TextStream stream(events);
    ASSERT_FALSE(feed_split(stream, bytes_of(text), rng, false)) << text;
    EXPECT_EQ(events.lines, events_of(tree));
  }
}

TEST(TextStream, SkipsAndStops) {
  constexpr std::string_view text = "r { a { b 1 c { d 2 } } e 3 f { g 4 } }";
  Events all;
  all.answer_block = Next::skip;
  TextStream skipping(all);
  ASSERT_TRUE(skipping.feed(bytes_of(text)));
  ASSERT_TRUE(skipping.finish());
  EXPECT_EQ(all.lines, (std::vector<std::string>{"{ r"}));

  Events stopping;
  stopping.answer_leaf = Next::stop;
  TextStream stream(stopping);
  ASSERT_TRUE(stream.feed(bytes_of(text.substr(0, 20))));
  EXPECT_TRUE(stream.stopped());
  EXPECT_TRUE(stream.feed(bytes_of("}}}} not even text\0"sv)));
  EXPECT_TRUE(stream.finish());
  EXPECT_EQ(stopping.lines, (std::vector<std::string>{"{ r", "{ a", "b = string 1"}));

  Events at_block;
  at_block.answer_block = Next::stop;
  TextStream block_stream(at_block);
  TextStream moved = std::move(block_stream);
  ASSERT_TRUE(moved.feed(bytes_of("r {")));
  EXPECT_TRUE(moved.stopped());
}

TEST(TextStream, TellsDirectives) {
  Events events;
  events.takes_directives = true;
  TextStream stream(events);
  ASSERT_TRUE(stream.feed(bytes_of("#include \"a\\\\b\" #BASE c r { }")));
  ASSERT_TRUE(stream.finish());
  EXPECT_EQ(events.lines, (std::vector<std::string>{"#include a\\b", "#base c", "{ r", "}"}));
  // A writer puts them down again.
  std::string out;
  TextWriter writer(out);
  TextStream copy(writer);
  ASSERT_TRUE(copy.feed(bytes_of("#include a #base \"b c\" r { }")));
  ASSERT_TRUE(copy.finish());
  EXPECT_EQ(out, "#include\t\t\"a\"\n#base\t\t\"b c\"\n\"r\"\n{\n}\n");
}

TEST(TextStream, HoldsItsLimits) {
  TextOptions options;
  options.limits.max_size = 5;
  Events events;
  TextStream stream(events, options);
  ASSERT_TRUE(stream.feed(bytes_of("r { }")));
  EXPECT_EQ(stream.feed(bytes_of("\n")).error(), Errc::too_large);
  options = stream_options();
  options.limits.max_token = 100;
  for (const std::string_view start : {"r { \""sv, "r { a "sv, "r { a [$"sv}) {
    TextStream token(events, options);
    ASSERT_TRUE(token.feed(bytes_of(start)));
    Result<void> fed;
    int count = 0;
    while (fed && ++count < 1000) {
      fed = token.feed(bytes_of("x"));
    }
    EXPECT_EQ(fed.error(), Errc::too_large) << start;
    EXPECT_LT(count, 110) << start;
  }
}

// 200 MB would take long under a sanitizer; that memory does not grow with the input shows at 20 as well.
TEST(TextStream, MemoryDoesNotGrowWithTheInput) {
  std::string piece;
  while (piece.size() < 60'000) {
    piece += "\t\"name\"\t\t\"value \\\"quoted\\\"\"\n\tblock { a b } // comment\n";
  }
  class Counter final : public Visitor {
   public:
    Next on_block(std::string_view, const NodeConditions&) override { return count(); }
    Next on_leaf(std::string_view, const Value&, const NodeConditions&) override { return count(); }
    Next on_end() override { return Next::go_on; }
    Next count() {
      ++events;
      return Next::go_on;
    }
    std::size_t events = 0;
  };
  Counter counter;
  TextStream stream(counter);
  ASSERT_TRUE(stream.feed(bytes_of("r {\n")));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(stream.feed(bytes_of(piece).first(piece.size() - 7)));
    ASSERT_TRUE(stream.feed(bytes_of(piece).last(7)));
  }
  const test::AllocationCount allocations;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(stream.feed(bytes_of(piece).first(piece.size() - 7)));
    ASSERT_TRUE(stream.feed(bytes_of(piece).last(7)));
  }
  EXPECT_EQ(allocations.calls(), 0U);
  ASSERT_TRUE(stream.feed(bytes_of("}")));
  ASSERT_TRUE(stream.finish());
  EXPECT_GT(counter.events, 300'000U);
}

TEST(BinaryStream, AnySplitGivesTheEventsOfTheTree) {
  test::TestRng rng;
  for (int round = 0; round < 100; ++round) {
    const Tree tree = random_tree(rng, true);
    auto bytes = write_binary(tree, round % 2 == 0 ? EndMarker::standard : EndMarker::alternate).value();
    if (round % 3 == 0) {
      bytes.resize(rng.between(0, bytes.size() - 1));
    } else if (round % 7 == 0) {
      bytes[rng.between(0, bytes.size() - 1)] = static_cast<std::uint8_t>(rng.between(0, 255));
    }
    ErrorPlace place;
    const auto whole = read_binary(bytes, {}, &place);
    Events events;
    BinaryStream stream(events);
    const auto error = feed_split(stream, bytes, rng, round % 5 == 0);
    ASSERT_EQ(error, whole ? std::error_code() : whole.error());
    if (whole) {
      EXPECT_TRUE(stream.done());
      EXPECT_EQ(events.lines, events_of(*whole));
    } else {
      EXPECT_EQ(stream.error_place().at, place.at);
      EXPECT_EQ(stream.error_place().opened, place.opened);
      EXPECT_EQ(stream.finish().error(), error);
      EXPECT_EQ(stream.feed(bytes).error(), error);
    }
  }
}

TEST(BinaryStream, SaysWhatItTook) {
  const auto bytes = test::hex("007200016b0076000808dead");
  Events events;
  BinaryStream stream(events);
  EXPECT_EQ(stream.feed(ConstBytes(bytes).first(4)).value(), 4U);
  EXPECT_EQ(stream.feed(ConstBytes(bytes).subspan(4)).value(), 6U);
  EXPECT_TRUE(stream.done());
  EXPECT_EQ(stream.feed(bytes).value(), 0U);
  EXPECT_TRUE(stream.finish());
  EXPECT_EQ(events.lines, (std::vector<std::string>{"{ r", "k = string v", "}"}));
}

TEST(BinaryStream, SkipsStopsAndHoldsItsLimits) {
  const auto bytes = test::hex("0072000061000162003100080163003200080808");
  Events skipping;
  skipping.answer_block = Next::skip;
  BinaryStream stream(skipping);
  ASSERT_TRUE(stream.feed(bytes));
  EXPECT_TRUE(stream.finish());
  EXPECT_EQ(skipping.lines, (std::vector<std::string>{"{ r"}));
  for (const bool at_block : {false, true}) {
    Events stopping;
    (at_block ? stopping.answer_block : stopping.answer_leaf) = Next::stop;
    BinaryStream stopped(stopping);
    BinaryStream moved = std::move(stopped);
    EXPECT_EQ(moved.feed(bytes).value(), bytes.size());
    EXPECT_TRUE(moved.stopped());
    EXPECT_EQ(moved.feed(bytes).value(), bytes.size());
    EXPECT_TRUE(moved.finish());
  }
  BinaryOptions options;
  options.limits.max_size = 6;
  Events events;
  BinaryStream limited(events, options);
  EXPECT_EQ(limited.feed(bytes).error(), Errc::too_large);
  EXPECT_EQ(limited.error_place().at.offset, 6U);
  options = {};
  options.limits.max_token = 10;
  BinaryStream token(events, options);
  ASSERT_TRUE(token.feed(test::hex("017200")));
  Result<std::size_t> fed = std::size_t{0};
  int count = 0;
  while (fed && ++count < 1000) {
    fed = token.feed(bytes_of("x"));
  }
  EXPECT_EQ(fed.error(), Errc::too_large);
  EXPECT_EQ(count, 11);
}

}  // namespace
}  // namespace corliss::keyvalues
