#include "keyvalues/kv_support.h"

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

using namespace std::literals;

TEST(Write, ParseWriteParseIsIdentity) {
  test::TestRng rng;
  for (int round = 0; round < 200; ++round) {
    const Tree tree = random_tree(rng, false);
    const std::string text = write_text(tree).value();
    const Tree again = tree_of(text);
    ASSERT_TRUE(again.root().same_as(tree.root())) << text;
    EXPECT_EQ(write_text(again).value(), text);
    const auto binary = write_binary(again).value();
    EXPECT_TRUE(read_binary(binary)->root().same_as(tree.root()));
  }
}

TEST(Write, BinaryIdentityForTypedTrees) {
  test::TestRng rng;
  for (int round = 0; round < 200; ++round) {
    const Tree tree = random_tree(rng, true);
    const auto bytes = write_binary(tree).value();
    const Tree again = read_binary(bytes).value();
    ASSERT_TRUE(again.root().same_as(tree.root()));
    EXPECT_EQ(write_binary(again).value(), bytes);
  }
}

TEST(Write, DifferentTreesAreNotTheSame) {
  const Tree tree = tree_of("r { a 1 b { c 2 } }");
  for (const std::string_view other :
       {"R { a 1 b { c 2 } }"sv, "r { a 2 b { c 2 } }"sv, "r { a 1 b { } }"sv, "r { a 1 b 2 }"sv,
        "r { b { c 2 } a 1 }"sv, "r { a 1 b { c 2 } d 1 }"sv}) {
    EXPECT_FALSE(tree_of(other).root().same_as(tree.root())) << other;
  }
}

struct Misuse {
  const char* why;
  void (*act)(Visitor&);
  Errc error;
};

void block(Visitor& v, std::string_view name, NodeConditions conditions = {}) {
  (void)v.on_block(name, conditions);
}
void leaf(Visitor& v, std::string_view name, const Value& value, NodeConditions conditions = {}) {
  (void)v.on_leaf(name, value, conditions);
}

TEST(Write, TextRefusesWhatWouldNotReadBack) {
  const std::vector<Misuse> all{
      {"root that is a leaf", [](Visitor& v) { leaf(v, "a", "b"); }, Errc::leaf_root},
      {"root named as a directive", [](Visitor& v) { block(v, "#Base"); }, Errc::directive},
      {"empty block name", [](Visitor& v) { block(v, ""); }, Errc::empty_key},
      {"empty name", [](Visitor& v) { block(v, "r"), leaf(v, "", "x"); }, Errc::empty_key},
      {"NUL in a name", [](Visitor& v) { block(v, "r\0"sv); }, Errc::nul},
      {"NUL in the name of a leaf", [](Visitor& v) { block(v, "r"), leaf(v, "\0"sv, "x"); }, Errc::nul},
      {"NUL in a value", [](Visitor& v) { block(v, "r"), leaf(v, "a", "\0"sv); }, Errc::nul},
      {"left open", [](Visitor& v) { block(v, "r"); }, Errc::unbalanced},
      {"closed twice", [](Visitor& v) { block(v, "r"), (void)v.on_end(), (void)v.on_end(); },
       Errc::unbalanced},
      {"condition with a bracket",
       [](Visitor& v) {
         block(v, "r", {"]", ""});
       },
       Errc::bad_conditional},
      {"condition of a leaf",
       [](Visitor& v) {
         block(v, "r"), leaf(v, "a", "b", {"\n", ""});
       },
       Errc::bad_conditional},
      {"condition after a value",
       [](Visitor& v) {
         block(v, "r"), leaf(v, "a", "b", {"", "{"});
       },
       Errc::bad_conditional},
      {"directive in a block", [](Visitor& v) { block(v, "r"), (void)v.on_directive(Directive::base, "x"); },
       Errc::unbalanced},
      {"NUL in a directive", [](Visitor& v) { (void)v.on_directive(Directive::base, "\0"sv); }, Errc::nul},
  };
  for (const Misuse& misuse : all) {
    std::string out;
    TextWriter writer(out);
    misuse.act(writer);
    EXPECT_EQ(writer.finish().error(), misuse.error) << misuse.why;
    if (writer.finish().error() != Errc::unbalanced) {
      EXPECT_EQ(writer.on_block("x", {}), Next::stop) << misuse.why;
      EXPECT_EQ(writer.on_leaf("x", "y", {}), Next::stop) << misuse.why;
      EXPECT_EQ(writer.on_end(), Next::stop) << misuse.why;
    }
  }
}

