#pragma once

#include "vectors/report.h"

#include <filesystem>

namespace corliss::vectors {

/// Runs a file in the schema of keyvalues.json: text and binary trees (read whole and piece by piece, and
/// written back), generated large inputs, writer output, appinfo, packageinfo, shortcuts and VBKV files.
/// Throws as load_json does, and nlohmann::json::exception where a field is missing.
Report check_keyvalues(const std::filesystem::path& file);

}  // namespace corliss::vectors
