#include "keyvalues/kv_support.h"

#include <map>

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

struct Files {
  std::map<std::string, std::string, std::less<>> files;
  int asked = 0;

  TextOptions options() {
    TextOptions options;
    options.resolver = [this](Directive, std::string_view name, std::string_view) -> Result<IncludedFile> {
      ++asked;
      const auto file = files.find(name);
      if (file == files.end()) {
        return fail(std::make_error_code(std::errc::no_such_file_or_directory));
      }
      const auto bytes = bytes_of(file->second);
      return IncludedFile{"/" + file->first, {bytes.begin(), bytes.end()}};
    };
    return options;
  }
};

TEST(Include, BaseFillsIn) {
  Files files{{{"base", "other { a 9 B { x 9 y 8 } new { z 1 } leaf 1 leaf 2 c 7 }"}}};
  const Tree tree = tree_of("#base base r { A 1 b { X 1 } c { } d 4 }", files.options());
  EXPECT_EQ(events_of(tree),
            (std::vector<std::string>{"{ r", "A = string 1", "{ b", "X = string 1", "y = string 8", "}",
                                      "{ c", "}", "d = string 4", "{ new", "z = string 1", "}",
                                      "leaf = string 1", "leaf = string 2", "}"}));
}

TEST(Include, IncludeAddsRoots) {
  Files files{{{"more", "#base deep\n m { a 1 }"}, {"deep", "d { b 2 }"}, {"twice", "n { \"e\\n\" 3 }"}}};
  auto options = files.options();
  options.all_roots = true;
  EXPECT_EQ(events_of(tree_of("#include \"more\" #include twice r { x 1 } s { }", options)),
            (std::vector<std::string>{"{ r", "x = string 1", "}", "{ s", "}", "{ m", "a = string 1",
                                      "b = string 2", "}", "{ n", "e\n = string 3", "}"}));
  options.all_roots = false;
  EXPECT_EQ(tree_of("#include more r { x 1 }", options).root().name(), "r");
  EXPECT_EQ(tree_of("#include more", options).root().name(), "m");
  EXPECT_EQ(tree_of("#base more", options).root().name(), "m");
  EXPECT_EQ(tree_of("r { plain 1 }", options).root()["plain"].get<int>(), 1);
}

TEST(Include, TwoBasesInTheirOrder) {
  Files files{{{"one", "o { a 1 b 1 }"}, {"two", "t { b 2 c 2 }"}}};
  EXPECT_EQ(events_of(tree_of("#base one #base two r { }", files.options())),
            (std::vector<std::string>{"{ r", "a = string 1", "b = string 1", "c = string 2", "}"}));
}

TEST(Include, OwnedInputStays) {
  Files files{{{"base", "o { a 1 }"}}};
  const std::string text = "#base base r { b \"2\" }";
  const auto bytes = bytes_of(text);
  const auto tree = read_text_owned({bytes.begin(), bytes.end()}, files.options());
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->root()["b"].get<int>(), 2);
  const std::string plain = "r { b \"2\" }";
  const auto plain_bytes = bytes_of(plain);
  const auto other = read_text_owned({plain_bytes.begin(), plain_bytes.end()}, files.options());
  ASSERT_TRUE(other);
  EXPECT_EQ(other->root()["b"].get<int>(), 2);
}

TEST(Include, CyclesDepthAndCountAreRefused) {
  Files files{{{"self", "#include self"}, {"a", "#include b"}, {"b", "#base a"}, {"leaf", "l { }"}}};
  EXPECT_EQ(refused_text("#include self", files.options()).error, Errc::include_cycle);
  EXPECT_EQ(refused_text("#include a", files.options()).error, Errc::include_cycle);
  std::string many;
  for (int i = 0; i < 65; ++i) {
    many += "#include leaf\n";
  }
  EXPECT_EQ(refused_text(many, files.options()).error, Errc::too_many_includes);
  for (int i = 0; i < 10; ++i) {
    files.files["n" + std::to_string(i)] = "#include n" + std::to_string(i + 1);
  }
  files.files["n10"] = "x { }";
  EXPECT_EQ(refused_text("#include n2", files.options()).error, Errc::too_many_includes);
  EXPECT_TRUE(tree_of("#include n3", files.options()).root());
}

TEST(Include, ErrorsNameTheirFile) {
  Files files{{{"bad", "\n x }"}}};
  const Verdict verdict = refused_text("#include bad r { }", files.options());
  EXPECT_EQ(verdict.error, Errc::missing_open);
  EXPECT_EQ(verdict.place.file, "/bad");
  EXPECT_EQ(verdict.place.at.line, 2U);
  EXPECT_EQ(refused_text("#include nowhere", files.options()).error, std::errc::no_such_file_or_directory);
  // A broken document asks for nothing.
  files.asked = 0;
  EXPECT_EQ(refused_text("#include leaf r {", files.options()).error, Errc::unexpected_end);
  EXPECT_EQ(files.asked, 0);
}

}  // namespace
}  // namespace corliss::keyvalues
