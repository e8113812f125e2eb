#pragma once

#include "bench/harness.h"
#include "bench/machine.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// `bench packet`: time and allocations per packet, ours beside the others, alternating in one process.
namespace corliss::bench {

/// What the options may ask for: more would only show the memory of the machine.
inline constexpr std::size_t max_bench_size = std::size_t{16} << 20;
inline constexpr std::size_t max_bench_batch = 4096;
inline constexpr std::size_t max_bench_bytes = std::size_t{64} << 20;  ///< of a whole batch

struct PacketOptions {
  std::vector<std::size_t> sizes{670};
  std::vector<std::size_t> batches{1, 2, 4, 8, 16, 64};
  std::string kernel;      ///< a kernel of Corliss; empty for the default one
  bool breakdown = false;  ///< the share of random, MAC, cipher and rest
  bool mixed = false;      ///< 64 packets of 16 to 1500 bytes in one batch
  bool quick = false;      ///< at most ten seconds in all
  double seconds = 0;      ///< spent on measuring, about; 0 for what `quick` says
  std::function<void(std::size_t done, std::size_t all)> progress;  ///< groups of measurements; may be empty
};

/// The size of a row whose packets differ in size.
inline constexpr std::size_t mixed_size = 0;

struct PacketRow {
  std::string op;
  std::string impl;
  std::string kernel;
  std::size_t size = 0;
  std::size_t batch = 1;
  std::size_t sessions = 1;
  Spread ns_per_packet;
  std::optional<double> allocs_per_packet;
  std::optional<double> alloc_bytes_per_packet;
  std::optional<Spread> ratio_to_kept;
  double mean_size = 0;  ///< plaintext bytes a packet
};

/// A ratio that a row alone does not hold, round by round as well.
struct PacketComparison {
  std::string op;
  std::string what;
  std::size_t size = 0;
  std::size_t batch = 1;
  Spread ratio;
};

/// Where the time of one packet goes, in nanoseconds. `rest` is what the parts alone do not explain: below
/// zero where they overlap in the whole.
struct PacketBreakdown {
  std::string op;
  std::string impl;
  std::size_t size = 0;
  double total = 0;
  double random = 0;
  double mac = 0;
  double cipher = 0;
  [[nodiscard]] double rest() const { return total - random - mac - cipher; }
};

struct PacketReport {
  Machine machine;
  std::vector<PacketRow> rows;
  std::vector<PacketComparison> comparisons;
  std::vector<PacketBreakdown> breakdown;
};

/// Measures. The options are within the limits above. Throws WrongResult where an implementation gives a
/// wrong byte, std::system_error for a kernel that is unknown or unsupported.
[[nodiscard]] PacketReport run_packet_bench(const PacketOptions& options);

}  // namespace corliss::bench
