#include "sim/fault_table.h"

#include <corliss/sim/errc.h>
#include <corliss/sim/faults.h>

#include <algorithm>
#include <iterator>

namespace corliss::sim {
std::string_view name_of(FaultKind kind) noexcept {
  return fault_table[static_cast<std::size_t>(kind)].name;
}

Schemes schemes_of(FaultKind kind) noexcept {
  return fault_table[static_cast<std::size_t>(kind)].on;
}

Result<void> check(const FaultRule& rule) noexcept {
  if ((schemes_of(rule) & rule.on).empty()) {
    return fail(Errc::bad_fault);
  }
  return {};
}

FaultRules rules_for(const FaultRules& all, Scheme transport, std::uint64_t number) {
  FaultRules mine;
  std::copy_if(all.begin(), all.end(), std::back_inserter(mine), [&](const FaultRule& rule) {
    return (rule.on & schemes_of(rule)).has(transport) && rule.first_connection <= number &&
           number <= rule.last_connection;
  });
  return mine;
}

}  // namespace corliss::sim
