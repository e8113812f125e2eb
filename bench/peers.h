#pragma once

#include "bench/packet_bench.h"

#include <filesystem>
#include <vector>

namespace corliss::bench {

/// The folder `bench/peers` of the project: above the running program, else below the working directory.
/// Empty where it is in neither place (an installed command has none).
[[nodiscard]] std::filesystem::path find_peers();

/// Runs the peers in a Node process of their own, on the same messages, one at a time, after `npm ci` where
/// that was not done yet; what npm says goes to standard error. Their rows have no ratios and no allocations.
/// Throws WrongResult where a peer's packet differs from the reference, std::runtime_error where Node, npm or
/// the folder is missing.
[[nodiscard]] std::vector<PacketRow> run_peers(const PacketOptions& options,
                                               const std::filesystem::path& folder);

}  // namespace corliss::bench
