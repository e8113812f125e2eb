#include "keyvalues/store.h"

#include <corliss/keyvalues/builder.h>

namespace corliss::keyvalues {
namespace {

constexpr std::size_t largest_string = (std::size_t{1} << 27) - 1;

}  // namespace

TreeBuilder::TreeBuilder(const Limits& limits) : limits_(limits) {
  tree_.store().reset({});
}

// The buffer has the layout of the binary form, name NUL value, so that slots stay narrow.
std::size_t TreeBuilder::put(std::string_view bytes) {
  auto& owned = tree_.store().owned;
  const std::size_t at = owned.size();
  const auto view = bytes_of(bytes);
  owned.insert(owned.end(), view.begin(), view.end());
  return at;
}

bool TreeBuilder::has_room(std::string_view name, std::string_view value, const NodeConditions& conditions) {
  if (error_) {
    return false;
  }
  const auto& store = tree_.store();
  constexpr std::size_t overhead = 16;
  const std::size_t most = std::min(limits_.max_size, detail::max_tree_input - overhead);
  std::size_t room = most - std::min(most, store.owned.size());
  for (const std::string_view part : {name, value, conditions.after_name, conditions.after_value}) {
    if (part.size() > room || part.size() > std::min(largest_string, limits_.max_token)) {
      error_ = Errc::too_large;
      return false;
    }
    room -= part.size();
  }
  if (store.nodes >= limits_.max_nodes) {
    error_ = Errc::too_many_nodes;
    return false;
  }
  return true;
}

void TreeBuilder::add_conditions(const NodeConditions& conditions) {
  for (const bool after_value : {false, true}) {
    const auto text = after_value ? conditions.after_value : conditions.after_name;
    if (!text.empty()) {
      tree_.store().add_condition(put(text), text.size(), after_value);
    }
  }
}

TreeBuilder& TreeBuilder::block(std::string_view name, const NodeConditions& conditions) {
  if (!has_room(name, {}, conditions)) {
    return *this;
  }
  auto& store = tree_.store();
  if (store.open.size() >= limits_.max_depth) {
    error_ = Errc::too_deep;
    return *this;
  }
  add_conditions(conditions);
  store.add_block(static_cast<std::uint32_t>(put(name)), name.size(), false);
  return *this;
}

TreeBuilder& TreeBuilder::leaf(std::string_view name, const Value& value, const NodeConditions& conditions) {
  if (!has_room(name, value.string(), conditions)) {
    return *this;
  }
  add_conditions(conditions);
  auto& store = tree_.store();
  const std::size_t name_at = put(name);
  store.owned.push_back(0);
  std::size_t size = value.string().size();
  if (value.type() == Type::string) {
    put(value.string());
  } else {
    size = value.type() == Type::uint64 || value.type() == Type::int64 ? 8 : 4;
    std::array<std::uint8_t, 8> bits{};
    store_le(bits.data(), value.bits());
    store.owned.insert(store.owned.end(), bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(size));
  }
  store.add_leaf(value.type(), static_cast<std::uint32_t>(name_at), name.size(), 1, size);
  return *this;
}

TreeBuilder& TreeBuilder::end() {
  auto& store = tree_.store();
  if (!error_ && store.open.empty()) {
    error_ = Errc::unbalanced;
  }
  if (!error_) {
    store.end_block();
  }
  return *this;
}

Result<Tree> TreeBuilder::finish() {
  auto& store = tree_.store();
  if (!error_ && !store.open.empty()) {
    error_ = Errc::unbalanced;
  }
  if (error_) {
    const auto error = error_;
    error_.clear();
    store.reset({});
    return tl::unexpected(error);
  }
  store.source = store.owned;
  store.consumed = store.owned.size();
  Tree done = std::move(tree_);
  tree_ = Tree();
  tree_.store().reset({});
  return done;
}

Next TreeBuilder::on_block(std::string_view name, const NodeConditions& conditions) {
  block(name, conditions);
  return error_ ? Next::stop : Next::go_on;
}

Next TreeBuilder::on_leaf(std::string_view name, const Value& value, const NodeConditions& conditions) {
  leaf(name, value, conditions);
  return error_ ? Next::stop : Next::go_on;
}

Next TreeBuilder::on_end() {
  end();
  return error_ ? Next::stop : Next::go_on;
}

}  // namespace corliss::keyvalues
