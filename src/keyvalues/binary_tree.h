#pragma once

#include "keyvalues/store.h"

#include <corliss/keyvalues/binary.h>

namespace corliss::keyvalues::detail {

/// Reads the document at the front of `input`; with `names` its names are indexes into that table. `base`:
/// where `input` stands in the file, for `place`.
[[nodiscard]] Result<void> read_binary_tree(Tree& tree, ConstBytes input, const BinaryOptions& options,
                                            const StringTable* names, std::uint64_t base, ErrorPlace* place);

}  // namespace corliss::keyvalues::detail
