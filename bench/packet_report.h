#pragma once

#include "bench/packet_bench.h"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace corliss::bench {

/// { "machine": …, "rows": [ … ] } as docs/benchmarks.md describes it; "breakdown" only where it was asked
/// for.
[[nodiscard]] nlohmann::json to_json(const PacketReport& report);
/// Tables for people.
[[nodiscard]] std::string to_text(const PacketReport& report);
/// The table of the breakdown alone.
[[nodiscard]] std::string breakdown_text(const PacketReport& report);
/// Time per packet against batch size, one line per implementation: a chart for seal and one for open, of the
/// first size in the report.
[[nodiscard]] std::string to_svg(const PacketReport& report);

}  // namespace corliss::bench
