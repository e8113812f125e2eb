// A script is refused with a line of text, or all its rules mean something.
#include "fuzz.h"

#include <corliss/base/bytes.h>
#include <corliss/sim/errc.h>
#include <corliss/sim/faults.h>

void fuzz(std::span<const std::uint8_t> input) {
  using namespace corliss;
  std::string why;
  const auto rules = sim::parse_fault_script(text_of(input), why);
  if (!rules) {
    FUZZ_CHECK(!why.empty() && why.find('\n') == std::string::npos);
    FUZZ_CHECK(rules.error() == sim::Errc::bad_script || rules.error() == sim::Errc::script_too_large);
    return;
  }
  for (const auto& rule : *rules) {
    FUZZ_CHECK(sim::check(rule));
    FUZZ_CHECK(rule.by <= sim::max_fault_delay && rule.percent <= 100);
    FUZZ_CHECK(rule.first_connection <= rule.last_connection);
  }
}
