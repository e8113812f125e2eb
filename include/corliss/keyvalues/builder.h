#pragma once

#include <corliss/base/result.h>
#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/limits.h>
#include <corliss/keyvalues/tree.h>
#include <corliss/keyvalues/visitor.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace corliss::keyvalues {

/// Makes a tree that owns its text. Calls can be chained; the first error is kept and returned by `finish`.
///
///     TreeBuilder builder;
///     builder.block("appinfo").leaf("appid", "480").block("common").leaf("name", "Spacewar").end().end();
///     CORLISS_TRY(Tree tree, builder.finish());
///
/// It is a visitor as well, so `walk(node, builder)` copies a node of another tree to the current place.
class TreeBuilder final : public Visitor {
 public:
  explicit TreeBuilder(const Limits& limits = {});

  TreeBuilder& block(std::string_view name, const NodeConditions& conditions = {});
  TreeBuilder& leaf(std::string_view name, const Value& value, const NodeConditions& conditions = {});
  TreeBuilder& end();
  /// The tree; the builder is empty afterwards. Errors: Errc::unbalanced, too_deep, too_many_nodes,
  /// too_large.
  [[nodiscard]] Result<Tree> finish();

  [[nodiscard]] Next on_block(std::string_view name, const NodeConditions& conditions) override;
  [[nodiscard]] Next on_leaf(std::string_view name, const Value& value,
                             const NodeConditions& conditions) override;
  [[nodiscard]] Next on_end() override;

 private:
  bool has_room(std::string_view name, std::string_view value, const NodeConditions& conditions);
  void add_conditions(const NodeConditions& conditions);
  std::size_t put(std::string_view bytes);

  Limits limits_;
  Tree tree_;
  std::error_code error_;
};

/// What to do with the child at the end of a path, for `edited`.
struct Edit {
  std::vector<std::string> path;  ///< Names from the node downwards, ASCII case ignored.
  std::optional<Value> value;     ///< Nothing: remove it.
};

/// A copy of `node` with edits, in one pass however many there are. As SteamKit's `node["name"] = value`: the
/// first child that matches is removed, and the new leaf, named as the path spells it, comes last; blocks of
/// the path that are missing are added, also in the place of a leaf. Of edits that exclude each other the
/// later one counts. Errors: as TreeBuilder::finish; Errc::empty_key for an empty path.
[[nodiscard]] Result<Tree> edited(Node node, std::span<const Edit> edits);

/// A copy of `node` to which the children of `base` that it lacks are added; blocks of both are merged alike,
/// and values of `node` stay. What `#base` does. Linear in the size of both.
[[nodiscard]] Result<Tree> merged(Node node, Node base);

}  // namespace corliss::keyvalues
