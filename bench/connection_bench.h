#pragma once

#include "bench/harness.h"
#include "bench/machine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// `bench connection`: messages over loopback through io::Connection, both ends in one thread, beside a bare
/// socket loop that moves the same bytes in writes of 64 KiB.
namespace corliss::bench {

inline constexpr std::size_t max_bench_connections = 1000;

struct ConnectionBenchOptions {
  std::string transport = "tcp";  ///< tcp, udp, ws
  std::size_t connections = 1;    ///< that take turns
  std::size_t size = 670;         ///< bytes of a message
  bool quick = false;
  std::optional<double> seconds;  ///< for each group of measurements; for tests of the output
};

struct ConnectionRow {
  std::string op;          ///< "stream", "ping-pong" (there and back), "seal+open" (of a batch, of one)
  std::string impl;        ///< "socket", "plain", "encrypted", "batch", "single"
  std::size_t bytes = 0;   ///< of a message
  Spread ns;               ///< per message, round trip or packet
  double allocations = 0;  ///< per message, both ends together
  std::optional<Spread> ratio_to_socket;
  std::vector<double> percentiles_us{};  ///< ping-pong: 50, 90, 99, 99.9 of one round trip
};

struct ConnectionReport {
  Machine machine;
  std::string transport;
  std::size_t connections = 1;
  std::vector<ConnectionRow> rows;
  /// (encrypted - plain) / (seal + open in batches), round by round.
  std::optional<Spread> stream_cost;
  /// (encrypted - plain) / (two seals and two opens), round by round.
  std::optional<Spread> ping_pong_cost;
};

/// Throws WrongResult, and std::system_error where a connection cannot be made.
[[nodiscard]] ConnectionReport run_connection_bench(const ConnectionBenchOptions& options);

[[nodiscard]] nlohmann::json to_json(const ConnectionReport& report);
[[nodiscard]] std::string to_text(const ConnectionReport& report);
[[nodiscard]] std::string to_svg(const ConnectionReport& report);

}  // namespace corliss::bench
