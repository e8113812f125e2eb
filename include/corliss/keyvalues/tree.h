#pragma once

#include <corliss/keyvalues/value.h>
#include <corliss/keyvalues/visitor.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace corliss::keyvalues {

namespace detail {
struct Store;
}

/// One node of a `Tree`: a name, and either a value (leaf) or children (block). A handle of two words, to be
/// passed by value; it and every view it gives live as long as its tree (moving the tree is fine) and the
/// input that the tree was read from.
///
/// A child that is not there gives an invalid node: false, no name, no value, no children. So chains are
/// safe:
///     root["depots"]["481"]["manifests"]["public"]["gid"].get<std::uint64_t>()
class Node {
 public:
  class Iterator;
  class Children;

  Node() = default;

  [[nodiscard]] explicit operator bool() const noexcept { return store_ != nullptr; }
  /// The name as written, any bytes. Empty for an invalid node, and legal in the binary form.
  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] bool is_block() const noexcept;
  [[nodiscard]] bool is_leaf() const noexcept { return *this && !is_block(); }
  /// Type::block for an invalid node.
  [[nodiscard]] Type type() const noexcept;
  /// The value of a leaf; an empty string for a block or an invalid node.
  [[nodiscard]] Value value() const noexcept;
  /// The bytes of a string leaf, without a copy; empty for anything else.
  [[nodiscard]] std::string_view string() const noexcept { return value().string(); }
  /// The value as text, numbers converted; see Value::text.
  [[nodiscard]] std::string text() const { return value().text(); }
  /// The value as a number, whole or not at all; see Value::get. Nothing for a block or an invalid node.
  template <class T>
  [[nodiscard]] std::optional<T> get() const noexcept {
    return is_leaf() ? value().get<T>() : std::nullopt;
  }
  /// Conditions that were kept (ConditionMode::keep).
  [[nodiscard]] NodeConditions conditions() const noexcept;

  /// The children in order; none for a leaf.
  [[nodiscard]] Children children() const noexcept;
  /// How many there are; counts them.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The first child with this name, ASCII case ignored. Linear in the number of children.
  [[nodiscard]] Node operator[](std::string_view name) const noexcept;
  /// `path` one name after the other.
  [[nodiscard]] Node at(std::initializer_list<std::string_view> path) const noexcept;
  /// `path` split at `/`: at("common/name"). For names that hold a `/` use the form above.
  [[nodiscard]] Node at(std::string_view path) const noexcept;

  /// The same nodes, names (case too), types, values and conditions in the same order.
  [[nodiscard]] bool same_as(Node other) const;

 private:
  friend class Tree;
  Node(const detail::Store* store, std::uint32_t slot) noexcept : store_(store), slot_(slot) {}

  const detail::Store* store_ = nullptr;
  std::uint32_t slot_ = 0;
};

class Node::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = Node;
  using difference_type = std::ptrdiff_t;
  using pointer = const Node*;
  using reference = Node;

  Iterator() = default;
  explicit Iterator(Node node) noexcept : node_(node) {}
  [[nodiscard]] Node operator*() const noexcept { return node_; }
  [[nodiscard]] const Node* operator->() const noexcept { return &node_; }
  Iterator& operator++() noexcept;
  Iterator operator++(int) noexcept {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  [[nodiscard]] bool operator==(const Iterator& other) const noexcept {
    return node_.slot_ == other.node_.slot_;
  }

 private:
  Node node_;
};

class Node::Children {
 public:
  Children() = default;
  Children(Iterator begin, Iterator end) noexcept : begin_(begin), end_(end) {}
  [[nodiscard]] Iterator begin() const noexcept { return begin_; }
  [[nodiscard]] Iterator end() const noexcept { return end_; }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

 private:
  Iterator begin_;
  Iterator end_;
};

/// KeyValues as read or built: ordered, duplicates kept, bytes kept; not changed afterwards, so any number of
/// threads may look at it at once. To change one, put a visitor between `walk` and a `TreeBuilder`.
///
/// A node takes 8 bytes, and 16 more for names from 256 bytes, values from 16,384 bytes, blocks of a million
/// nodes, and where escapes had to be resolved, plus then the text. Nothing is freed or visited node by node.
class Tree {
 public:
  Tree() noexcept;
  ~Tree();
  Tree(Tree&&) noexcept;
  Tree& operator=(Tree&&) noexcept;

  /// The first root; invalid where there is none (an empty document).
  [[nodiscard]] Node root() const noexcept;
  /// All roots that were kept: one, unless all_roots was asked for.
  [[nodiscard]] Node::Children roots() const noexcept;
  /// Blocks and leaves.
  [[nodiscard]] std::size_t node_count() const noexcept;
  /// Bytes of the input that the document took (binary: with the outer end byte; text: all of it).
  [[nodiscard]] std::size_t consumed() const noexcept;
  /// Bytes that the tree holds besides the caller's input.
  [[nodiscard]] std::size_t memory() const noexcept;
  /// Empties the tree and keeps its memory, for the next `read_…_into`.
  void clear() noexcept;

  /// For the readers of this layer.
  [[nodiscard]] detail::Store& store();

 private:
  std::unique_ptr<detail::Store> store_;
};

/// Gives `node` and what is below it to `visitor`, without recursion. True unless the visitor stopped it.
bool walk(Node node, Visitor& visitor);
/// The same for all roots.
bool walk(const Tree& tree, Visitor& visitor);

}  // namespace corliss::keyvalues
