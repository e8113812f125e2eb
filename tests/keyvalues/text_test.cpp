#include "keyvalues/kv_support.h"

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

using namespace std::literals;

TEST(Text, TheFirstNameCountsWhateverItsCase) {
  const Tree tree =
      tree_of(R"("Root" { "k" "1" "K" "2" "sub" { "Deep" { "x/y" "7" } } "sub" { "no" "1" } })");
  const Node root = tree.root();
  EXPECT_EQ(root.name(), "Root");
  EXPECT_EQ(root.size(), 4U);
  EXPECT_EQ(root["K"].string(), "1");
  EXPECT_EQ(root.at("SUB/deep").size(), 1U);
  EXPECT_EQ(root.at({"sub", "deep", "x/y"}).get<int>(), 7);
  EXPECT_FALSE(root.at("sub/no"));
  EXPECT_EQ(tree.node_count(), 8U);
}

TEST(Text, WhatIsNotThereIsSafe) {
  const Tree tree = tree_of("r { a 1 }");
  const Node nothing = tree.root()["a"]["b"]["c"];
  EXPECT_FALSE(nothing);
  EXPECT_FALSE(nothing.is_block());
  EXPECT_FALSE(nothing.is_leaf());
  EXPECT_EQ(nothing.name(), "");
  EXPECT_EQ(nothing.text(), "");
  EXPECT_EQ(nothing.type(), Type::block);
  EXPECT_FALSE(nothing.get<int>());
  EXPECT_TRUE(nothing.children().empty());
  EXPECT_EQ(nothing.size(), 0U);
  EXPECT_EQ(nothing.conditions(), NodeConditions{});
  EXPECT_FALSE(tree.root().get<int>());
  EXPECT_TRUE(nothing.same_as(Node()));
  EXPECT_FALSE(nothing.same_as(tree.root()));
  const Tree empty;
  EXPECT_FALSE(empty.root());
  EXPECT_TRUE(empty.roots().empty());
  EXPECT_EQ(empty.node_count() + empty.consumed() + empty.memory(), 0U);
}

TEST(Text, AnEmptyBlockIsNoEmptyValue) {
  const Tree tree = tree_of(R"(r { leaf "" block { } })");
  EXPECT_TRUE(tree.root()["leaf"].is_leaf());
  EXPECT_TRUE(tree.root()["block"].is_block());
  EXPECT_EQ(events_of(tree), (std::vector<std::string>{"{ r", "leaf = string ", "{ block", "}", "}"}));
}

TEST(Text, BytesAreKept) {
  const Tree tree = tree_of("r { \"\xFF\xFE\" \"\x80\x01\xC3\" }");
  EXPECT_EQ((*tree.root().children().begin()).name(), "\xFF\xFE");
  EXPECT_EQ((*tree.root().children().begin()).string(), "\x80\x01\xC3");
}

TEST(Text, EscapesCanBeOff) {
  TextOptions options;
  options.escapes = false;
  const Tree tree = tree_of(R"(r { "C:\dir\" "a\n" })", options);
  EXPECT_EQ(tree.root()[R"(C:\dir\)"].string(), R"(a\n)");
}

TEST(Text, StringsBeyondANarrowSlot) {
  const std::string long_name(300, 'n');
  const std::string long_value(20000, 'v');
  const std::string gap(100, ' ');
  const Tree tree = tree_of("r { " + long_name + " x a " + long_value + " b" + gap + "y \"" + long_name +
                            "2\" { z 1 } \"e\\\"sc\" { } }");
  const Node root = tree.root();
  EXPECT_EQ(root[long_name].string(), "x");
  EXPECT_EQ(root["a"].string(), long_value);
  EXPECT_EQ(root["b"].string(), "y");
  EXPECT_EQ(root[long_name + "2"]["z"].string(), "1");
  EXPECT_TRUE(root["e\"sc"].is_block());
  EXPECT_EQ(root.size(), 5U);
}