TEST(Write, BinaryRefusesNulsAndImbalance) {
  const std::vector<Misuse> all{
      {"NUL in a name", [](Visitor& v) { block(v, "r\0"sv); }, Errc::nul},
      {"NUL in the name of a leaf", [](Visitor& v) { leaf(v, "\0"sv, "x"); }, Errc::nul},
      {"NUL in a value", [](Visitor& v) { leaf(v, "a", "\0"sv); }, Errc::nul},
      {"left open", [](Visitor& v) { block(v, "r"); }, Errc::unbalanced},
      {"closed twice", [](Visitor& v) { (void)v.on_end(); }, Errc::unbalanced},
  };
  for (const Misuse& misuse : all) {
    std::vector<std::uint8_t> out;
    BinaryWriter writer(out);
    misuse.act(writer);
    EXPECT_EQ(writer.finish().error(), misuse.error) << misuse.why;
    EXPECT_EQ(writer.on_block("x", {}), Next::stop) << misuse.why;
    EXPECT_EQ(writer.on_leaf("x", "y", {}), Next::stop) << misuse.why;
    EXPECT_EQ(writer.on_end(), Next::stop) << misuse.why;
    EXPECT_EQ(writer.on_directive(Directive::base, "x").error(), Errc::directive);
  }
}

TEST(Builder, RefusesAndStartsAnew) {
  Limits limits;
  limits.max_depth = 2;
  limits.max_nodes = 3;
  limits.max_size = 40;
  limits.max_token = 10;
  TreeBuilder builder(limits);
  EXPECT_EQ(builder.end().finish().error(), Errc::unbalanced);
  EXPECT_EQ(builder.block("a").finish().error(), Errc::unbalanced);
  EXPECT_EQ(builder.block("a").block("b").block("c").end().end().finish().error(), Errc::too_deep);
  EXPECT_EQ(builder.leaf("a", "").leaf("b", "").leaf("c", "").leaf("d", "").finish().error(),
            Errc::too_many_nodes);
  EXPECT_EQ(builder.leaf("12345678901", "").finish().error(), Errc::too_large);
  EXPECT_EQ(builder.leaf("1234567890", "1234567890").leaf("1234567890", "1234567890").finish().error(),
            Errc::too_large);
  EXPECT_EQ(builder.leaf("a", "b").on_block("12345678901", {}), Next::stop);
  EXPECT_EQ(builder.on_leaf("a", "b", {}), Next::stop);
  EXPECT_EQ(builder.on_end(), Next::stop);
  EXPECT_EQ(builder.finish().error(), Errc::too_large);
  EXPECT_EQ(events_of(builder.leaf("a", "b").finish().value()), (std::vector<std::string>{"a = string b"}));
  EXPECT_FALSE(builder.finish()->root());
}

TEST(Walk, SkipsAndStops) {
  const Tree tree = tree_of("r { a { b 1 } c 2 d { } }");
  Events skip;
  skip.answer_block = Next::skip;
  EXPECT_TRUE(walk(tree.root()["a"], skip));
  EXPECT_EQ(skip.lines, (std::vector<std::string>{"{ a"}));
  Events stop;
  stop.answer_leaf = Next::stop;
  EXPECT_FALSE(walk(tree, stop));
  EXPECT_EQ(stop.lines, (std::vector<std::string>{"{ r", "{ a", "b = string 1"}));
  Events at_block;
  at_block.answer_block = Next::stop;
  EXPECT_FALSE(walk(tree, at_block));
  Events nothing;
  EXPECT_TRUE(walk(Node(), nothing));
  EXPECT_TRUE(walk(Tree(), nothing));
  EXPECT_TRUE(walk(tree.root()["c"], nothing));
  EXPECT_EQ(nothing.lines, (std::vector<std::string>{"c = string 2"}));
  class StopAtEnd final : public Visitor {
   public:
    Next on_block(std::string_view, const NodeConditions&) override { return Next::go_on; }
    Next on_leaf(std::string_view, const Value&, const NodeConditions&) override { return Next::go_on; }
    Next on_end() override { return Next::stop; }
  } at_end;
  EXPECT_FALSE(walk(tree, at_end));
}

