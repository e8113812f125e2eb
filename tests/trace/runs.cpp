#include "trace/runs.h"

#include <iomanip>
#include <map>
#include <optional>
#include <sstream>

namespace corliss::test {
namespace {

// Empty where the two outcomes part as they may; else what is wrong.
std::string judge_parting(const Trace& first, const Difference& difference, const MayTell& may_tell) {
  if (!difference.is_branch) {
    return "as an address";
  }
  if (first.steps.size() - difference.step > may_tell.steps_left) {
    return "too early";
  }
  const auto function = function_at(difference.rip);
  for (const auto& name : may_tell.functions) {
    if (function.find(name) != std::string::npos) {
      return {};
    }
  }
  return "in a function that may not tell";
}

}  // namespace

Verdict judge(const std::vector<Variant>& variants, const MakeSubject& make, const MayTell& may_tell) {
  const auto traces = trace_all(variants.size(), make);
  std::map<std::string, std::size_t> first_of;  // outcome: the run that the others of it are compared with
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto& [name, outcome] = variants[i];
    if (traces[i].problem != Problem::none) {
      return {name + ": " + traces[i].describe_problem(), {}};
    }
    const auto [known, is_new] = first_of.try_emplace(outcome, i);
    if (is_new) {
      continue;
    }
    if (const auto difference = first_difference(traces[known->second], traces[i])) {
      std::ostringstream fault;
      fault << '"' << variants[known->second].name << "\" and \"" << name << "\" are both " << outcome
            << ", and differ at " << difference->text;
      return {fault.str(), {}};
    }
  }

  std::ostringstream summary;
  summary << variants.size() << " runs";
  for (const auto& [outcome, run] : first_of) {
    summary << ", " << outcome << ' ' << traces[run].steps.size() << " steps " << std::hex << std::setw(16)
            << std::setfill('0') << traces[run].hash() << std::dec;
  }
  const auto& [first_outcome, first_run] = *first_of.begin();
  for (const auto& [outcome, run] : first_of) {
    if (run == first_run) {
      continue;
    }
    const auto difference = first_difference(traces[first_run], traces[run]);
    if (!difference) {
      summary << "; " << outcome << " as " << first_outcome;
      continue;
    }
    summary << "; " << outcome << " parts at step " << difference->step;
    if (const auto wrong = judge_parting(traces[first_run], *difference, may_tell); !wrong.empty()) {
      std::ostringstream fault;
      fault << outcome << " and " << first_outcome << " show " << wrong << ": " << difference->text;
      return {fault.str(), summary.str()};
    }
  }
  return {{}, summary.str()};
}

}  // namespace corliss::test
