#include "bench/keyvalues_bench.h"
#include "corliss/command.h"
#include "corliss/commands.h"

#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

struct KvOptions {
  bench::KeyValuesOptions bench;
  std::size_t mebibytes = 64;
  bool quick = false;
  bool json = false;
};

void bench_kv(KvOptions options) {
  options.bench.size = options.mebibytes << 20;
  if (options.quick) {
    options.bench.seconds = 3;
  }
  bench::KeyValuesReport report;
  try {
    std::optional<Progress> progress;
    options.bench.progress = [&progress](std::size_t done, std::size_t all) {
      if (!progress) {
        progress.emplace("bench kv", all);
      }
      progress->update(done);
    };
    report = bench::run_keyvalues_bench(options.bench);
  } catch (const bench::WrongResult& wrong) {
    throw CommandError(Exit::input_refused, fmt::format("wrong result, so no figures: {}", wrong.what()));
  } catch (const std::system_error& error) {
    throw CommandError(Exit::local_io, error.what());
  }
  if (options.json) {
    write_json(bench::to_json(report));
  } else {
    write_out(bench::to_text(report));
  }
}

}  // namespace

void add_bench_kv(CLI::App& parent) {
  auto options = std::make_shared<KvOptions>();
  CLI::App& command = add_command(
      parent, "kv", "KeyValues read by ours and by a plain parser; the share of memcpy, and peak memory",
      {"corliss bench kv", "corliss bench kv --size 8 --quick --json"});
  command.add_option("--size", options->mebibytes, "MiB of each generated input")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--quick", options->quick, "shorter: 3 seconds");
  command.add_option("--seconds", options->bench.seconds, "for tests of the output")
      ->check(CLI::Range(0.0, 3600.0))
      ->group("");
  command.add_flag("--json", options->json, "print one JSON value");
  command.callback([options] { bench_kv(*options); });
}

}  // namespace corliss::tools
