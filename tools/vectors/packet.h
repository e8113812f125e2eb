#pragma once

#include "vectors/report.h"

#include <filesystem>

namespace corliss::vectors {

/// Runs a file in the schema of channel.json on the kernel that CORLISS_KERNEL or the CPU picks: packets of
/// both formats sealed and opened, in place and apart; refusals; universe keys; CRC-32. Throws as load_json
/// does.
Report check_packets(const std::filesystem::path& file);

}  // namespace corliss::vectors
