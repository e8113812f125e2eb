#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Charts without a library: one SVG file, readable on a light and on a dark page, without scripts or fonts
/// of its own.
namespace corliss::bench {

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< by x; a single one is drawn as a level line over the whole width
  bool emphasis = false;      ///< drawn thick
  std::size_t colour = 0;     ///< of eight; the same number is the same colour in every chart
};

/// Lines over a logarithmic x and a logarithmic y: what differs by factors stays readable.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

/// The charts side by side, with `caption` below. An empty list gives an empty picture.
[[nodiscard]] std::string draw_svg(const std::vector<Chart>& charts, const std::string& caption);

/// `text` for use in XML: & < > " ' replaced, characters that XML forbids left out.
[[nodiscard]] std::string xml_escape(std::string_view text);

}  // namespace corliss::bench
