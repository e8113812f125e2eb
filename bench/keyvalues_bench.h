#pragma once

#include "bench/harness.h"
#include "bench/machine.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// `bench kv`: KeyValues read by ours and by a plain parser, alternating in one process.
namespace corliss::bench {

struct KeyValuesOptions {
  std::size_t size = std::size_t{64} << 20;  ///< bytes of each generated input, about
  double seconds = 10;                       ///< spent on measuring, about
  std::function<void(std::size_t done, std::size_t all)> progress;
};

struct KeyValuesRow {
  std::string form;  ///< text, binary, appinfo (version 41, app by app)
  std::string impl;  ///< memcpy, plain, tree, tree-reused, stream, skip
  std::size_t bytes = 0;
  Spread megabytes_per_second;  ///< 10^6 bytes of input a second
  std::optional<Spread> times_plain;
  Spread share_of_memcpy;  ///< of the speed of memcpy over the same bytes
  double allocations = 0;  ///< of one pass
};

/// What a process needs at most to hold an input and the tree of it: the growth of its resident memory from
/// before it reads the input until the tree is there, over the size of the input. The input counts.
struct KeyValuesMemory {
  std::string form;
  std::size_t bytes = 0;
  std::size_t nodes = 0;
  double times_input = 0;
};

struct KeyValuesReport {
  Machine machine;
  std::vector<KeyValuesRow> rows;
  std::vector<KeyValuesMemory> memory;
};

/// Throws WrongResult, and std::system_error where memory cannot be measured.
[[nodiscard]] KeyValuesReport run_keyvalues_bench(const KeyValuesOptions& options);

[[nodiscard]] nlohmann::json to_json(const KeyValuesReport& report);
[[nodiscard]] std::string to_text(const KeyValuesReport& report);

}  // namespace corliss::bench
