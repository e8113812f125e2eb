#include "keyvalues/include.h"

#include "keyvalues/store.h"

#include <corliss/keyvalues/builder.h>

#include <algorithm>
#include <utility>

namespace corliss::keyvalues::detail {
namespace {

class Includes {
 public:
  Includes(const TextOptions& options, ErrorPlace* place) : options_(options), place_(place) {}

  // Recursion over files, not over their content: `chain_` holds it to max_include_depth.
  Result<void> read(Tree& tree, ConstBytes input, const std::string& identity) {
    std::vector<DirectiveLine> directives;
    if (auto read = read_one_text(tree, input, options_, place_, &directives); !read) {
      if (place_ != nullptr) {
        place_->file = identity;
      }
      return read;
    }
    if (directives.empty()) {
      return {};
    }
    std::vector<Tree> further;
    Tree first = std::move(tree);  // only its first root changes
    Tree changed;
    for (const auto& [directive, name] : directives) {
      Tree other;
      if (auto read = resolve(other, directive, name, identity); !read) {
        tree = Tree();
        return read;
      }
      const Node root = changed.root() ? changed.root() : first.root();
      if (directive == Directive::base && root) {
        CORLISS_TRY(changed, merged(root, other.root()));
      } else {
        further.push_back(std::move(other));
      }
    }
    return assemble(tree, first, changed.root() ? changed.root() : first.root(), further);
  }

 private:
  Result<void> resolve(Tree& other, Directive directive, const std::string& name, const std::string& from) {
    if (place_ != nullptr) {
      *place_ = {{0, 1, 1}, std::nullopt, from};
    }
    if (chain_.size() >= options_.limits.max_include_depth || count_ >= options_.limits.max_includes) {
      return fail(Errc::too_many_includes);
    }
    CORLISS_TRY(IncludedFile file, options_.resolver(directive, name, from));
    if (std::find(chain_.begin(), chain_.end(), file.identity) != chain_.end()) {
      return fail(Errc::include_cycle);
    }
    ++count_;
    chain_.push_back(file.identity);
    other.store().owned = std::move(file.bytes);
    CORLISS_CHECK(read(other, other.store().owned, file.identity));
    chain_.pop_back();
    return {};
  }

  Result<void> assemble(Tree& tree, const Tree& own, Node first_root,
                        const std::vector<Tree>& further) const {
    TreeBuilder builder(options_.limits);
    bool has_root = static_cast<bool>(first_root);
    walk(first_root, builder);
    bool skip_first = true;
    for (const Node root : own.roots()) {
      if (!skip_first) {
        walk(root, builder);
      }
      skip_first = false;
    }
    for (const Tree& other : further) {
      for (const Node root : other.roots()) {
        if (!has_root || options_.all_roots) {
          walk(root, builder);
          has_root = true;
        }
      }
    }
    CORLISS_TRY(tree, builder.finish());
    return {};
  }

  const TextOptions& options_;
  ErrorPlace* place_;
  std::vector<std::string> chain_;
  std::size_t count_ = 0;
};

}  // namespace

Result<void> read_with_includes(Tree& tree, ConstBytes input, const TextOptions& options, ErrorPlace* place) {
  // `input` may be bytes that `tree` owns, so they stay until all is read, and longer where it is a view of
  // them.
  auto owned = std::move(tree.store().owned);
  const bool is_owned = !owned.empty() && owned.data() == input.data();
  Tree result;
  if (is_owned) {
    result.store().owned = std::move(owned);
  }
  if (auto read = Includes(options, place).read(result, input, {}); !read) {
    tree.clear();
    return read;
  }
  tree = std::move(result);
  return {};
}

}  // namespace corliss::keyvalues::detail
