#include "bench/packet_report.h"
#include "bench/peers.h"
#include "corliss/command.h"
#include "corliss/commands.h"

#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

struct BenchOptions {
  bench::PacketOptions packet;
  bool peers = false;
  bool json = false;
  std::string svg;
};

void check(const bench::PacketOptions& options) {
  for (const std::size_t size : options.sizes) {
    for (const std::size_t batch : options.batches) {
      if (size > bench::max_bench_size || batch < 1 || batch > bench::max_bench_batch ||
          batch * size > bench::max_bench_bytes) {
        throw CommandError(
            Exit::usage,
            fmt::format(
                "--size {} with --batch {}: a size is at most {}, a batch 1 to {} packets of at most {} "
                "together",
                size, batch, human_size(bench::max_bench_size), bench::max_bench_batch,
                human_size(bench::max_bench_bytes)));
      }
    }
  }
}

void bench_packet(BenchOptions options) {
  check(options.packet);
  bench::PacketReport report;
  try {
    {
      std::optional<Progress> progress;
      options.packet.progress = [&progress](std::size_t done, std::size_t all) {
        if (!progress) {
          progress.emplace("bench packet", all);
        }
        progress->update(done);
      };
      report = bench::run_packet_bench(options.packet);
    }
    if (options.peers) {
      const auto rows = bench::run_peers(options.packet, bench::find_peers());
      report.rows.insert(report.rows.end(), rows.begin(), rows.end());
    }
  } catch (const bench::WrongResult& wrong) {
    throw CommandError(Exit::input_refused, fmt::format("wrong result, so no figures: {}", wrong.what()));
  } catch (const std::system_error&) {
    throw;  // a kernel; main knows
  } catch (const std::runtime_error& error) {
    throw CommandError(Exit::local_io, error.what());
  }
  if (!options.svg.empty()) {
    write_file(options.svg, bytes_of(bench::to_svg(report)));
  }
  if (options.json) {
    write_json(bench::to_json(report));
  } else {
    write_out(bench::to_text(report));
  }
}

void add_bench_packet(CLI::App& parent) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App& command = add_command(
      parent, "packet", "time and allocations per packet: ours beside others, alternating in one process",
      {"corliss bench packet --quick   # ten seconds at most",
       "corliss bench packet --size 64 --size 670 --breakdown --svg packet.svg",
       "corliss bench packet --kernel shani --batch 1 --batch 8 --json",
       "corliss bench packet --peers   # needs node"});
  command.add_option("--size", options->packet.sizes, "bytes of plaintext; may be given again")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--batch", options->packet.batches, "packets in a call; may be given again")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--kernel", options->packet.kernel, "the kernel to measure; see corliss packet kernels")
      ->type_name("K");
  command.add_flag("--breakdown", options->packet.breakdown,
                   "also the share of random, MAC, cipher and rest");
  command.add_flag("--mixed", options->packet.mixed, "also batches of 64 packets of 16 to 1500 bytes");
  command.add_flag("--peers", options->peers, "also steam-crypto for Node, in a process of its own");
  command.add_flag("--quick", options->packet.quick, "shorter, at most 10 seconds");
  command.add_option("--seconds", options->packet.seconds, "for tests of the output")
      ->check(CLI::Range(0.0, 3600.0))
      ->group("");
  command.add_flag("--json", options->json, "print one JSON value");
  command.add_option("--svg", options->svg, "draw time per packet against batch size into a file")
      ->type_name("FILE");
  command.callback([options] { bench_packet(*options); });
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App& bench =
      add_command(app, "bench", "measure the hot paths beside plain references, results checked first");
  bench.require_subcommand(1);
  add_bench_packet(bench);
  add_bench_kv(bench);
  add_bench_content(bench);
  add_bench_connection(bench);
}

}  // namespace corliss::tools
