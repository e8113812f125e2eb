#include "bench/harness.h"

#include <algorithm>

#include <sys/resource.h>

namespace corliss::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Timed {
  std::chrono::nanoseconds time{};
  std::size_t units = 0;
  [[nodiscard]] double per_unit() const {
    return static_cast<double>(time.count()) / static_cast<double>(units);
  }
};

/// How often the kernel took the CPU away from this thread.
long switched_away() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Passes until `slice` is used up, preparation not counted.
Timed run_slice(Subject& subject, std::chrono::nanoseconds slice) {
  Timed timed;
  do {
    subject.prepare();
    const auto start = Clock::now();
    subject.pass();
    timed.time += Clock::now() - start;
    timed.units += subject.units();
  } while (timed.time < slice);
  return timed;
}

/// The same, again where the thread lost the CPU meanwhile: such a slice tells of the machine, not of the
/// subject. On a machine that is too busy the last try counts.
Timed run_quiet_slice(Subject& subject, std::chrono::nanoseconds slice) {
  constexpr int max_tries = 8;
  for (int attempt = 1;; ++attempt) {
    const long before = switched_away();
    const Timed timed = run_slice(subject, slice);
    if (switched_away() == before || attempt == max_tries) {
      return timed;
    }
  }
}

}  // namespace

Spread spread(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

std::size_t Group::add(std::unique_ptr<Subject> subject) {
  subjects_.push_back(std::move(subject));
  return subjects_.size() - 1;
}

void Group::check_all() const {
  for (const auto& subject : subjects_) {
    if (const std::string wrong = subject->check(); !wrong.empty()) {
      throw WrongResult(subject->name() + ": " + wrong);
    }
  }
}

void Group::measure(const Budget& budget) {
  check_all();
  measurements_.assign(subjects_.size(), {});
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    run_slice(*subjects_[i], budget.slice * 4);
    subjects_[i]->prepare();
    const auto before = allocations();
    subjects_[i]->pass();
    const auto after = allocations();
    const auto units = static_cast<double>(subjects_[i]->units());
    measurements_[i].allocations_per_unit = static_cast<double>(after.calls - before.calls) / units;
    measurements_[i].allocated_bytes_per_unit = static_cast<double>(after.bytes - before.bytes) / units;
  }
  const std::size_t count = subjects_.size();
  const auto end = Clock::now() + budget.total;
  for (std::size_t round = 0; round < budget.min_rounds || Clock::now() < end; ++round) {
    for (std::size_t step = 0; step < count; ++step) {
      const std::size_t turn = (round / 2 + step) % count;
      const std::size_t i = round % 2 == 0 ? turn : count - 1 - turn;
      // The first pass pays for what the subject before it pushed out of the caches.
      subjects_[i]->prepare();
      subjects_[i]->pass();
      measurements_[i].ns_per_unit.push_back(run_quiet_slice(*subjects_[i], budget.slice).per_unit());
    }
  }
  check_all();
}

Spread Group::ratio(std::size_t subject, std::size_t base) const {
  const auto& mine = measurement(subject).ns_per_unit;
  const auto& theirs = measurement(base).ns_per_unit;
  std::vector<double> ratios(std::min(mine.size(), theirs.size()));
  std::transform(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(ratios.size()), theirs.begin(),
                 ratios.begin(), [](double a, double b) { return a / b; });
  return spread(std::move(ratios));
}

double quick_time(Subject& subject, std::chrono::nanoseconds total) {
  std::vector<double> times;
  run_slice(subject, total / 10);
  const auto end = Clock::now() + total;
  do {
    times.push_back(run_quiet_slice(subject, total / 20).per_unit());
  } while (Clock::now() < end);
  return spread(std::move(times)).median;
}

}  // namespace corliss::bench
