// Text KeyValues: whatever is accepted reads back the same after it was written. First byte: options.
#include "fuzz.h"

#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/text.h>

using namespace corliss;
using namespace corliss::keyvalues;

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  const std::uint8_t flags = input[0];
  const auto text = input.subspan(1);
  TextOptions options;
  options.escapes = (flags & 1) == 0;
  options.all_roots = (flags & 2) != 0;
  options.conditions = static_cast<ConditionMode>((flags >> 2) % 3);
  options.symbols = {"WIN32", "LINUX"};
  if ((flags & 16) != 0) {
    options.limits.max_token = 40;
    options.limits.max_nodes = 10;
    options.limits.max_depth = 4;
  }
  if ((flags & 32) != 0) {
    // Each name stands for itself: a file of one block, or the input again.
    options.resolver = [&](Directive, std::string_view name, std::string_view) -> Result<IncludedFile> {
      const auto bytes = name.size() % 2 == 0 ? bytes_of("inc { a { b 1 } c 2 }") : text;
      return IncludedFile{std::string(name), {bytes.begin(), bytes.end()}};
    };
    options.limits.max_include_depth = 2;
    options.limits.max_includes = 3;
  }
  ErrorPlace place;
  const auto tree = read_text(text, options, &place);
  if (!tree) {
    FUZZ_CHECK(place.at.offset <= text.size() || !place.file.empty());
    FUZZ_CHECK(!place.opened || place.opened->offset < place.at.offset);
    return;
  }
  const auto written = write_text(*tree);
  FUZZ_CHECK(written.has_value());
  TextOptions again_options = options;
  again_options.escapes = true;
  again_options.limits.max_token = Limits{}.max_token;
  again_options.conditions = ConditionMode::keep;
  const auto again = read_text(bytes_of(*written), again_options);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(again->node_count() == tree->node_count());
  if (options.conditions == ConditionMode::keep) {
    FUZZ_CHECK(again->root().same_as(tree->root()));
    FUZZ_CHECK(write_text(*again).value() == *written);
  }
  const auto binary = write_binary(*tree);
  FUZZ_CHECK(binary.has_value());
  const auto from_binary = read_binary(*binary);
  FUZZ_CHECK(from_binary.has_value() && from_binary->root().size() == tree->root().size());
  for (const Node child : tree->root().children()) {
    (void)child.get<std::int64_t>();
    (void)child.get<double>();
    FUZZ_CHECK(static_cast<bool>(tree->root()[child.name()]));
  }
}
