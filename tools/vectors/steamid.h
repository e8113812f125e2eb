#pragma once

#include "vectors/report.h"

#include <filesystem>

namespace corliss::vectors {

/// Runs a file in the schema `steam-id-vectors/1` (tests/data/proto/steamid.json): SteamIds parsed, judged
/// and rendered, GameIds and GlobalIds taken apart and put together. Throws BadVectorFile,
/// nlohmann::json::exception (a field missing) and std::system_error.
Report check_steamid(const std::filesystem::path& path);

}  // namespace corliss::vectors
