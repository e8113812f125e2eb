#pragma once

#include <corliss/keyvalues/builder.h>
#include <corliss/keyvalues/tree.h>

#include <nlohmann/json.hpp>

/// KeyValues as JSON, without loss: a leaf is {"name", "value"}, a block {"name", "children": […]}. Values
/// are text; a "type" beside one says that it is a number of the binary form. Bytes that are no UTF-8 stand
/// in hex, as "name_hex" or "value_hex"; kept conditions as "condition" and "condition_after_value".
namespace corliss::vectors {

/// `typed`: leaves that are strings say so, as in trees of the binary form. An invalid node is null.
nlohmann::ordered_json tree_to_json(keyvalues::Node node, bool typed);

/// Adds such a value to `builder`; null adds nothing. Not recursive. Throws BadVectorFile where it is none.
void add_json(keyvalues::TreeBuilder& builder, const nlohmann::ordered_json& value);

}  // namespace corliss::vectors
