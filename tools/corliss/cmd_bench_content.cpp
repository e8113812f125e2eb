#include "bench/content_bench.h"
#include "corliss/command.h"
#include "corliss/commands.h"

#include <corliss/content/manifest.h>

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

template <class Options>
struct Command {
  Options bench;
  bool json = false;
};

template <class Options>
void run(const Command<Options>& command, bench::ContentReport (*measure)(const Options&)) {
  bench::ContentReport report;
  try {
    report = measure(command.bench);
  } catch (const bench::WrongResult& wrong) {
    throw CommandError(Exit::input_refused, fmt::format("wrong result, so no figures: {}", wrong.what()));
  }
  if (command.json) {
    write_json(bench::to_json(report));
  } else {
    write_out(bench::to_text(report));
  }
}

template <class Options>
void add_common(CLI::App& app, Command<Options>& command) {
  app.add_flag("--quick", command.bench.quick, "shorter");
  app.add_option("--seconds", command.bench.seconds, "for tests of the output")
      ->check(CLI::Range(0.0, 3600.0))
      ->group("");
  app.add_flag("--json", command.json, "print one JSON value");
}

}  // namespace

void add_bench_content(CLI::App& parent) {
  auto manifest = std::make_shared<Command<bench::ManifestBenchOptions>>();
  CLI::App& manifest_command =
      add_command(parent, "manifest",
                  "reading a manifest with encrypted names, beside protobuf's own parse, base64 and AES",
                  {"corliss bench manifest --files 100000"});
  manifest_command.add_option("--files", manifest->bench.files, "files in the manifest")
      ->check(CLI::Range(std::size_t{1}, bench::max_bench_files))
      ->capture_default_str();
  add_common(manifest_command, *manifest);
  manifest_command.callback([manifest] { run(*manifest, bench::run_manifest_bench); });

  auto chunk = std::make_shared<Command<bench::ChunkBenchOptions>>();
  CLI::App& chunk_command =
      add_command(parent, "chunk", "decoding chunks, beside decryption, decompression and checksums alone",
                  {"corliss bench chunk --threads   # also the decode pool with one thread and two"});
  chunk_command.add_option("--size", chunk->bench.size, "plain bytes of a chunk")
      ->check(CLI::Range(std::size_t{1}, std::size_t{content::max_chunk_size}))
      ->capture_default_str();
  chunk_command.add_flag("--threads", chunk->bench.threads, "also the decode pool with one thread and two");
  add_common(chunk_command, *chunk);
  chunk_command.callback([chunk] { run(*chunk, bench::run_chunk_bench); });
}

}  // namespace corliss::tools
