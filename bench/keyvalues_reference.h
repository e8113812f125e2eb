#pragma once

#include <corliss/base/bytes.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The plain way to read KeyValues, to measure ours against: recursive descent, every string copied, every
/// block a vector. No limits, no places, no conditions: for well-formed input only.
namespace corliss::bench {

struct PlainNode {
  std::string name;
  std::string value;
  bool is_block = false;
  std::vector<PlainNode> children;
};

[[nodiscard]] std::optional<PlainNode> plain_read_text(ConstBytes input);
[[nodiscard]] std::optional<PlainNode> plain_read_binary(ConstBytes input);

}  // namespace corliss::bench
