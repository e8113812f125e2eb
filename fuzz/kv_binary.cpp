// Binary KeyValues: whatever is accepted reads back the same after it was written. First byte: options.
#include "fuzz.h"

#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/shortcuts.h>
#include <corliss/keyvalues/text.h>

#include <string>

using namespace corliss;
using namespace corliss::keyvalues;

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  const std::uint8_t flags = input[0];
  const auto bytes = input.subspan(1);
  BinaryOptions options;
  options.all_roots = (flags & 1) != 0;
  if ((flags & 2) != 0) {
    options.limits.max_token = 40;
    options.limits.max_nodes = 10;
    options.limits.max_depth = 4;
    options.limits.max_size = 200;
  }
  (void)read_vbkv(bytes, options);
  ErrorPlace place;
  const auto tree = read_binary(bytes, options, &place);
  if (!tree) {
    FUZZ_CHECK(place.at.offset <= bytes.size());
    return;
  }
  FUZZ_CHECK(tree->consumed() >= 1 && tree->consumed() <= bytes.size());
  const auto written = write_binary(*tree, (flags & 4) != 0 ? EndMarker::alternate : EndMarker::standard);
  FUZZ_CHECK(written.has_value());
  FUZZ_CHECK(!options.all_roots || written->size() == tree->consumed());
  BinaryOptions again_options;
  again_options.all_roots = options.all_roots;
  const auto again = read_binary(*written, again_options);
  FUZZ_CHECK(again.has_value() && again->consumed() == written->size());
  FUZZ_CHECK(again->root().same_as(tree->root()));
  (void)write_text(*tree);
  (void)read_shortcuts(*tree);
  for (const Node child : tree->root().children()) {
    const std::string text = child.text();
    const auto value = Value::parse(child.type(), text);
    FUZZ_CHECK(child.is_block() || value.has_value());
    FUZZ_CHECK(child.is_block() || child.type() == Type::float32 || *value == child.value());
  }
}
