#pragma once

#include <corliss/base/fault.h>

#include <system_error>

namespace corliss::keyvalues {

/// What can go wrong in `keyvalues`. Unless said otherwise the fault is Fault::malformed: drop the input.
enum class Errc {
  missing_open = 1,        ///< Text: a root key is not followed by `{`.
  unexpected_end,          ///< The input ends inside a block (ErrorPlace::opened says which) or a node.
  unterminated_string,     ///< The input ends inside quotes, after a backslash, or before a NUL (binary).
  unexpected_close,        ///< Text: `}` where no block is open.
  unexpected_open,         ///< Text: `{` where a key must stand.
  missing_value,           ///< Text: `}` after a key.
  empty_key,               ///< Text: `""` as a key; writing text: a node without a name.
  unexpected_conditional,  ///< Text: a condition where a key must stand, or two in a row.
  bad_conditional,    ///< Text: `[` without `]` on its line; or not an expression, where one is evaluated.
  directive,          ///< Text: `#include` or `#base`, and nobody to resolve it. Give a resolver if trusted.
  nul,                ///< A NUL inside text; writing: a NUL inside a name or a string.
  bad_encoding,       ///< Text in UTF-16 with half a unit at its end.
  too_deep,           ///< More nested blocks than Limits::max_depth. Fault::limit.
  too_many_nodes,     ///< More nodes than Limits::max_nodes. Fault::limit.
  too_large,          ///< Input above Limits::max_size, or a token above max_token. Fault::limit.
  too_many_includes,  ///< Nested deeper than max_include_depth, or more than max_includes. Fault::limit.
  include_cycle,      ///< A file includes itself, perhaps through others.
  unknown_type,       ///< Binary: a type byte outside the table (or text given to the binary reader).
  bad_magic,          ///< The first bytes are not those of this kind of file.
  unsupported_version,  ///< A version of the file that is known but not read (appinfo.vdf 36 to 38).
  bad_entry_size,       ///< appinfo.vdf: an entry leaves the file, or its tree ends elsewhere.
  bad_string_table,     ///< appinfo.vdf 41: offset, count or strings of the table do not fit the file.
  bad_name_index,       ///< appinfo.vdf 41: a name's index is outside the string table.
  missing_end_of_list,  ///< appinfo.vdf, packageinfo.vdf: the id that ends the list is not there.
  checksum,             ///< VBKV: the CRC-32 differs. Fault::unauthenticated.
  trailing_bytes,       ///< VBKV: bytes after the end of the list.
  leaf_root,            ///< Writing text: a root must be a block. Fault::local.
  unbalanced,           ///< TreeBuilder, writers: `end` without a block, or a block left open. Fault::local.
};

std::error_code make_error_code(Errc errc) noexcept;

}  // namespace corliss::keyvalues

template <>
struct std::is_error_code_enum<corliss::keyvalues::Errc> : std::true_type {};
