#include "corliss/check_command.h"

#include "corliss/command.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

void print(const vectors::Report& report, bool json) {
  if (json) {
    auto failures = nlohmann::json::array();
    for (const auto& failure : report.failures) {
      failures.push_back({{"name", failure.name}, {"why", failure.why}});
    }
    write_json({{"cases", report.cases}, {"failures", failures}, {"skipped", report.skipped}});
    return;
  }
  for (const auto& failure : report.failures) {
    write_out(fmt::format("FAIL {}: {}\n", failure.name, failure.why));
  }
  for (const auto& line : report.skipped) {
    write_out(fmt::format("skip {}\n", line));
  }
  write_out(fmt::format("{} cases, {} failed, {} skipped\n", report.cases, report.failures.size(),
                        report.skipped.size()));
}

}  // namespace

void add_check(CLI::App& command, const std::string& schema_file,
               std::function<vectors::Report(const std::filesystem::path&)> run) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App& check =
      add_command(command, "check", "run a file of test vectors: every case, a line per failing one, a count",
                  {fmt::format("corliss {} check {}", command.get_name(), schema_file)});
  check.add_option("VECTORS", options->file, fmt::format("a file in the schema of {}", schema_file))
      ->required();
  check.add_flag("--json", options->json, "print one JSON value");
  check.callback([options, run = std::move(run)] {
    vectors::Report report;
    try {
      report = run(options->file);
    } catch (const vectors::BadVectorFile& error) {
      throw CommandError(Exit::input_refused, fmt::format("{}: {}", options->file, error.what()));
    } catch (const nlohmann::json::exception& error) {
      throw CommandError(Exit::input_refused,
                         fmt::format("{}: not of this schema: {}", options->file, error.what()));
    } catch (const std::system_error& error) {
      if (error.code().category() != std::generic_category()) {
        throw;
      }
      throw CommandError(Exit::local_io, error.what());
    }
    if (report.cases == 0) {
      throw CommandError(Exit::input_refused,
                         fmt::format("{}: no case in it: not of this schema", options->file));
    }
    print(report, options->json);
    if (!report.failures.empty()) {
      throw Finished{Exit::input_refused};
    }
  });
}

}  // namespace corliss::tools
