#include "keyvalues/chars.h"

#include <corliss/keyvalues/builder.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace corliss::keyvalues {
namespace {

struct NameHash {
  std::size_t operator()(std::string_view name) const noexcept {
    std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a over lower case
    for (const char c : name) {
      hash = (hash ^ static_cast<unsigned char>(detail::lower(c))) * 0x100000001B3;
    }
    return static_cast<std::size_t>(hash);
  }
};
struct SameName {
  bool operator()(std::string_view a, std::string_view b) const noexcept { return detail::same_name(a, b); }
};

// Blocks that both trees have and whose children are being merged.
struct Pair {
  Node::Children own;
  Node::Iterator at;
  Node base;
  std::unordered_map<std::string_view, Node, NameHash, SameName> unmatched;  // first child of base by name
  std::unordered_set<std::string_view, NameHash, SameName> own_names;

  Pair(Node node, Node other) : own(node.children()), at(own.begin()), base(other) {
    for (const Node child : base.children()) {
      unmatched.emplace(child.name(), child);
    }
  }
};

}  // namespace

Result<Tree> merged(Node node, Node base) {
  TreeBuilder builder;
  if (!node.is_block()) {
    walk(node ? node : base, builder);
    return builder.finish();
  }
  builder.block(node.name(), node.conditions());
  std::vector<Pair> pairs;
  pairs.emplace_back(node, base);
  while (!pairs.empty()) {
    Pair& pair = pairs.back();
    if (pair.at == pair.own.end()) {
      for (const Node child : pair.base.children()) {
        if (!pair.own_names.contains(child.name())) {
          walk(child, builder);
        }
      }
      builder.end();
      pairs.pop_back();
      continue;
    }
    const Node child = *pair.at;
    ++pair.at;
    const bool is_first = pair.own_names.insert(child.name()).second;
    const auto match = pair.unmatched.find(child.name());
    if (is_first && child.is_block() && match != pair.unmatched.end() && match->second.is_block()) {
      builder.block(child.name(), child.conditions());
      pairs.emplace_back(child, match->second);
    } else {
      walk(child, builder);
    }
  }
  return builder.finish();
}

}  // namespace corliss::keyvalues
