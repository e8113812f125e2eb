#include <corliss/keyvalues/errc.h>

#include <array>

namespace corliss::keyvalues {
namespace {

constexpr std::array<ErrcRow, 29> rows{{
    {"success", Fault::local},
    {"a root key must be followed by '{'", Fault::malformed},
    {"the input ends inside a block", Fault::malformed},
    {"a string has no end", Fault::malformed},
    {"'}' where no block is open", Fault::malformed},
    {"'{' where a key must stand", Fault::malformed},
    {"a key has no value", Fault::malformed},
    {"a key is empty", Fault::malformed},
    {"a condition where a key must stand", Fault::malformed},
    {"a condition is not well formed", Fault::malformed},
    {"#include or #base, which are not resolved here", Fault::malformed},
    {"a NUL inside text", Fault::malformed},
    {"UTF-16 text ends in half a unit", Fault::malformed},
    {"blocks are nested deeper than the limit", Fault::limit},
    {"more nodes than the limit", Fault::limit},
    {"the input or a string is larger than the limit", Fault::limit},
    {"more included files than the limit", Fault::limit},
    {"a file includes itself", Fault::malformed},
    {"a type byte that KeyValues do not have", Fault::malformed},
    {"not a file of this kind", Fault::malformed},
    {"this version of the file is not supported", Fault::malformed},
    {"the size of an entry does not fit its tree or the file", Fault::malformed},
    {"the string table does not fit the file", Fault::malformed},
    {"the index of a name is outside the string table", Fault::malformed},
    {"the list of entries has no end", Fault::malformed},
    {"the checksum does not fit: the file is damaged", Fault::unauthenticated},
    {"bytes after the end of the document", Fault::malformed},
    {"text needs a block as its root", Fault::local},
    {"blocks were not opened and closed in pairs", Fault::local},
}};

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.keyvalues", rows);
  return {static_cast<int>(errc), category};
}

}  // namespace corliss::keyvalues
