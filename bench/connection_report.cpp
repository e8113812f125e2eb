#include "bench/connection_bench.h"
#include "bench/svg.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::bench {
namespace {

nlohmann::json spread_json(const std::optional<Spread>& spread) {
  return spread ? nlohmann::json{{"median", spread->median}, {"min", spread->min}, {"max", spread->max}}
                : nlohmann::json();
}

std::string ratio_text(const Spread& ratio) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.median, ratio.min, ratio.max);
}

}  // namespace

nlohmann::json to_json(const ConnectionReport& report) {
  auto rows = nlohmann::json::array();
  for (const auto& row : report.rows) {
    nlohmann::json value = {{"op", row.op},
                            {"impl", row.impl},
                            {"size", row.bytes},
                            {"ns", spread_json(row.ns)},
                            {"per_second", 1e9 / row.ns.median},
                            {"bytes_per_second", static_cast<double>(row.bytes) * 1e9 / row.ns.median},
                            {"allocs", row.allocations},
                            {"ratio_to_socket", spread_json(row.ratio_to_socket)}};
    if (!row.percentiles_us.empty()) {
      value["percentiles_us"] = {{"50", row.percentiles_us[0]},
                                 {"90", row.percentiles_us[1]},
                                 {"99", row.percentiles_us[2]},
                                 {"99.9", row.percentiles_us[3]}};
    }
    rows.push_back(std::move(value));
  }
  const auto& machine = report.machine;
  return {{"machine",
           {{"cpu", machine.cpu},
            {"features", machine.features},
            {"compiler", machine.compiler},
            {"openssl", machine.openssl}}},
          {"transport", report.transport},
          {"connections", report.connections},
          {"rows", std::move(rows)},
          {"encryption_over_batch", spread_json(report.stream_cost)},
          {"encryption_over_two_packets", spread_json(report.ping_pong_cost)}};
}

std::string to_text(const ConnectionReport& report) {
  std::string out = fmt::format("{}, {}, {}\n{} over loopback, both ends in one thread, connections: {}\n\n",
                                report.machine.cpu, report.machine.compiler, report.machine.openssl,
                                report.transport, report.connections);
  out += fmt::format("{:<10} {:<10} {:>11} {:>12} {:>8} {:>8}   {}\n", "", "", "time", "per second", "MB/s",
                     "allocs", "to socket");
  for (const auto& row : report.rows) {
    out += fmt::format("{:<10} {:<10} {:>8.0f} ns {:>12.0f} {:>8.0f} {:>8.3f}", row.op, row.impl,
                       row.ns.median, 1e9 / row.ns.median,
                       static_cast<double>(row.bytes) * 1e3 / row.ns.median, row.allocations);
    if (row.ratio_to_socket) {
      out += "   " + ratio_text(*row.ratio_to_socket);
    }
    if (!row.percentiles_us.empty()) {
      out += fmt::format("   50 % {:.1f} µs, 90 % {:.1f}, 99 % {:.1f}, 99.9 % {:.1f}", row.percentiles_us[0],
                         row.percentiles_us[1], row.percentiles_us[2], row.percentiles_us[3]);
    }
    out += "\n";
  }
  if (report.stream_cost) {
    out += fmt::format("\nencryption of a message / seal + open in batches: {}\n",
                       ratio_text(*report.stream_cost));
  }
  if (report.ping_pong_cost) {
    out += fmt::format("encryption of a round trip / two seals and two opens: {}\n",
                       ratio_text(*report.ping_pong_cost));
  }
  return out;
}

std::string to_svg(const ConnectionReport& report) {
  Chart chart{"round trip", "percentile", "µs", {}};
  std::size_t colour = 0;
  for (const auto& row : report.rows) {
    if (!row.percentiles_us.empty()) {
      Series series{row.impl, {}, row.impl == "encrypted", colour++};
      const double at[] = {50, 90, 99, 99.9};
      for (std::size_t i = 0; i < row.percentiles_us.size(); ++i) {
        series.points.push_back({at[i], row.percentiles_us[i]});
      }
      chart.series.push_back(std::move(series));
    }
  }
  return draw_svg({chart}, fmt::format("{} over loopback, {}", report.transport, report.machine.cpu));
}

}  // namespace corliss::bench
