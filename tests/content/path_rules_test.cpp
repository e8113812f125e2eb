#include "content/utf8.h"

#include <corliss/content/manifest.h>
#include <corliss/content/path_rules.h>

#include <set>
#include <string>

namespace corliss::content {
namespace {

constexpr PathRules posix = PathRules::posix();
constexpr PathRules windows = PathRules::for_windows();

struct NameRow {
  std::string name;
  PathVerdict posix;
  PathVerdict windows;
};

TEST(PathRules, NamesAndTheirVerdicts) {
  using V = PathVerdict;
  const std::string long_component(255, 'x');
  const NameRow rows[] = {
      {"a", V::accepted, V::accepted},
      {"a\\b/c", V::accepted, V::accepted},
      {"", V::empty, V::empty},
      {"\\", V::empty, V::empty},
      {"\\x", V::empty, V::empty},
      {"//server/share", V::empty, V::empty},
      {"\\\\?\\C:\\x", V::empty, V::empty},
      {"a\\\\b", V::empty, V::empty},
      {"a/", V::empty, V::empty},
      {".", V::dot_component, V::dot_component},
      {"a\\.\\b", V::dot_component, V::dot_component},
      {"a/..", V::dot_component, V::dot_component},
      {"..a", V::accepted, V::accepted},
      {"...", V::accepted, V::windows_ending},
      {"C:", V::drive_prefix, V::drive_prefix},
      {"c:", V::drive_prefix, V::drive_prefix},
      {"C:x", V::drive_prefix, V::drive_prefix},
      {"c:\\x", V::drive_prefix, V::drive_prefix},
      {"z:/x", V::drive_prefix, V::drive_prefix},
      {"c:x", V::accepted, V::drive_prefix},
      {"1:x", V::accepted, V::windows_character},
      {"a\x1f", V::control_character, V::control_character},
      {std::string("a\0b", 3), V::control_character, V::control_character},
      {"a\x7f", V::control_character, V::control_character},
      {long_component, V::accepted, V::accepted},
      {long_component + "x", V::too_long, V::too_long},
      {"a\\" + long_component + "x", V::too_long, V::too_long},
      {"\xc3\xa9", V::accepted, V::accepted},
      {"\xff", V::not_utf8, V::not_utf8},
      {"a\xc0\xaf"
       "b",
       V::not_utf8, V::not_utf8},                   // overlong slash
      {"a\xed\xa0\x80", V::not_utf8, V::not_utf8},  // surrogate
      {"a\xf4\x90\x80\x80", V::not_utf8, V::not_utf8},
      {"a\xe2\x82", V::not_utf8, V::not_utf8},
      {"a\xf0\x9f\x8e\xae", V::accepted, V::accepted},
      {"a\"b", V::accepted, V::windows_character},
      {"a \\b", V::accepted, V::windows_ending},
      {"nul", V::accepted, V::windows_device},
      {"x\\NUL.tar.gz", V::accepted, V::windows_device},
      {"aux .txt", V::accepted, V::windows_device},
      {"com0", V::accepted, V::windows_device},
      {"lpt\xc2\xb3.x", V::accepted, V::windows_device},
      {"conout$", V::accepted, V::windows_device},
      {"com", V::accepted, V::accepted},
      {"com10", V::accepted, V::accepted},
      {"comx", V::accepted, V::accepted},
      {"nullable", V::accepted, V::accepted},
      {"cons", V::accepted, V::accepted},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(check_name(row.name, false, posix), row.posix) << row.name << ": " << describe(row.posix);
    EXPECT_EQ(check_name(row.name, false, windows), row.windows) << row.name << ": " << describe(row.windows);
  }
}

TEST(PathRules, LengthOfTheWholeIsBounded) {
  std::string path;
  while (path.size() < max_path_size) {
    path += "abcdefg/";
  }
  path.back() = 'h';
  ASSERT_EQ(path.size(), max_path_size);
  EXPECT_EQ(check_name(path, false, posix), PathVerdict::accepted);
  EXPECT_EQ(check_name(path + "i", false, posix), PathVerdict::too_long);
}

TEST(PathRules, AFolderMayEndWithOneSeparator) {
  EXPECT_EQ(check_name("a\\b\\", true, posix), PathVerdict::accepted);
  EXPECT_EQ(check_name("a\\b\\\\", true, posix), PathVerdict::empty);
  EXPECT_EQ(check_name("\\", true, posix), PathVerdict::empty);
  EXPECT_EQ(SafePath::make("a\\b\\", true, posix).value().text(), "a/b");
}

TEST(PathRules, NotUtf8PassesOnlyOnRequest) {
  PathRules rules = posix;
  rules.allow_non_utf8 = true;
  EXPECT_EQ(check_name("caf\xe9", false, rules), PathVerdict::accepted);
  EXPECT_EQ(SafePath::make("caf\xe9", false, rules).value().text(), "caf\xe9");
}

TEST(PathRules, LinksAndTheirVerdicts) {
  using V = PathVerdict;
  struct Row {
    const char* name;
    std::string target;
    PathVerdict verdict;
  };
  const Row rows[] = {
      {"l", "x", V::accepted},
      {"l", "./x", V::accepted},
      {"l", "x/", V::accepted},
      {"lib\\x", "..\\bin\\y", V::accepted},
      {"lib\\x", "..", V::accepted},
      {"lib\\x", "../..", V::link_escapes},
      {"l", "..", V::link_escapes},
      {"a\\b\\l", "../../../x", V::link_escapes},
      {"a\\l", "b/../../../c", V::link_escapes},
      {"a\\l", "b/../../c", V::accepted},
      {"l", "/etc/passwd", V::link_absolute},
      {"l", "\\x", V::link_absolute},
      {"l", "C:\\x", V::link_absolute},
      {"l", "C:x", V::link_absolute},
      {"l", "", V::link_bad_target},
      {"l", "a//b", V::link_bad_target},
      {"l", "a\nb", V::link_bad_target},
      {"l", "a\xff", V::link_bad_target},
      {"l", std::string(256, 'a'), V::link_bad_target},
      {"l", std::string(4097, 'a'), V::link_bad_target},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(check_link(row.name, row.target, posix), row.verdict) << row.name << " -> " << row.target;
  }
  EXPECT_EQ(check_link("l", "nul", windows), V::link_bad_target);
  EXPECT_EQ(check_link("l", "a|b", posix), V::accepted);
  const auto link = SafePath::make("lib\\l", false, posix).value();
  EXPECT_EQ(SafeLinkTarget::make(link, "..\\x", posix).value().text(), "../x");
  EXPECT_EQ(SafeLinkTarget::make(link, "..\\..\\x", posix).error(), Errc::unsafe_link);
}

TEST(PathRules, EveryVerdictHasWordsAndAnError) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(PathVerdict::link_bad_target); ++i) {
    const auto verdict = static_cast<PathVerdict>(i);
    EXPECT_TRUE(words.insert(describe(verdict)).second) << i;
    EXPECT_EQ(to_result(verdict).has_value(), verdict == PathVerdict::accepted);
  }
  EXPECT_EQ(to_result(PathVerdict::unchecked).error(), Errc::paths_unchecked);
  EXPECT_EQ(to_result(PathVerdict::duplicate_by_case).error(), Errc::duplicate_path);
  EXPECT_EQ(to_result(PathVerdict::below_link).error(), Errc::path_conflict);
  EXPECT_EQ(to_result(PathVerdict::link_escapes).error(), Errc::unsafe_link);
  EXPECT_EQ(to_result(PathVerdict::drive_prefix).error(), Errc::unsafe_path);
}

