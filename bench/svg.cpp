#include "bench/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace corliss::bench {
namespace {

constexpr double chart_width = 460;
constexpr double chart_height = 330;
constexpr double left = 62;
constexpr double right = 96;  // names of the lines stand there
constexpr double top = 40;
constexpr double bottom = 48;
constexpr double caption_height = 26;
constexpr double label_gap = 14;

/// Readable on white and on near-black alike, and told apart by people who do not see red and green.
constexpr std::array<const char*, 8> colours{"#8a8f98", "#b07d2b", "#8f5fc0", "#3b82c4",
                                             "#5a9a57", "#d9480f", "#0f8b8d", "#c2528b"};

constexpr const char* style =
    "<style>\n"
    "  text { font: 12px system-ui, sans-serif; fill: #24292f }\n"
    "  .title { font-size: 14px; font-weight: 600 }\n"
    "  .quiet { fill: #57606a }\n"
    "  .page { fill: #ffffff }\n"
    "  .grid { stroke: #d8dee4; stroke-width: 1 }\n"
    "  .line { fill: none; stroke-width: 1.6 }\n"
    "  .thick { stroke-width: 3 }\n"
    "  .level { stroke-dasharray: 5 4 }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .page { fill: #0d1117 } .grid { stroke: #30363d }\n"
    "  }\n"
    "</style>\n";

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

/// A logarithmic axis between two pixels.
struct Axis {
  double low = 1;
  double high = 10;
  double from = 0;
  double to = 1;
  [[nodiscard]] double at(double value) const {
    const double share =
        high > low ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : 0.5;
    return from + share * (to - from);
  }
};

/// 1, 2, 5, 10, 20, 50 … within [low, high].
std::vector<double> ticks(double low, double high) {
  std::vector<double> out;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (decade * step >= low * 0.999 && decade * step <= high * 1.001) {
        out.push_back(decade * step);
      }
    }
  }
  return out;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text,
                    const std::string& attributes = {}) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" + attributes +
         ">" + xml_escape(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" +
         number(y2) + "\"" + attributes + "/>\n";
}

bool drawable(const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.x > 0 && point.y > 0;
}

/// Name and height of each line's label, moved apart so that none covers another.
struct Label {
  std::size_t series = 0;
  double y = 0;
};

void spread_labels(std::vector<Label>& labels, double low, double high) {
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  for (std::size_t i = 1; i < labels.size(); ++i) {
    labels[i].y = std::max(labels[i].y, labels[i - 1].y + label_gap);
  }
  const double over = labels.empty() ? 0 : labels.back().y - high;
  if (over > 0) {
    labels.back().y = high;
    for (std::size_t i = labels.size() - 1; i-- > 0;) {
      labels[i].y = std::max(low, std::min(labels[i].y, labels[i + 1].y - label_gap));
    }
  }
}

std::string draw_chart(const Chart& chart, double offset) {
  double x_low = INFINITY;
  double x_high = 0;
  double y_low = INFINITY;
  double y_high = 0;
  std::vector<double> x_values;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) {
      if (drawable(point)) {
        x_low = std::min(x_low, point.x);
        x_high = std::max(x_high, point.x);
        y_low = std::min(y_low, point.y);
        y_high = std::max(y_high, point.y);
        x_values.push_back(point.x);
      }
    }
  }
  std::string out = text_at(offset + left, top - 16, "start", chart.title, " class=\"title\"");
  if (x_values.empty()) {
    return out;
  }
  std::sort(x_values.begin(), x_values.end());
  x_values.erase(std::unique(x_values.begin(), x_values.end()), x_values.end());
  const Axis x{x_low, x_high, offset + left + 8, offset + chart_width - right - 8};
  const Axis y{y_low / 1.25, y_high * 1.25, chart_height - bottom, top};
  const double x_end = offset + chart_width - right;

  for (const double tick : ticks(y.low, y.high)) {
    out += line(offset + left, y.at(tick), x_end, y.at(tick), " class=\"grid\"");
    out += text_at(offset + left - 6, y.at(tick) + 4, "end", number(tick), " class=\"quiet\"");
  }
  for (const double value : x_values) {
    out += line(x.at(value), y.from, x.at(value), y.from + 4, " class=\"grid\"");
    out += text_at(x.at(value), y.from + 18, "middle", number(value), " class=\"quiet\"");
  }
  out += text_at((offset + left + x_end) / 2, y.from + 38, "middle", chart.x_label, " class=\"quiet\"");
  const double middle = (y.from + y.to) / 2;
  out += text_at(
      offset + 14, middle, "middle", chart.y_label,
      " class=\"quiet\" transform=\"rotate(-90 " + number(offset + 14) + " " + number(middle) + ")\"");

  std::vector<Label> labels;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto& series = chart.series[i];
    const std::string colour = colours[series.colour % colours.size()];
    std::string points;
    std::string dots;
    Point last;
    std::size_t drawn = 0;
    for (const auto& point : series.points) {
      if (drawable(point)) {
        points += number(x.at(point.x)) + "," + number(y.at(point.y)) + " ";
        dots += "<circle cx=\"" + number(x.at(point.x)) + "\" cy=\"" + number(y.at(point.y)) + "\" r=\"" +
                (series.emphasis ? "4" : "2.6") + "\" fill=\"" + colour + "\"/>\n";
        last = point;
        ++drawn;
      }
    }
    if (drawn == 0) {
      continue;
    }
    const std::string look = std::string(" class=\"line") + (series.emphasis ? " thick" : "");
    if (drawn == 1) {
      out +=
          line(offset + left, y.at(last.y), x_end, y.at(last.y), look + " level\" stroke=\"" + colour + "\"");
    } else {
      out += "<polyline points=\"" + points + "\"" + look + "\" stroke=\"" + colour + "\"/>\n";
    }
    out += dots;
    labels.push_back({i, y.at(last.y) + 4});
  }
  spread_labels(labels, top, y.from);
  for (const auto& label : labels) {
    const auto& series = chart.series[label.series];
    out += text_at(x_end + 6, label.y, "start", series.name,
                   std::string(" style=\"fill: ") + colours[series.colour % colours.size()] +
                       (series.emphasis ? "; font-weight: 600\"" : "\""));
  }
  return out;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          out += c;
        }
    }
  }
  return out;
}

std::string draw_svg(const std::vector<Chart>& charts, const std::string& caption) {
  const double width = chart_width * static_cast<double>(std::max<std::size_t>(charts.size(), 1));
  const double height = chart_height + caption_height;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " +
                    number(height) + "\" width=\"" + number(width) + "\" height=\"" + number(height) +
                    "\" role=\"img\">\n" + style + "<rect class=\"page\" width=\"" + number(width) +
                    "\" height=\"" + number(height) + "\"/>\n";
  for (std::size_t i = 0; i < charts.size(); ++i) {
    out += draw_chart(charts[i], chart_width * static_cast<double>(i));
  }
  out += text_at(left, chart_height + 12, "start", caption, " class=\"quiet\"");
  return out + "</svg>\n";
}

}  // namespace corliss::bench
