#include "bench/packet_report.h"
#include "corliss/command.h"
#include "corliss/commands.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

constexpr std::size_t report_size = 670;

/// A line of the report that Corliss began with, as it was published.
struct ReportLine {
  const char* what;
  const char* op;
  bool time;  // µs, else bytes allocated
  double before;
  double after;
};

constexpr std::array<ReportLine, 4> report_lines{{
    {"time to encrypt", "seal", true, 6.464, 4.054},
    {"time to decrypt", "open", true, 6.524, 3.688},
    {"memory to encrypt", "seal", false, 6320, 848},
    {"memory to decrypt", "open", false, 5208, 1008},
}};

const bench::PacketRow& row_of(const bench::PacketReport& report, const std::string& op,
                               const std::string& impl) {
  const auto row =
      std::find_if(report.rows.begin(), report.rows.end(), [&](const bench::PacketRow& candidate) {
        return candidate.op == op && candidate.impl == impl && candidate.size == report_size &&
               candidate.batch == 1;
      });
  if (row == report.rows.end()) {
    throw CommandError(Exit::local_io, "the benchmark has no row for " + op + " by " + impl);
  }
  return *row;
}

double figure_of(const bench::PacketRow& row, bool time) {
  return time ? row.ns_per_packet.median / 1000 : row.alloc_bytes_per_packet.value_or(0);
}

std::string figure_text(double value, bool time) {
  return time ? fmt::format("{:.3f} µs", value) : fmt::format("{:.0f} B", value);
}

std::string four_lines(const bench::PacketReport& report) {
  std::string out = fmt::format("One packet of {} bytes, before and after\n\n{:<20}{:>24}      {:>24}\n",
                                report_size, "", "fresh → corliss, here", "as published*");
  for (const auto& line : report_lines) {
    const auto here =
        fmt::format("{} → {}", figure_text(figure_of(row_of(report, line.op, "fresh"), line.time), line.time),
                    figure_text(figure_of(row_of(report, line.op, "corliss"), line.time), line.time));
    const auto published =
        fmt::format("{} → {}", figure_text(line.before, line.time), figure_text(line.after, line.time));
    out += fmt::format("{:<20}{:>24}      {:>24}\n", line.what, here, published);
  }
  return out +
         "\n* measured by the report's author on another machine: compare the ratios, not the figures.\n\n";
}

nlohmann::json four_lines_json(const bench::PacketReport& report) {
  auto lines = nlohmann::json::array();
  for (const auto& line : report_lines) {
    lines.push_back(
        {{"what", line.what},
         {"unit", line.time ? "us" : "B"},
         {"fresh", figure_of(row_of(report, line.op, "fresh"), line.time)},
         {"corliss", figure_of(row_of(report, line.op, "corliss"), line.time)},
         {"published", {{"before", line.before}, {"after", line.after}, {"machine", "another"}}}});
  }
  return lines;
}

void demo(bool as_json, double seconds) {
  bench::PacketOptions options;
  options.quick = true;
  options.seconds = seconds;
  options.breakdown = true;
  bench::PacketReport report;
  try {
    report = bench::run_packet_bench(options);
  } catch (const bench::WrongResult& wrong) {
    throw CommandError(Exit::input_refused, fmt::format("wrong result, so no figures: {}", wrong.what()));
  }
  if (as_json) {
    auto value = bench::to_json(report);
    value["report"] = four_lines_json(report);
    write_json(value);
    return;
  }
  const auto parts = bench::breakdown_text(report);
  write_out(four_lines(report) + parts + '\n');
  report.breakdown.clear();
  write_out(bench::to_text(report));
}

}  // namespace

void add_demo(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command =
      add_command(app, "demo", "the whole round on this machine alone: no account, no internet",
                  {"corliss demo", "corliss demo --json"});
  command.add_flag("--json", *json, "print one JSON value");
  auto seconds = std::make_shared<double>(0);
  command.add_option("--seconds", *seconds, "for tests of the output")
      ->check(CLI::Range(0.0, 3600.0))
      ->group("");
  command.callback([json, seconds] { demo(*json, *seconds); });
}

}  // namespace corliss::tools
