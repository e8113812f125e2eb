#pragma once

#include "bench/harness.h"
#include "bench/machine.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// `bench manifest` and `bench chunk`: the formats of depots beside the primitives that they cannot do
/// without.
namespace corliss::bench {

struct ContentRow {
  std::string op;         ///< "manifest", or the container of a chunk
  std::string impl;       ///< "corliss", or which primitives
  std::size_t bytes = 0;  ///< of one unit: the manifest's file, the chunk's plain bytes
  std::size_t files = 0;  ///< of a manifest
  Spread ns;              ///< per unit
  std::optional<double> allocations;
  std::optional<Spread> ratio;  ///< of Corliss to this, round by round
};

struct ContentReport {
  Machine machine;
  std::vector<ContentRow> rows;
};

inline constexpr std::size_t max_bench_files = 2'000'000;

struct ManifestBenchOptions {
  std::size_t files = 100'000;
  bool quick = false;
  std::optional<double> seconds;  ///< for each group of measurements; for tests of the output
};

/// A v5 manifest with encrypted names: read, decrypted, checked and sorted by Corliss; beside it protobuf's
/// own parse of the payload, and that with raw base64 and AES of the names. Throws WrongResult.
[[nodiscard]] ContentReport run_manifest_bench(const ManifestBenchOptions& options);

struct ChunkBenchOptions {
  std::size_t size = std::size_t{1} << 20;
  bool threads = false;  ///< also the decode pool with one thread and with two
  bool quick = false;
  std::optional<double> seconds;  ///< for each group of measurements; for tests of the output
};

/// Chunks of each container: decoded by Corliss; beside it decryption, decompression and checksums, each
/// alone, and the sum of these. Throws WrongResult.
[[nodiscard]] ContentReport run_chunk_bench(const ChunkBenchOptions& options);

/// How long a group is measured: a sixth of `usual` when quick.
[[nodiscard]] std::chrono::nanoseconds budget_of(bool quick, std::optional<double> seconds,
                                                 std::chrono::nanoseconds usual);

[[nodiscard]] nlohmann::json to_json(const ContentReport& report);
[[nodiscard]] std::string to_text(const ContentReport& report);

}  // namespace corliss::bench
