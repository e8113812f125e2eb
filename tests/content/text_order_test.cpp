#include "content/text_order.h"

#include "support/test_support.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace corliss::content::detail {
namespace {

void expect_sorted(const std::vector<std::string>& texts) {
  std::string arena;
  std::vector<Slice> slices;
  for (const auto& text : texts) {
    slices.push_back({static_cast<std::uint32_t>(arena.size()), static_cast<std::uint32_t>(text.size())});
    arena += text;
  }
  std::vector<std::uint32_t> wanted(texts.size());
  std::iota(wanted.begin(), wanted.end(), 0);
  std::stable_sort(wanted.begin(), wanted.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return texts[a] < texts[b]; });
  EXPECT_EQ(text_order(arena, slices), wanted) << "seed " << test::seed();
  EXPECT_EQ(text_order(arena, slices, 0), wanted) << "seed " << test::seed();
}

TEST(TextOrder, SmallAndOddInputs) {
  expect_sorted({});
  expect_sorted({""});
  expect_sorted({"", "", ""});
  expect_sorted({"b", "a", "", "ab", "a"});
  expect_sorted({std::string("a\0", 2), "a", std::string("a\0\0", 3), std::string("\0", 1), ""});
  expect_sorted({"\xff", "\x7f", "\x80"});
  expect_sorted(std::vector<std::string>(50, "the same text again and again"));
}

TEST(TextOrder, RandomTextsWithCommonBeginnings) {
  test::TestRng rng;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> texts;
    const std::size_t letters = rng.between(1, 4);
    for (std::size_t count = rng.between(0, 400); count > 0; --count) {
      std::string text;
      if (!texts.empty() && rng.between(0, 2) != 0) {
        const auto& other = texts[rng.between(0, texts.size() - 1)];
        text = other.substr(0, rng.between(0, other.size()));
      }
      for (std::size_t more = rng.between(0, 20); more > 0; --more) {
        text += static_cast<char>(rng.between(0, letters));  // NUL among them
      }
      texts.push_back(std::move(text));
    }
    expect_sorted(texts);
  }
}

}  // namespace
}  // namespace corliss::content::detail
