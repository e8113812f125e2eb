#pragma once

#include "vectors/report.h"

#include <filesystem>
#include <functional>

#include <CLI/CLI.hpp>

namespace corliss::tools {

/// Adds `check VECTORS.json [--json]` to a command: runs every case, prints a line per failing one and a
/// count; exit 1 on any failure or where the file is no vector file.
void add_check(CLI::App& command, const std::string& schema_file,
               std::function<vectors::Report(const std::filesystem::path&)> run);

}  // namespace corliss::tools
