#include "vectors/keyvalues_json.h"

#include "vectors/report.h"

#include <corliss/base/hex.h>

#include <array>
#include <utility>
#include <vector>

namespace corliss::vectors {
namespace {

using keyvalues::Node;
using keyvalues::NodeConditions;
using keyvalues::TreeBuilder;
using keyvalues::Type;
using keyvalues::Value;
using nlohmann::ordered_json;

// The length of the well-formed UTF-8 sequence at the front of `text`, 0 where there is none (RFC 3629).
std::size_t sequence_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3)
               ? 4
               : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = sequence_size(text);
    if (size == 0) {
      return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

void put_text(ordered_json& object, const std::string& key, std::string_view text) {
  if (is_utf8(text)) {
    object[key] = text;
  } else {
    object[key + "_hex"] = to_hex(bytes_of(text));
  }
}

ordered_json head_of(Node node) {
  ordered_json object = ordered_json::object();
  put_text(object, "name", node.name());
  const auto conditions = node.conditions();
  if (!conditions.after_name.empty()) {
    put_text(object, "condition", conditions.after_name);
  }
  if (!conditions.after_value.empty()) {
    put_text(object, "condition_after_value", conditions.after_value);
  }
  return object;
}

ordered_json leaf_to_json(Node node, bool typed) {
  ordered_json object = head_of(node);
  if (typed || node.type() != Type::string) {
    object["type"] = type_name(node.type());
  }
  put_text(object, "value", node.text());
  return object;
}

Type type_of(const std::string& name) {
  for (const Type type :
       {Type::string, Type::int32, Type::float32, Type::pointer, Type::color, Type::uint64, Type::int64}) {
    if (type_name(type) == name) {
      return type;
    }
  }
  throw BadVectorFile("no KeyValues type: " + name);
}

std::string text_at(const ordered_json& object, const std::string& key, bool required = true) {
  if (const auto text = object.find(key); text != object.end()) {
    if (!text->is_string()) {
      throw BadVectorFile(key + ": expected a string, found " + text->type_name());
    }
    return text->get<std::string>();
  }
  if (const auto hex = object.find(key + "_hex"); hex != object.end()) {
    return std::string(text_of(bytes_of_hex(*hex)));
  }
  if (required) {
    throw BadVectorFile("a node of KeyValues needs a \"" + key + "\"");
  }
  return {};
}

void add_leaf(TreeBuilder& builder, const ordered_json& object, const NodeConditions& conditions) {
  const std::string text = text_at(object, "value");
  const auto type = object.find("type");
  const auto value = Value::parse(
      type != object.end() && type->is_string() ? type_of(type->get<std::string>()) : Type::string, text);
  if (!value) {
    throw BadVectorFile("no " + type->get<std::string>() + ": " + text);
  }
  builder.leaf(text_at(object, "name"), *value, conditions);
}

}  // namespace

ordered_json tree_to_json(Node node, bool typed) {
  if (!node) {
    return nullptr;
  }
  if (!node.is_block()) {
    return leaf_to_json(node, typed);
  }
  struct Level {
    Node::Iterator at;
    Node::Iterator end;
    ordered_json object;
    ordered_json children = ordered_json::array();
  };
  const auto open = [](Node block) {
    const auto children = block.children();
    return Level{children.begin(), children.end(), head_of(block)};
  };
  std::vector<Level> levels;
  levels.push_back(open(node));
  for (;;) {
    Level& level = levels.back();
    if (level.at != level.end) {
      const Node child = *level.at;
      ++level.at;
      if (child.is_block()) {
        levels.push_back(open(child));
      } else {
        level.children.push_back(leaf_to_json(child, typed));
      }
      continue;
    }
    ordered_json object = std::move(level.object);
    object["children"] = std::move(level.children);
    levels.pop_back();
    if (levels.empty()) {
      return object;
    }
    levels.back().children.push_back(std::move(object));
  }
}

void add_json(TreeBuilder& builder, const ordered_json& value) {
  if (value.is_null()) {
    return;
  }
  struct Level {
    ordered_json::const_iterator at;
    ordered_json::const_iterator end;
  };
  std::vector<Level> levels;
  const auto add = [&](const ordered_json& node) {
    if (!node.is_object()) {
      throw BadVectorFile(std::string("a node of KeyValues is an object, found ") + node.type_name());
    }
    const std::string after_name = text_at(node, "condition", false);
    const std::string after_value = text_at(node, "condition_after_value", false);
    const auto children = node.find("children");
    if (children == node.end()) {
      add_leaf(builder, node, {after_name, after_value});
      return;
    }
    if (!children->is_array()) {
      throw BadVectorFile(std::string("children: expected an array, found ") + children->type_name());
    }
    builder.block(text_at(node, "name"), {after_name, after_value});
    levels.push_back({children->begin(), children->end()});
  };
  add(value);
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.at == level.end) {
      builder.end();
      levels.pop_back();
    } else {
      const ordered_json& child = *level.at;
      ++level.at;
      add(child);
    }
  }
}

}  // namespace corliss::vectors