TEST(Text, ABlockOfAMillionNodes) {
  std::string text = "r { big { ";
  for (int i = 0; i < 1'100'000; ++i) {
    text += "a b ";
  }
  text += "} after 1 }";
  const Tree tree = tree_of(text);
  EXPECT_EQ(tree.root()["after"].get<int>(), 1);
  EXPECT_EQ(tree.root()["big"].size(), 1'100'000U);
}

TEST(Text, FurtherRootsAreKeptOnRequest) {
  constexpr std::string_view text = "a { x 1 } b { y 2 } c { }";
  EXPECT_EQ(events_of(tree_of(text)), (std::vector<std::string>{"{ a", "x = string 1", "}"}));
  TextOptions options;
  options.all_roots = true;
  const Tree all = tree_of(text, options);
  EXPECT_EQ(std::distance(all.roots().begin(), all.roots().end()), 3);
  EXPECT_EQ(write_text(all).value().size(), std::string("\"a\"\n{\n\t\"x\"\t\t\"1\"\n}\n").size() * 2 + 8);
}

TEST(Text, Utf16WithItsMark) {
  const auto expected = tree_of("r { a \"\xC3\xA9\xF0\x9F\x98\x80\" }");
  for (const bool big : {false, true}) {
    std::string text(big ? "\xFE\xFF" : "\xFF\xFE");
    for (const char16_t unit : std::u16string(u"r { a \"\u00e9\U0001F600\" }\0", 14)) {
      const auto high = static_cast<char>(unit >> 8);
      const auto low = static_cast<char>(unit & 0xFF);
      text += big ? high : low;
      text += big ? low : high;
    }
    const Tree tree = tree_of(text);
    EXPECT_TRUE(tree.root().same_as(expected.root()));
    EXPECT_EQ(tree.consumed(), text.size());
    EXPECT_EQ(refused_text(text + "\0"s).error, Errc::bad_encoding);
  }
  // Half a pair becomes U+FFFD, wherever it stands.
  const Tree halves = tree_of("\xFE\xFF\0r\0{\0a\0\"\xD8\x00\0x\xDC\x00\0\"\0}"s);
  EXPECT_EQ(halves.root()["a"].string(), "\xEF\xBF\xBDx\xEF\xBF\xBD");
  EXPECT_EQ(refused_text("\xFE\xFF\0r\0{\xD8\x00"s).error, Errc::unexpected_end);
}

TEST(Text, ByteOrderMarkAndTrailingNuls) {
  EXPECT_EQ(tree_of("\xEF\xBB\xBFr { a 1 }\0\0\0"s).root()["a"].get<int>(), 1);
  EXPECT_FALSE(tree_of("\xEF\xBB\xBF").root());
  EXPECT_FALSE(tree_of("\0\0"s).root());
  // A mark anywhere else is text.
  EXPECT_EQ(tree_of("r { \xEF\xBB\xBF 1 }").root()["\xEF\xBB\xBF"].get<int>(), 1);
}

struct Refusal {
  const char* why;
  std::string_view text;
  Errc error;
  Place at;
};

