#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Generated KeyValues in the shape of Steam's app info: the sections, names, nesting and value lengths of
/// real product info (27 bytes a node as text), the same for the same size.
namespace corliss::bench {

/// One document, root "apps", a block for each app, at most `size` bytes.
[[nodiscard]] std::string app_info_text(std::size_t size);
/// The same as binary KeyValues, with the number types that appinfo.vdf uses.
[[nodiscard]] std::vector<std::uint8_t> app_info_binary(std::size_t size);
/// An appinfo.vdf of version 41 (a string table for the names).
[[nodiscard]] std::vector<std::uint8_t> app_info_file(std::size_t size);

}  // namespace corliss::bench
