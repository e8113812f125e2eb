#pragma once

#include <corliss/base/result.h>
#include <corliss/keyvalues/value.h>

#include <string_view>

namespace corliss::keyvalues {

/// The conditions of a node, without their brackets; empty where there is none. Only kept on request.
struct NodeConditions {
  std::string_view after_name;   ///< `"key" [$WIN32] "value"`, `"key" [$WIN32] {`
  std::string_view after_value;  ///< `"key" "value" [$WIN32]`
  friend bool operator==(const NodeConditions&, const NodeConditions&) = default;
};

enum class Directive { include, base };

/// What the reader does next.
enum class Next {
  go_on,
  skip,  ///< After `on_block`: no events for what is inside, nor its `on_end`. Elsewhere like go_on.
  stop,  ///< No further events; the rest of the input is not looked at.
};

/// Takes KeyValues as events, in the order of the document. Streams, trees (`walk`), builders and writers all
/// speak it, so they can be put behind each other; a filter is a visitor that hands on to another.
///
/// Every view lives until the call returns. The reader refuses malformed input when it comes to it: events
/// before it were already given, so commit nothing before the stream's `finish` succeeded.
class Visitor {
 public:
  virtual ~Visitor() = default;
  [[nodiscard]] virtual Next on_block(std::string_view name, const NodeConditions& conditions) = 0;
  [[nodiscard]] virtual Next on_leaf(std::string_view name, const Value& value,
                                     const NodeConditions& conditions) = 0;
  [[nodiscard]] virtual Next on_end() = 0;
  /// `#include "file"` or `#base "file"` between roots, text only. Success: noted, go on. The default fails
  /// with Errc::directive.
  [[nodiscard]] virtual Result<void> on_directive(Directive directive, std::string_view file);

 protected:
  Visitor() = default;
  Visitor(const Visitor&) = default;
  Visitor& operator=(const Visitor&) = default;
};

}  // namespace corliss::keyvalues