TEST(Text, RefusesWithCauseAndPlace) {
  const std::vector<Refusal> refusals{
      {"root without block", "\"root\"", Errc::missing_open, {6, 1, 7}},
      {"root with value", "\"root\" \"value\"", Errc::missing_open, {7, 1, 8}},
      {"word after the root", "r { }\njunk", Errc::missing_open, {10, 2, 5}},
      {"close after a root key", "r }", Errc::missing_open, {2, 1, 3}},
      {"end in a block", "r {\n a 1\n", Errc::unexpected_end, {9, 3, 1}},
      {"end after a key", "r { a", Errc::unexpected_end, {5, 1, 6}},
      {"value without end", "r {\r\n \"a\" \"1 }", Errc::unterminated_string, {10, 2, 6}},
      {"key without end", "r { \"a ", Errc::unterminated_string, {4, 1, 5}},
      {"backslash at the end", "r { a \"1\\", Errc::unterminated_string, {6, 1, 7}},
      {"extra close", "r { } }", Errc::unexpected_close, {6, 1, 7}},
      {"open first", "\xEF\xBB\xBF{ a 1 }", Errc::unexpected_open, {3, 1, 1}},
      {"open for a key", "r { { a 1 } }", Errc::unexpected_open, {4, 1, 5}},
      {"no value", "r { a }", Errc::missing_value, {6, 1, 7}},
      {"empty key", "r { \"\" 1 }", Errc::empty_key, {4, 1, 5}},
      {"empty root", "\"\" { }", Errc::empty_key, {0, 1, 1}},
      {"two conditions", "r { a [$A] [$B] 1 }", Errc::unexpected_conditional, {11, 1, 12}},
      {"two conditions after a value", "r { a 1 [$A] [$B] }", Errc::unexpected_conditional, {13, 1, 14}},
      {"two conditions of a root", "r [$A] [$B] { }", Errc::unexpected_conditional, {7, 1, 8}},
      {"condition for a key", "r { [$A] a 1 }", Errc::unexpected_conditional, {4, 1, 5}},
      {"condition after a block", "r { a { } [$A] }", Errc::unexpected_conditional, {10, 1, 11}},
      {"condition after a root", "r { } [$A]", Errc::unexpected_conditional, {6, 1, 7}},
      {"condition with a quote", "r { a [$A \"1\" }", Errc::bad_conditional, {6, 1, 7}},
      {"condition with a brace", "r { a [$A } ]", Errc::bad_conditional, {6, 1, 7}},
      {"condition over lines", "r { a [$A\n] 1 }", Errc::bad_conditional, {6, 1, 7}},
      {"condition at the end", "r { a [$A", Errc::bad_conditional, {6, 1, 7}},
      {"base", "#base \"x\" r { }", Errc::directive, {6, 1, 7}},
      {"include in capitals", "\"#INCLUDE\" x", Errc::directive, {11, 1, 12}},
      {"include with an escape", "\"#\\include\" x", Errc::directive, {12, 1, 13}},
      {"include of a block", "#include { }", Errc::directive, {9, 1, 10}},
      {"include of nothing", "#include", Errc::directive, {8, 1, 9}},
      {"NUL between tokens", "r { a \0 1 }"sv, Errc::nul, {6, 1, 7}},
      {"NUL in a string", "r { a \"1\0\" }"sv, Errc::nul, {8, 1, 9}},
      {"NUL behind a backslash", "r { a \"1\\\0\" }"sv, Errc::nul, {9, 1, 10}},
      {"NUL in a bare token", "r { a\0 1 }"sv, Errc::nul, {5, 1, 6}},
      {"NUL in a condition", "r { a [$\0] 1 }"sv, Errc::nul, {8, 1, 9}},
      {"NUL in a comment", "/ x\0\n r { }"sv, Errc::nul, {3, 1, 4}},
      {"binary", "\0r\0\1a\0001\0\x08\x08"sv, Errc::nul, {0, 1, 1}},
      {"columns count code points", "r { \xC3\xA9\xC3\xA9 } ", Errc::missing_value, {9, 1, 8}},
      {"lone CR ends a line", "r {\r\r\n\n}}", Errc::unexpected_close, {8, 4, 2}},
  };
  for (const Refusal& refusal : refusals) {
    const Verdict verdict = refused_text(refusal.text);
    EXPECT_EQ(verdict.error, refusal.error) << refusal.why << ": " << verdict.error.message();
    EXPECT_EQ(verdict.error, Fault::malformed) << refusal.why;
    EXPECT_EQ(verdict.place.at.offset, refusal.at.offset) << refusal.why;
    EXPECT_EQ(verdict.place.at.line, refusal.at.line) << refusal.why;
    EXPECT_EQ(verdict.place.at.column, refusal.at.column) << refusal.why;
  }
}

