#pragma once

#include "content/manifest_data.h"

namespace corliss::content::detail {

/// The indices of `texts` in ascending order of their bytes, a prefix before what it begins; equal texts keep
/// their order. Takes O(bytes · log n) at worst, whatever the texts are.
[[nodiscard]] std::vector<std::uint32_t> text_order(std::string_view arena, std::span<const Slice> texts);

}  // namespace corliss::content::detail
