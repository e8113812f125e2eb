// The stream, fed in pieces, against the tree: the same events, or the same error at the same place. First
// byte: options; second byte: how the input is cut.
#include "fuzz.h"

#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/text.h>

#include <algorithm>
#include <string>

using namespace corliss;
using namespace corliss::keyvalues;

namespace {

class Log final : public Visitor {
 public:
  Next on_block(std::string_view name, const NodeConditions& conditions) override {
    put('{', name, {}, conditions);
    return Next::go_on;
  }
  Next on_leaf(std::string_view name, const Value& value, const NodeConditions& conditions) override {
    put(static_cast<char>('0' + static_cast<int>(value.type())), name, value.text(), conditions);
    return Next::go_on;
  }
  Next on_end() override {
    text += '}';
    return Next::go_on;
  }
  std::string text;

 private:
  void put(char kind, std::string_view name, std::string_view value, const NodeConditions& conditions) {
    text += kind;
    for (const std::string_view part : {name, value, conditions.after_name, conditions.after_value}) {
      text += std::to_string(part.size());
      text += ':';
      text += part;
    }
  }
};

template <class Stream, class Options, class TreeResult>
void compare(std::span<const std::uint8_t> input, std::uint8_t cut, const Options& options,
             const TreeResult& tree, const ErrorPlace& place) {
  Log log;
  Stream stream(log, options);
  std::error_code error;
  for (std::uint32_t state = cut; !input.empty() && !error;) {
    state = state * 1103515245 + 12345;
    const std::size_t size =
        std::min<std::size_t>(input.size(), cut == 0 ? 1 : 1 + (state >> 16) % (1U + cut % 64));
    if (const auto fed = stream.feed(input.first(size)); !fed) {
      error = fed.error();
    }
    input = input.subspan(size);
  }
  if (const auto finished = stream.finish(); !finished) {
    FUZZ_CHECK(!error || error == finished.error());
    error = finished.error();
  }
  FUZZ_CHECK(error == (tree ? std::error_code() : tree.error()));
  if (tree) {
    Log expected;
    walk(*tree, expected);
    FUZZ_CHECK(log.text == expected.text);
  } else {
    FUZZ_CHECK(stream.error_place().at == place.at);
    FUZZ_CHECK(stream.error_place().opened == place.opened);
  }
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.size() < 2) {
    return;
  }
  const std::uint8_t flags = input[0];
  const std::uint8_t cut = input[1];
  const auto bytes = input.subspan(2);
  ErrorPlace place;
  if ((flags & 128) != 0) {
    BinaryOptions options;
    options.all_roots = (flags & 1) != 0;
    compare<BinaryStream>(bytes, cut, options, read_binary(bytes, options, &place), place);
    return;
  }
  TextOptions options;
  options.escapes = (flags & 1) == 0;
  options.all_roots = (flags & 2) != 0;
  options.conditions = static_cast<ConditionMode>((flags >> 2) % 3);
  options.symbols = {"WIN32"};
  if ((flags & 16) != 0) {
    options.limits.max_depth = 3;
    options.limits.max_nodes = 8;
  }
  const auto tree = read_text(bytes, options, &place);
  // A tree sees at once that UTF-16 stops in half a unit; a stream sees it at the end.
  if (!tree && tree.error() == Errc::bad_encoding) {
    return;
  }
  compare<TextStream>(bytes, cut, options, tree, place);
}
