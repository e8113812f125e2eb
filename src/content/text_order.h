#pragma once

#include "content/manifest_data.h"

namespace corliss::content::detail {

/// The indices of `texts` in ascending order of their bytes, a prefix before what it begins; equal texts keep
/// their order. Takes O(bytes · log n) at worst, whatever the texts are.
/// `partitions` bounds how often a run is split before a plain sort takes over, in multiples of log2 of its
/// length; tests pass 0.
[[nodiscard]] std::vector<std::uint32_t> text_order(std::string_view arena, std::span<const Slice> texts,
                                                    unsigned partitions = 2);

}  // namespace corliss::content::detail