TEST(Edited, ReplacesRemovesAndAdds) {
  const Tree tree = tree_of("r { a 1 b { c 2 d 3 } A 4 e { f 5 } }");
  const auto edits = [&tree](std::vector<Edit> list) {
    const auto done = edited(tree.root(), list);
    return done ? write_text(done->root()).value() : done.error().message();
  };
  const auto text = [](std::string_view source) { return write_text(tree_of(source)).value(); };
  EXPECT_EQ(edits({}), text("r { a 1 b { c 2 d 3 } A 4 e { f 5 } }"));
  EXPECT_EQ(edits({{{"A"}, "9"}}), text("r { b { c 2 d 3 } A 4 e { f 5 } A 9 }"));
  EXPECT_EQ(edits({{{"a"}, std::nullopt}}), text("r { b { c 2 d 3 } A 4 e { f 5 } }"));
  EXPECT_EQ(edits({{{"B", "C"}, "7"}, {{"b", "new"}, "8"}}),
            text("r { a 1 b { d 3 C 7 new 8 } A 4 e { f 5 } }"));
  EXPECT_EQ(edits({{{"x", "y"}, "1"}}), text("r { a 1 b { c 2 d 3 } A 4 e { f 5 } x { y 1 } }"));
  EXPECT_EQ(edits({{{"x", "y"}, std::nullopt}}), text("r { a 1 b { c 2 d 3 } A 4 e { f 5 } }"));
  EXPECT_EQ(edits({{{"a", "y"}, "1"}}), text("r { b { c 2 d 3 } A 4 e { f 5 } a { y 1 } }"));
  EXPECT_EQ(edits({{{"a", "y"}, std::nullopt}}), text("r { a 1 b { c 2 d 3 } A 4 e { f 5 } }"));
  EXPECT_EQ(edits({{{"b"}, "1"}}), text("r { a 1 A 4 e { f 5 } b 1 }"));
  EXPECT_EQ(edits({{{"b", "c"}, "1"}, {{"b"}, "2"}}), text("r { a 1 A 4 e { f 5 } b 2 }"));
  EXPECT_EQ(edits({{{"b"}, "2"}, {{"b", "c"}, "1"}}), text("r { a 1 A 4 e { f 5 } b { c 1 } }"));
  EXPECT_EQ(edits({{{"e"}, std::nullopt}, {{"b"}, std::nullopt}}), text("r { a 1 A 4 }"));
  EXPECT_EQ(edits({{{}, "x"}}), make_error_code(Errc::empty_key).message());
  EXPECT_EQ(events_of(edited(tree.root()["a"], {}).value()), (std::vector<std::string>{"a = string 1"}));
}

TEST(Merged, KeepsWhatIsThere) {
  const Tree own = tree_of("r { a 1 b { x 1 } b { y 1 } }");
  const Tree base = tree_of("s { A 2 B { x 2 z 2 } c { } c 3 }");
  EXPECT_EQ(write_text(merged(own.root(), base.root())->root()).value(),
            write_text(tree_of("r { a 1 b { x 1 z 2 } b { y 1 } c { } c 3 }")).value());
  EXPECT_TRUE(merged(Node(), base.root())->root().same_as(base.root()));
  EXPECT_TRUE(merged(own.root(), Node())->root().same_as(own.root()));
}

}  // namespace
}  // namespace corliss::keyvalues
