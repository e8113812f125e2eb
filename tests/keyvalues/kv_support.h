#pragma once

#include "support/test_support.h"

#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/builder.h>
#include <corliss/keyvalues/text.h>
#include <corliss/keyvalues/visitor.h>

#include <string>
#include <string_view>
#include <vector>

namespace corliss::keyvalues {

/// Writes events down, one line each.
class Events final : public Visitor {
 public:
  Next on_block(std::string_view name, const NodeConditions& conditions) override {
    lines.push_back("{ " + std::string(name) + suffix(conditions));
    return answer_block;
  }
  Next on_leaf(std::string_view name, const Value& value, const NodeConditions& conditions) override {
    lines.push_back(std::string(name) + " = " + std::string(type_name(value.type())) + " " + value.text() +
                    suffix(conditions));
    return answer_leaf;
  }
  Next on_end() override {
    lines.emplace_back("}");
    return Next::go_on;
  }
  Result<void> on_directive(Directive directive, std::string_view file) override {
    if (!takes_directives) {
      return Visitor::on_directive(directive, file);
    }
    lines.push_back((directive == Directive::base ? "#base " : "#include ") + std::string(file));
    return {};
  }

  std::vector<std::string> lines;
  Next answer_block = Next::go_on;
  Next answer_leaf = Next::go_on;
  bool takes_directives = false;

 private:
  static std::string suffix(const NodeConditions& conditions) {
    std::string text;
    if (!conditions.after_name.empty()) {
      text += " [" + std::string(conditions.after_name) + "]";
    }
    if (!conditions.after_value.empty()) {
      text += " ~[" + std::string(conditions.after_value) + "]";
    }
    return text;
  }
};

inline std::vector<std::string> events_of(const Tree& tree) {
  Events events;
  walk(tree, events);
  return events.lines;
}

/// The tree of well-formed text, which it owns; an empty one where it is refused, which the comparison then
/// shows.
inline Tree tree_of(std::string_view text, const TextOptions& options = {}) {
  const auto bytes = bytes_of(text);
  auto tree = read_text_owned({bytes.begin(), bytes.end()}, options);
  return tree ? *std::move(tree) : Tree();
}

/// What reading comes to, and where.
struct Verdict {
  std::error_code error;
  ErrorPlace place;
};
inline Verdict refused_text(std::string_view text, const TextOptions& options = {}) {
  Verdict verdict;
  if (const auto tree = read_text(bytes_of(text), options, &verdict.place); !tree) {
    verdict.error = tree.error();
  }
  return verdict;
}
inline Verdict refused_binary(ConstBytes input, const BinaryOptions& options = {}) {
  Verdict verdict;
  if (const auto tree = read_binary(input, options, &verdict.place); !tree) {
    verdict.error = tree.error();
  }
  return verdict;
}

/// Feeds `input` cut at random places (or byte by byte) and finishes.
template <class Stream>
std::error_code feed_split(Stream& stream, ConstBytes input, test::TestRng& rng, bool bytewise) {
  while (!input.empty()) {
    const auto piece = input.first(bytewise ? 1 : rng.between(1, std::min<std::size_t>(input.size(), 40)));
    if (const auto fed = stream.feed(piece); !fed) {
      return fed.error();
    }
    input = input.subspan(piece.size());
  }
  const auto finished = stream.finish();
  return finished ? std::error_code() : finished.error();
}

/// A random tree; with `typed` numbers of every type, without only strings.
Tree random_tree(test::TestRng& rng, bool typed);

}  // namespace corliss::keyvalues