struct Entry {
  std::string name;
  std::uint32_t flags = 0;
  std::string target{};
};

/// The verdicts for a manifest of these entries, or the error of making it.
std::vector<PathVerdict> verdicts(const std::vector<Entry>& entries, const PathRules& rules) {
  std::vector<NewManifestFile> files;
  for (const auto& entry : entries) {
    NewManifestFile file;
    file.name = entry.name;
    file.flags = entry.flags;
    file.link_target = entry.target;
    files.push_back(file);
  }
  auto manifest = Manifest::make({}, files, std::nullopt).value();
  EXPECT_EQ(manifest.safe_path(0).error(), Errc::paths_unchecked);
  const auto refused = manifest.check_paths(rules).value();
  std::vector<PathVerdict> out;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < manifest.file_count(); ++i) {
    out.push_back(manifest.file(i).verdict);
    counted += out.back() != PathVerdict::accepted ? 1 : 0;
    EXPECT_EQ(manifest.safe_path(i).has_value(), out.back() == PathVerdict::accepted);
  }
  EXPECT_EQ(counted, refused);
  return out;
}

constexpr std::uint32_t folder = depot_file_flag::directory;

TEST(PathSet, DuplicatesAndParents) {
  using V = PathVerdict;
  using List = std::vector<PathVerdict>;
  EXPECT_EQ(verdicts({{"a"}, {"b"}, {"a"}}, posix), (List{V::accepted, V::accepted, V::duplicate}));
  EXPECT_EQ(verdicts({{"a/b"}, {"a\\b"}}, posix), (List{V::accepted, V::duplicate}));
  EXPECT_EQ(verdicts({{"a", folder}, {"a\\", folder}}, posix), (List{V::accepted, V::duplicate}));
  EXPECT_EQ(verdicts({{"A"}, {"a"}}, posix), (List{V::accepted, V::accepted}));
  EXPECT_EQ(verdicts({{"A"}, {"a"}}, windows), (List{V::accepted, V::duplicate_by_case}));
  EXPECT_EQ(verdicts({{"\xc3\x89t\xc3\xa9"}, {"\xc3\xa9T\xc3\x89"}}, windows),
            (List{V::accepted, V::duplicate_by_case}));
  EXPECT_EQ(verdicts({{"\xd0\x96"}, {"\xd0\xb6"}, {"\xe6\xbc\xa2"}}, windows),
            (List{V::accepted, V::duplicate_by_case, V::accepted}));
  EXPECT_EQ(verdicts({{"a\\b"}, {"a"}}, posix), (List{V::below_file, V::accepted}));
  EXPECT_EQ(verdicts({{"a\\b"}, {"a", folder}}, posix), (List{V::accepted, V::accepted}));
  EXPECT_EQ(verdicts({{"a"}, {"a b"}, {"a-b"}, {"a.b"}, {"ab\\c"}}, posix),
            (List{V::accepted, V::accepted, V::accepted, V::accepted, V::accepted}));
  // What lies below an entry that is itself refused is refused too.
  EXPECT_EQ(verdicts({{"a"}, {"a\\b", folder}, {"a\\b\\c"}}, posix),
            (List{V::accepted, V::below_file, V::below_file}));
  EXPECT_EQ(verdicts({{"d", 512, "e"}, {"d\\f"}, {"d\\g\\h"}}, posix),
            (List{V::accepted, V::below_link, V::below_link}));
  EXPECT_EQ(verdicts({{"D", 512, "e"}, {"d\\f"}}, posix), (List{V::accepted, V::accepted}));
  EXPECT_EQ(verdicts({{"D", 512, "e"}, {"d\\f"}}, windows), (List{V::accepted, V::below_link}));
  EXPECT_EQ(verdicts({{"..\\x"}, {"a"}}, posix), (List{V::dot_component, V::accepted}));
}

