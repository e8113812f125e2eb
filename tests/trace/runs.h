#pragma once

#include "trace/tracer.h"

#include <string>
#include <string_view>
#include <vector>

/// Judges the traces of one piece of code under many secrets.
namespace corliss::test {

struct Variant {
  std::string name;  ///< "pad 7, bad MAC"
  std::string
      outcome;  ///< What the code tells on purpose: "accepted", "refused"; one word where it tells nothing.
};

/// Where different outcomes may part.
struct MayTell {
  std::vector<std::string> functions;  ///< One of these stands in the name of the branching function.
  /// Instructions that the run of the first outcome (by alphabet) may have left when they part.
  std::size_t steps_left = 0;
};

struct Verdict {
  std::string fault;    ///< Empty: constant time, as far as traces show it.
  std::string summary;  ///< Runs, steps and hashes, for people.
};

/// `make` makes the subject of each variant. All are traced; runs of one outcome must leave one trace, from
/// the call to the return, and runs of different outcomes must part at a branch where they may.
[[nodiscard]] Verdict judge(const std::vector<Variant>& variants, const MakeSubject& make,
                            const MayTell& may_tell = {});

}  // namespace corliss::test
