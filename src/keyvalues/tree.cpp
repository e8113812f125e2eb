#include "keyvalues/chars.h"
#include "keyvalues/store.h"

#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/tree.h>

#include <algorithm>
#include <vector>

namespace corliss::keyvalues {

Result<void> Visitor::on_directive(Directive, std::string_view) {
  return fail(Errc::directive);
}

std::string_view Node::name() const noexcept {
  return *this ? store_->name(slot_) : std::string_view();
}
bool Node::is_block() const noexcept {
  return *this && store_->is_block(slot_);
}
Type Node::type() const noexcept {
  return *this ? store_->type(slot_) : Type::block;
}
Value Node::value() const noexcept {
  return is_leaf() ? store_->value(slot_) : Value();
}

NodeConditions Node::conditions() const noexcept {
  NodeConditions found;
  if (*this) {
    auto at =
        std::lower_bound(store_->conditions.begin(), store_->conditions.end(), slot_,
                         [](const detail::KeptCondition& c, std::uint32_t slot) { return c.slot < slot; });
    for (; at != store_->conditions.end() && at->slot == slot_; ++at) {
      (at->after_value ? found.after_value : found.after_name) = store_->text_at(at->pos, at->size, false);
    }
  }
  return found;
}

Node::Children Node::children() const noexcept {
  if (!is_block()) {
    return {};
  }
  return {Iterator(Node(store_, slot_ + 1)), Iterator(Node(store_, store_->next(slot_)))};
}

std::size_t Node::size() const noexcept {
  const auto all = children();
  return static_cast<std::size_t>(std::distance(all.begin(), all.end()));
}

Node::Iterator& Node::Iterator::operator++() noexcept {
  node_.slot_ = node_.store_->next(node_.slot_);
  return *this;
}

Node Node::operator[](std::string_view name) const noexcept {
  for (const Node child : children()) {
    if (detail::same_name(child.name(), name)) {
      return child;
    }
  }
  return {};
}

Node Node::at(std::initializer_list<std::string_view> path) const noexcept {
  Node node = *this;
  for (const std::string_view name : path) {
    node = node[name];
  }
  return node;
}

Node Node::at(std::string_view path) const noexcept {
  Node node = *this;
  while (node) {
    const auto slash = path.find('/');
    node = node[path.substr(0, slash)];
    if (slash == std::string_view::npos) {
      break;
    }
    path.remove_prefix(slash + 1);
  }
  return node;
}

bool Node::same_as(Node other) const {
  if (!*this || !other) {
    return !*this && !other;
  }
  // Both tapes are in the order of the document, so equal trees are equal side by side.
  std::uint32_t a = slot_;
  std::uint32_t b = other.slot_;
  const std::uint32_t end = store_->next(slot_);
  while (a != end) {
    const Node left(store_, a);
    const Node right(other.store_, b);
    const std::uint32_t left_span = store_->next(a) - a;
    const std::uint32_t right_span = other.store_->next(b) - b;
    if (left.name() != right.name() || left.is_block() != right.is_block() || left_span != right_span ||
        left.value() != right.value() || left.conditions() != right.conditions()) {
      return false;
    }
    ++a;
    ++b;
  }
  return true;
}

Tree::Tree() noexcept = default;
Tree::~Tree() = default;
Tree::Tree(Tree&&) noexcept = default;
Tree& Tree::operator=(Tree&&) noexcept = default;

Node Tree::root() const noexcept {
  return store_ != nullptr && store_->slots.size() != 0 ? Node(store_.get(), 0) : Node();
}

Node::Children Tree::roots() const noexcept {
  if (store_ == nullptr) {
    return {};
  }
  return {Node::Iterator(Node(store_.get(), 0)), Node::Iterator(Node(store_.get(), store_->slots.size()))};
}

std::size_t Tree::node_count() const noexcept {
  return store_ != nullptr ? store_->nodes : 0;
}
std::size_t Tree::consumed() const noexcept {
  return store_ != nullptr ? store_->consumed : 0;
}

std::size_t Tree::memory() const noexcept {
  if (store_ == nullptr) {
    return 0;
  }
  return sizeof(detail::Store) + store_->owned.capacity() + store_->side.capacity() +
         store_->slots.capacity() * sizeof(detail::Slot) + store_->wide.capacity() * sizeof(detail::Wide) +
         store_->conditions.capacity() * sizeof(detail::KeptCondition);
}

void Tree::clear() noexcept {
  if (store_ != nullptr) {
    store_->reset({});
  }
}

detail::Store& Tree::store() {
  if (store_ == nullptr) {
    store_ = std::make_unique<detail::Store>();
  }
  return *store_;
}

namespace {

bool walk_children(const Node::Children& top, Visitor& visitor) {
  struct Level {
    Node::Iterator at;
    Node::Iterator end;
  };
  std::vector<Level> levels{{top.begin(), top.end()}};
  while (true) {
    Level& level = levels.back();
    if (level.at == level.end) {
      levels.pop_back();
      if (levels.empty()) {
        return true;
      }
      if (visitor.on_end() == Next::stop) {
        return false;
      }
      continue;
    }
    const Node node = *level.at;
    ++level.at;
    if (node.is_block()) {
      const Next next = visitor.on_block(node.name(), node.conditions());
      if (next == Next::stop) {
        return false;
      }
      if (next == Next::go_on) {
        const auto children = node.children();
        levels.push_back({children.begin(), children.end()});
      }
    } else if (visitor.on_leaf(node.name(), node.value(), node.conditions()) == Next::stop) {
      return false;
    }
  }
}

}  // namespace

bool walk(Node node, Visitor& visitor) {
  if (!node) {
    return true;
  }
  auto end = Node::Iterator(node);
  ++end;
  return walk_children({Node::Iterator(node), end}, visitor);
}

bool walk(const Tree& tree, Visitor& visitor) {
  return walk_children(tree.roots(), visitor);
}

}  // namespace corliss::keyvalues