// Two links that stay inside alone: `a\b` points to the root, and `x` leaves by the parent of what it points
// to.
TEST(PathSet, LinksThatLeaveTogether) {
  using V = PathVerdict;
  using List = std::vector<PathVerdict>;
  EXPECT_EQ(verdicts({{"a\\b", 512, ".."}, {"x", 512, "a/b/../secret"}}, posix),
            (List{V::accepted, V::link_escapes}));
  EXPECT_EQ(verdicts({{"a\\b", 512, ".."}, {"x", 512, "a/b/secret"}}, posix),
            (List{V::accepted, V::accepted}));
  EXPECT_EQ(verdicts({{"a\\b", 512, ".."}, {"x", 512, "a/b/c/../../.."}}, posix),
            (List{V::accepted, V::link_escapes}));
  EXPECT_EQ(verdicts({{"a\\b", folder}, {"x", 512, "a/b/../c"}}, posix), (List{V::accepted, V::accepted}));
  EXPECT_EQ(verdicts({{"a\\b", 512, ".."}, {"c\\x", 512, "./../a/b/.."}}, posix),
            (List{V::accepted, V::link_escapes}));
  // Links that go round in a circle lead nowhere, and harm nobody.
  EXPECT_EQ(verdicts({{"a", 512, "b"}, {"b", 512, "a"}}, posix), (List{V::accepted, V::accepted}));
}

TEST(FoldCase, PairsOfLettersFoldAlike) {
  const std::pair<char32_t, char32_t> pairs[] = {
      {'A', 'a'},     {0xc0, 0xe0},   {0xde, 0xfe},   {0x100, 0x101}, {0x139, 0x13a}, {0x147, 0x148},
      {0x178, 0xff},  {0x179, 0x17a}, {0x17d, 0x17e}, {0x176, 0x177}, {0x386, 0x3ac}, {0x388, 0x3ad},
      {0x38a, 0x3af}, {0x38c, 0x3cc}, {0x38e, 0x3cd}, {0x38f, 0x3ce}, {0x391, 0x3b1}, {0x3a3, 0x3c3},
      {0x3c2, 0x3c3}, {0x3ab, 0x3cb}, {0x400, 0x450}, {0x40f, 0x45f}, {0x410, 0x430}, {0x42f, 0x44f},
      {0x460, 0x461}, {0x48a, 0x48b}, {0x4c0, 0x4cf}, {0x4c1, 0x4c2}, {0x4d0, 0x4d1}, {0x52e, 0x52f},
      {0x531, 0x561}, {0x556, 0x586},
  };
  for (const auto& [capital, small] : pairs) {
    EXPECT_EQ(detail::fold_case(capital), small) << std::hex << static_cast<unsigned>(capital);
    EXPECT_EQ(detail::fold_case(small), small) << std::hex << static_cast<unsigned>(small);
  }
  for (const char32_t other : {U'[', U'@', char32_t{0xd7}, char32_t{0xdf}, char32_t{0x130}, char32_t{0x131},
                               char32_t{0x138}, char32_t{0x149}, char32_t{0x3a2}, char32_t{0x4e00}}) {
    EXPECT_EQ(detail::fold_case(other), other) << std::hex << static_cast<unsigned>(other);
  }
  // The keys rely on it: what folds stays in two bytes.
  for (char32_t letter = 0x80; letter < 0x110000; ++letter) {
    const auto folded = detail::fold_case(letter);
    ASSERT_TRUE(folded == letter || (folded >= 0x80 && folded < 0x800 && letter < 0x800));
    ASSERT_EQ(detail::fold_case(folded), folded) << std::hex << static_cast<unsigned>(letter);
  }
}

}  // namespace
}  // namespace corliss::content