TEST(Text, SaysWhereAnUnclosedBlockOpened) {
  const Verdict verdict = refused_text("r {\n a { x 1 }\n  b {\n c { } \n");
  EXPECT_EQ(verdict.error, Errc::unexpected_end);
  ASSERT_TRUE(verdict.place.opened);
  EXPECT_EQ(*verdict.place.opened, (Place{19, 3, 5}));
  EXPECT_FALSE(refused_text("r { a ").place.file.size());
}

TEST(Text, EveryTruncationIsRefusedOrShorter) {
  constexpr std::string_view text = "// c\n\"r\" [$A]\n{\n\t\"a\"\t\t\"1\\\"2\" [$B]\n\tb { c d }\n}\n";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto tree = read_text(bytes_of(text.substr(0, size)));
    const bool no_root_yet = text.substr(0, size).find('"') == std::string_view::npos;
    const bool whole = size >= text.size() - 1;  // without the last line break
    EXPECT_EQ(tree.has_value(), no_root_yet || whole) << size;
  }
}

TEST(Text, LimitsAreExact) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) {
      text += "a{";
    }
    return text + std::string(static_cast<std::size_t>(depth), '}');
  };
  EXPECT_TRUE(tree_of(nested(100)).root());
  EXPECT_EQ(refused_text(nested(101)).error, Errc::too_deep);
  EXPECT_EQ(refused_text(nested(101)).error, Fault::limit);
  TextOptions options;
  options.limits.max_depth = 1'000'000;
  const Tree deep = tree_of(nested(200'000), options);
  EXPECT_EQ(deep.node_count(), 200'000U);
  EXPECT_TRUE(deep.root().same_as(tree_of(nested(200'000), options).root()));
  EXPECT_TRUE(write_binary(deep));  // and walking it needs no stack of ours either

  options = {};
  options.limits.max_nodes = 3;
  EXPECT_TRUE(read_text(bytes_of("r { a 1 b 2 }"), options));
  EXPECT_EQ(refused_text("r { a 1 b 2 c 3 }", options).error, Errc::too_many_nodes);
  EXPECT_EQ(refused_text("r { } s { } t { } u { }", options).error, Errc::too_many_nodes);
  options = {};
  options.limits.max_size = 13;
  EXPECT_TRUE(read_text(bytes_of("r { a 1 b 2 }"), options));
  EXPECT_EQ(refused_text("r { a 1 b 2 } ", options).error, Errc::too_large);
  options = {};
  options.limits.max_token = 4;
  EXPECT_TRUE(read_text(bytes_of("r { abcd \"efgh\" [$AAA] }"), options));
  for (const std::string_view text :
       {"r { abcde 1 }", "r { \"abcde\" 1 }", "r { a 1 [$AAAA] }", "r { a \"abcde"}) {
    EXPECT_EQ(refused_text(text, options).error, Errc::too_large) << text;
  }
}

TEST(Text, ATreeIsUsedAgain) {
  Tree tree;
  ASSERT_TRUE(read_text_into(tree, bytes_of("r { a 1 \"b\\n\" 2 }")));
  EXPECT_EQ(tree.root()["b\n"].get<int>(), 2);
  ASSERT_FALSE(read_text_into(tree, bytes_of("r { a")));
  EXPECT_FALSE(tree.root());
  ASSERT_TRUE(read_text_into(tree, bytes_of("s { c 3 }")));
  EXPECT_EQ(events_of(tree), (std::vector<std::string>{"{ s", "c = string 3", "}"}));
  EXPECT_GT(tree.memory(), 0U);
  tree.clear();
  EXPECT_FALSE(tree.root());
}

TEST(Text, ATreeCanTakeItsInput) {
  const std::string text = "r { a \"x\\ty\" }";
  const auto bytes = bytes_of(text);
  auto tree = read_text_owned({bytes.begin(), bytes.end()});
  ASSERT_TRUE(tree);
  const Tree moved = *std::move(tree);
  EXPECT_EQ(moved.root()["a"].string(), "x\ty");
  EXPECT_FALSE(read_text_owned({'{'}));
}

TEST(Conditions, AreReadOverKeptOrEvaluated) {
  constexpr std::string_view text =
      "r [$A] { a [$B] 1 b 2 [!$A] c [$A && !$B] { d 1 } e 5 [ ($A || $B) ] f [$A] 6 [$B] }";
  EXPECT_EQ(tree_of(text).root().size(), 5U);
  EXPECT_EQ(tree_of(text).root()["a"].conditions(), NodeConditions{});

  TextOptions keep;
  keep.conditions = ConditionMode::keep;
  const Tree kept = tree_of(text, keep);
  EXPECT_EQ(kept.root().conditions(), (NodeConditions{"$A", ""}));
  EXPECT_EQ(kept.root()["b"].conditions(), (NodeConditions{"", "!$A"}));
  EXPECT_EQ(kept.root()["f"].conditions(), (NodeConditions{"$A", "$B"}));
  EXPECT_EQ(kept.root()["d"].conditions(), NodeConditions{});
  const auto written = write_text(kept);
  ASSERT_TRUE(written);
  EXPECT_TRUE(tree_of(*written, keep).root().same_as(kept.root()));
  TreeBuilder copy;
  walk(kept, copy);
  EXPECT_TRUE(copy.finish()->root().same_as(kept.root()));

  TextOptions evaluate;
  evaluate.conditions = ConditionMode::evaluate;
  EXPECT_FALSE(tree_of(text, evaluate).root());
  evaluate.symbols = {"a"};
  EXPECT_EQ(events_of(tree_of(text, evaluate)),
            (std::vector<std::string>{"{ r", "{ c", "d = string 1", "}", "e = string 5", "}"}));
  evaluate.symbols = {"$A", "B"};
  EXPECT_EQ(tree_of(text, evaluate).root().size(), 3U);
  // A root that goes makes room for the next.
  EXPECT_EQ(tree_of("x [$NO] { } y { }", evaluate).root().name(), "y");
  EXPECT_EQ(refused_text("r { a [A] 1 }", evaluate).error, Errc::bad_conditional);
  EXPECT_EQ(refused_text("r { a [A] { } }", evaluate).error, Errc::bad_conditional);
}

TEST(Conditions, Expressions) {
  TextOptions options;
  options.conditions = ConditionMode::evaluate;
  options.symbols = {"T", "long_NAME1"};
  const auto value_of = [&](const std::string& expression) -> std::string {
    const std::string text = "r { a 1 [" + expression + "] }";
    const auto tree = read_text(bytes_of(text), options);
    return !tree ? tree.error().message() : tree->root().size() == 1 ? "true" : "false";
  };
  for (const char* expression : {"$T", "$t", "!$F", "!!$T", "$T&&$T", "$F||$T", "$F || $F || $T",
                                 "$T || $F && $F", "!($F)", "!($T && $F)", "(($T))", "$LONG_name1", " $T ",
                                 "!$F && !$F", "($F || $T) && $T", "!!($T)", "$F && $F || $T"}) {
    EXPECT_EQ(value_of(expression), "true") << expression;
  }
  for (const char* expression :
       {"$F", "!$T", "$T && $F", "$F || $F", "($T || $T) && $F", "!($T || $F)", "$T && !$T"}) {
    EXPECT_EQ(value_of(expression), "false") << expression;
  }
  for (const char* expression :
       {"",  " ",   "$",   "T", "$T $T", "$T &&", "&& $T",       "$T & $T", "$T | $T", "(",
        ")", "($T", "$T)", "!", "$T !",  "()",    "$T || && $T", "$T-",     "($T))",   "$T ("}) {
    EXPECT_EQ(value_of(expression), make_error_code(Errc::bad_conditional).message()) << expression;
  }
  // Nesting costs heap, not stack.
  EXPECT_EQ(value_of(std::string(500'000, '(') + "$T" + std::string(500'000, ')')), "true");
  EXPECT_EQ(value_of(std::string(500'001, '!') + "$F"), "true");
}

}  // namespace
}  // namespace corliss::keyvalues
