#pragma once

#include <CLI/CLI.hpp>

namespace corliss::tools {

/// Adds the hidden command `reference man|bash`: the man page and the bash completion, made from the command
/// line itself. The build runs it; `cmake --install` installs what it prints.
void add_reference(CLI::App& app);

}  // namespace corliss::tools
