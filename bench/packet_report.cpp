#include "bench/packet_report.h"

#include "bench/svg.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::bench {
namespace {

using nlohmann::json;

/// Figures with more digits than the clock has would pretend.
double rounded(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

json to_json(const Spread& spread) {
  return {{"median", rounded(spread.median)}, {"min", rounded(spread.min)}, {"max", rounded(spread.max)}};
}

template <class T>
json or_null(const std::optional<T>& value) {
  if (!value) {
    return nullptr;
  }
  if constexpr (std::is_same_v<T, Spread>) {
    return to_json(*value);
  } else {
    return rounded(*value);
  }
}

std::string size_text(std::size_t size) {
  return size == mixed_size ? "16–1500" : std::to_string(size);
}

std::string count_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "–";
}

std::string ratio_text(const std::optional<Spread>& ratio) {
  return ratio ? fmt::format("{:.3f}  ({:.3f}–{:.3f})", ratio->median, ratio->min, ratio->max) : "–";
}

/// fmt counts "–" as three columns or one, by version; this one is sure.
std::string pad(std::string text, std::size_t width, bool left = false) {
  const auto columns = static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  const std::string fill(width > columns ? width - columns : 0, ' ');
  return left ? text + fill : fill + text;
}

std::string table_row(const std::vector<std::string>& cells) {
  constexpr std::size_t widths[] = {5, 13, 14, 8, 6, 9, 11, 23, 9, 9};
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += pad(cells[i], widths[i], i < 3) + (i + 1 < cells.size() ? "  " : "");
  }
  return out + '\n';
}

}  // namespace

json to_json(const PacketReport& report) {
  json rows = json::array();
  for (const auto& row : report.rows) {
    json line{{"op", row.op},
              {"impl", row.impl},
              {"kernel", row.kernel},
              {"size", row.size},
              {"batch", row.batch},
              {"sessions", row.sessions},
              {"ns_per_packet", to_json(row.ns_per_packet)},
              {"allocs_per_packet", or_null(row.allocs_per_packet)},
              {"alloc_bytes_per_packet", or_null(row.alloc_bytes_per_packet)},
              {"ratio_to_kept", or_null(row.ratio_to_kept)}};
    if (row.size == mixed_size && row.mean_size > 0) {
      line["size"] = "16-1500";
      line["mean_size"] = rounded(row.mean_size);
    }
    rows.push_back(std::move(line));
  }
  const auto& machine = report.machine;
  json out{{"machine",
            {{"cpu", machine.cpu},
             {"features", machine.features},
             {"compiler", machine.compiler},
             {"openssl", machine.openssl}}},
           {"rows", std::move(rows)}};
  if (!report.breakdown.empty()) {
    json parts = json::array();
    for (const auto& part : report.breakdown) {
      parts.push_back({{"op", part.op},
                       {"impl", part.impl},
                       {"size", part.size},
                       {"ns_total", rounded(part.total)},
                       {"share",
                        {{"random", rounded(part.random / part.total)},
                         {"mac", rounded(part.mac / part.total)},
                         {"cipher", rounded(part.cipher / part.total)},
                         {"rest", rounded(part.rest() / part.total)}}}});
    }
    out["breakdown"] = std::move(parts);
  }
  return out;
}

std::string to_text(const PacketReport& report) {
  std::string out = fmt::format("{}\n{}, {}\n{}\n\n", report.machine.cpu, report.machine.compiler,
                                report.machine.openssl, fmt::join(report.machine.features, " "));
  out += table_row({"op", "impl", "kernel", "size", "batch", "sessions", "ns/packet", "× kept (min–max)",
                    "allocs", "bytes"});
  std::string last;
  for (const auto& row : report.rows) {
    const auto section = row.op + size_text(row.size);
    if (!last.empty() && section != last) {
      out += '\n';
    }
    last = section;
    out += table_row({row.op, row.impl, row.kernel, size_text(row.size), std::to_string(row.batch),
                      std::to_string(row.sessions), fmt::format("{:.1f}", row.ns_per_packet.median),
                      ratio_text(row.ratio_to_kept), count_text(row.allocs_per_packet),
                      count_text(row.alloc_bytes_per_packet)});
  }
  if (!report.comparisons.empty()) {
    out += "\nother ratios of the same run, median (min–max)\n";
    for (const auto& row : report.comparisons) {
      out += fmt::format("{}  {}{}  {}\n", pad(row.op, 5, true), pad(row.what, 44, true),
                         pad(row.size == mixed_size ? "" : fmt::format("{} × {} B", row.batch, row.size), 14),
                         ratio_text(row.ratio));
    }
  }
  if (!report.breakdown.empty()) {
    out += '\n' + breakdown_text(report);
  }
  return out;
}

std::string breakdown_text(const PacketReport& report) {
  std::string out =
      "where the time goes, one packet at a time (rest: calls and glue; below 0 where the parts overlap)\n";
  out += fmt::format("{:<6}{:<10}{:>7}{:>11}{:>9}{:>8}{:>9}{:>8}\n", "op", "impl", "size", "ns", "random",
                     "MAC", "cipher", "rest");
  for (const auto& row : report.breakdown) {
    const auto share = [&row](double part) { return fmt::format("{:.0f} %", 100 * part / row.total); };
    out += fmt::format("{:<6}{:<10}{:>7}{:>11.1f}{:>9}{:>8}{:>9}{:>8}\n", row.op, row.impl, row.size,
                       row.total, share(row.random), share(row.mac), share(row.cipher), share(row.rest()));
  }
  return out;
}

std::string to_svg(const PacketReport& report) {
  if (report.rows.empty()) {
    return {};
  }
  const std::size_t size = report.rows.front().size;
  std::vector<Chart> charts;
  for (const std::string op : {"seal", "open"}) {
    Chart chart;
    chart.title = fmt::format("{}, {} bytes", op, size_text(size));
    chart.x_label = "packets in a call";
    chart.y_label = "ns a packet";
    std::size_t colour = 0;
    for (const std::string impl : {"fresh", "kept", "kept-pool", "ipsec-mb", "steam-crypto", "corliss"}) {
      Series series;
      series.name = impl;
      series.colour = colour++;
      series.emphasis = impl == "corliss";
      for (const auto& row : report.rows) {
        if (row.op == op && row.impl == impl && row.size == size && row.sessions == 1) {
          series.points.push_back({static_cast<double>(row.batch), row.ns_per_packet.median});
        }
      }
      std::sort(series.points.begin(), series.points.end(),
                [](const Point& a, const Point& b) { return a.x < b.x; });
      if (!series.points.empty()) {
        chart.series.push_back(std::move(series));
      }
    }
    if (!chart.series.empty()) {
      charts.push_back(std::move(chart));
    }
  }
  return draw_svg(charts, fmt::format("{} · {}", report.machine.cpu, report.machine.openssl));
}

}  // namespace corliss::bench
