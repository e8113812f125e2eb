#pragma once

#include <corliss/keyvalues/text.h>

#include <string>
#include <vector>

namespace corliss::keyvalues::detail {

struct DirectiveLine {
  Directive directive;
  std::string file;
};

/// Reads one file. Directives are collected, or refused where `directives` is null.
[[nodiscard]] Result<void> read_one_text(Tree& tree, ConstBytes input, const TextOptions& options,
                                         ErrorPlace* place, std::vector<DirectiveLine>* directives);

/// Reads a file and what it includes, through options.resolver.
[[nodiscard]] Result<void> read_with_includes(Tree& tree, ConstBytes input, const TextOptions& options,
                                              ErrorPlace* place);

}  // namespace corliss::keyvalues::detail
