#include "bench/content_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace corliss::bench {
namespace {

nlohmann::json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"min", spread.min}, {"max", spread.max}};
}

}  // namespace

std::chrono::nanoseconds budget_of(bool quick, std::optional<double> seconds,
                                   std::chrono::nanoseconds usual) {
  if (seconds) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(*seconds));
  }
  return quick ? usual / 6 : usual;
}

nlohmann::json to_json(const ContentReport& report) {
  auto rows = nlohmann::json::array();
  for (const auto& row : report.rows) {
    nlohmann::json value = {
        {"op", row.op}, {"impl", row.impl}, {"bytes", row.bytes}, {"ns", spread_json(row.ns)}};
    if (row.files != 0) {
      value["files"] = row.files;
    }
    value["allocs"] = row.allocations ? nlohmann::json(*row.allocations) : nlohmann::json();
    value["ratio_of_corliss"] = row.ratio ? spread_json(*row.ratio) : nlohmann::json();
    rows.push_back(std::move(value));
  }
  const auto& machine = report.machine;
  return {{"machine",
           {{"cpu", machine.cpu},
            {"features", machine.features},
            {"compiler", machine.compiler},
            {"openssl", machine.openssl}}},
          {"rows", std::move(rows)}};
}

std::string to_text(const ContentReport& report) {
  std::string out =
      fmt::format("{}, {}, {}\n\n", report.machine.cpu, report.machine.compiler, report.machine.openssl);
  out += fmt::format("{:<9} {:<36} {:>12} {:>10} {:>8}   {}\n", "", "", "time", "MB/s", "allocs",
                     "corliss / this");
  for (const auto& row : report.rows) {
    const double mb_per_second = static_cast<double>(row.bytes) * 1e3 / row.ns.median;
    out += fmt::format("{:<9} {:<36} {:>9.3f} ms {:>10.0f} {:>8}", row.op, row.impl, row.ns.median / 1e6,
                       mb_per_second, row.allocations ? fmt::format("{:.0f}", *row.allocations) : "-");
    out += row.ratio ? fmt::format("   {:.3f} ({:.3f} to {:.3f})\n", row.ratio->median, row.ratio->min,
                                   row.ratio->max)
                     : "\n";
  }
  return out;
}

}  // namespace corliss::bench
