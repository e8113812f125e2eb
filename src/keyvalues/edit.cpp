#include "keyvalues/chars.h"

#include <corliss/keyvalues/builder.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace corliss::keyvalues {
namespace {

// What the edits want of one name of a block.
struct Wish {
  std::string_view name;
  const Edit* leaf = nullptr;       // the child ends as this leaf, or goes
  std::vector<const Edit*> deeper;  // or it is a block in which these apply
  bool fresh = false;               // … that starts empty
  bool met = false;                 // the first child of this name has gone by
};

struct Level {
  Node::Children own;
  Node::Iterator at;
  std::size_t depth;
  std::vector<Wish> wishes;
  std::size_t appended = 0;

  Level(Node::Children children, std::size_t at_depth, const std::vector<const Edit*>& edits)
      : own(children), at(own.begin()), depth(at_depth) {
    for (const Edit* edit : edits) {
      add(edit);
    }
  }

  Wish* find(std::string_view name) {
    const auto at_name = std::find_if(wishes.begin(), wishes.end(), [name](const Wish& wish) {
      return detail::same_name(wish.name, name);
    });
    return at_name != wishes.end() ? &*at_name : nullptr;
  }

 private:
  void add(const Edit* edit) {
    const std::string_view name = edit->path[depth];
    Wish* wish = find(name);
    if (wish == nullptr) {
      wishes.push_back({name, nullptr, {}, false, false});
      wish = &wishes.back();
    }
    if (edit->path.size() == depth + 1) {
      wish->name = name;
      wish->leaf = edit;
      wish->deeper.clear();
    } else {
      wish->fresh = wish->fresh || wish->leaf != nullptr;
      wish->leaf = nullptr;
      wish->deeper.push_back(edit);
    }
  }
};

bool wants_something(const Wish& wish) {
  return std::any_of(wish.deeper.begin(), wish.deeper.end(),
                     [](const Edit* e) { return e->value.has_value(); });
}

}  // namespace

Result<Tree> edited(Node node, std::span<const Edit> edits) {
  std::vector<const Edit*> all;
  for (const Edit& edit : edits) {
    if (edit.path.empty()) {
      return fail(Errc::empty_key);
    }
    all.push_back(&edit);
  }
  TreeBuilder builder;
  if (!node.is_block()) {
    walk(node, builder);
    return builder.finish();
  }
  builder.block(node.name(), node.conditions());
  std::vector<Level> levels;
  levels.emplace_back(node.children(), 0, all);
  while (!levels.empty()) {
    Level& level = levels.back();
    const std::size_t below = level.depth + 1;
    if (level.at != level.own.end()) {
      const Node child = *level.at;
      ++level.at;
      Wish* const wish = level.find(child.name());
      if (wish == nullptr || wish->met) {
        walk(child, builder);
        continue;
      }
      wish->met = true;
      if (wish->leaf == nullptr && !wish->fresh && child.is_block()) {
        builder.block(child.name(), child.conditions());
        levels.emplace_back(child.children(), below, std::exchange(wish->deeper, {}));
      } else if (wish->leaf == nullptr && !wants_something(*wish)) {
        walk(child, builder);
      }
    } else if (level.appended < level.wishes.size()) {
      const Wish& wish = level.wishes[level.appended++];
      if (wish.leaf != nullptr) {
        if (wish.leaf->value) {
          builder.leaf(wish.name, *wish.leaf->value);
        }
      } else if (wants_something(wish)) {
        builder.block(wish.name);
        levels.emplace_back(Node::Children(), below, wish.deeper);
      }
    } else {
      builder.end();
      levels.pop_back();
    }
  }
  return builder.finish();
}

}  // namespace corliss::keyvalues
