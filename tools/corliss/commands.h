#pragma once

#include <CLI/CLI.hpp>

namespace corliss::tools {

// Each in its own cmd_<name>.cpp, in the order of `corliss --help`.

/// Every command, added to the top of the command line.
inline void add_commands([[maybe_unused]] CLI::App& app) {}

}  // namespace corliss::tools
