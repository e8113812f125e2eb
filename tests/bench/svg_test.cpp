#include "bench/svg.h"

#include "support/test_support.h"

#include <cmath>

namespace corliss::bench {
namespace {

/// Whether tags nest and close, attributes are quoted and text has no stray markup: what a browser insists
/// on.
bool well_formed(std::string_view text) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '&') {
      const auto end = text.find(';', at);
      if (end == std::string_view::npos || end - at > 6) {
        return false;
      }
      at = end + 1;
      continue;
    }
    if (text[at] != '<') {
      if (text[at] == '>') {
        return false;
      }
      ++at;
      continue;
    }
    const auto end = text.find('>', at);
    if (end == std::string_view::npos) {
      return false;
    }
    const auto tag = text.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) {
      return false;
    }
    const std::string name(
        tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag.front() == '/' ? 1 : 0)));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != name) {
        return false;
      }
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty();
}

TEST(Svg, TheTestSeesWhatIsNotWellFormed) {
  EXPECT_TRUE(well_formed("<a x=\"1\"><b/>t &amp; u</a>"));
  EXPECT_FALSE(well_formed("<a><b></a></b>"));
  EXPECT_FALSE(well_formed("<a x=\"1>t</a>"));
  EXPECT_FALSE(well_formed("<a>1 & 2 </a>"));
  EXPECT_FALSE(well_formed("<a>"));
}

TEST(Svg, DrawsWellFormedChartsOfAnyData) {
  Chart chart{"a < b & \"c\"", "x > 1", "y'", {}};
  chart.series.push_back({"level & <one>", {{1, 100}}, false, 0});
  chart.series.push_back({"falling", {{1, 90}, {8, 20}, {64, 5}}, true, 1});
  chart.series.push_back({"nothing", {}, false, 2});
  chart.series.push_back({"never drawn", {{0, -1}, {NAN, 3}, {2, INFINITY}}, false, 3});
  const auto picture = draw_svg({chart, {}}, "caption & more");
  EXPECT_TRUE(well_formed(picture)) << picture;
  EXPECT_EQ(picture.find("nan"), std::string::npos);
  EXPECT_EQ(picture.find("inf"), std::string::npos);
  EXPECT_NE(picture.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(picture.find("level &amp; &lt;one&gt;"), std::string::npos);
  EXPECT_EQ(picture.find("never drawn"), std::string::npos);
  EXPECT_TRUE(well_formed(draw_svg({}, "")));
}

TEST(Svg, KeepsLabelsApart) {
  Chart chart{"t", "x", "y", {}};
  for (std::size_t i = 0; i < 8; ++i) {
    chart.series.push_back(
        {"line " + std::to_string(i), {{1, 100.0 + static_cast<double>(i)}, {2, 100}}, false, i});
  }
  const auto picture = draw_svg({chart}, "");
  std::vector<double> heights;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto at = picture.find(">line " + std::to_string(i) + "<");
    ASSERT_NE(at, std::string::npos);
    const auto y = picture.rfind(" y=\"", at);
    heights.push_back(std::stod(picture.substr(y + 4)));
  }
  std::sort(heights.begin(), heights.end());
  for (std::size_t i = 1; i < heights.size(); ++i) {
    EXPECT_GE(heights[i] - heights[i - 1], 13.9);
  }
}

}  // namespace
}  // namespace corliss::bench
