#include "bench/connection_bench.h"
#include "corliss/command.h"
#include "corliss/commands.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

struct Command {
  bench::ConnectionBenchOptions bench;
  bool json = false;
  std::string svg;
};

void run(const Command& command) {
  bench::ConnectionReport report;
  try {
    report = bench::run_connection_bench(command.bench);
  } catch (const bench::WrongResult& wrong) {
    throw CommandError(Exit::input_refused, fmt::format("wrong result, so no figures: {}", wrong.what()));
  }
  if (command.json) {
    write_json(bench::to_json(report));
  } else {
    write_out(bench::to_text(report));
  }
  if (!command.svg.empty()) {
    const std::string picture = bench::to_svg(report);
    write_file(command.svg, bytes_of(picture));
  }
}

}  // namespace

void add_bench_connection(CLI::App& parent) {
  auto options = std::make_shared<Command>();
  CLI::App& command = add_command(
      parent, "connection", "messages over loopback, encrypted beside unencrypted beside a bare socket loop",
      {"corliss bench connection --size 670",
       "corliss bench connection --transport udp --connections 10 --json"});
  command.add_option("--connections", options->bench.connections, "connections that take turns")
      ->check(CLI::Range(std::size_t{1}, bench::max_bench_connections))
      ->capture_default_str();
  command.add_option("--size", options->bench.size, "bytes of a message")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20))
      ->capture_default_str();
  command.add_option("--transport", options->bench.transport, "tcp, udp or ws; only tcp has both ways")
      ->check(CLI::IsMember({"tcp", "udp", "ws"}))
      ->capture_default_str();
  command.add_flag("--quick", options->bench.quick, "shorter");
  command.add_option("--seconds", options->bench.seconds, "for tests of the output")
      ->check(CLI::Range(0.0, 3600.0))
      ->group("");
  command.add_flag("--json", options->json, "print one JSON value");
  command.add_option("--svg", options->svg, "draw the percentiles of a round trip into a file");
  command.callback([options] { run(*options); });
}

}  // namespace corliss::tools
