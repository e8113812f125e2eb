#pragma once

#include <CLI/CLI.hpp>

namespace corliss::tools {

// Each in its own cmd_<name>.cpp, in the order of `corliss --help`.
void add_demo(CLI::App& app);
void add_bench(CLI::App& app);
void add_packet(CLI::App& app);
void add_connect(CLI::App& app);
void add_manifest(CLI::App& app);
void add_chunk(CLI::App& app);
void add_kv(CLI::App& app);
void add_steamid(CLI::App& app);
void add_serve(CLI::App& app);

/// `bench manifest` and `bench chunk`, below `bench`.
void add_bench_content(CLI::App& bench);
void add_bench_connection(CLI::App& bench);
void add_bench_kv(CLI::App& bench);

/// Every command, added to the top of the command line.
inline void add_commands(CLI::App& app) {
  add_demo(app);
  add_bench(app);
  add_packet(app);
  add_connect(app);
  add_manifest(app);
  add_chunk(app);
  add_kv(app);
  add_steamid(app);
  add_serve(app);
}

}  // namespace corliss::tools
