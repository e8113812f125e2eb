#pragma once

#include "bench/allocations.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/// The pairing harness: several ways of doing the same work, alternating in one process, so that whatever
/// else the machine does hits all of them alike. Results are checked first; a wrong one gets no number.
namespace corliss::bench {

struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};

/// Median (of an even count: the mean of the middle two), smallest and largest. Zeros for no values.
[[nodiscard]] Spread spread(std::vector<double> values);

/// Thrown before anything is timed, or after it, where a result is wrong.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One way of doing the work. All of a group do the same.
class Subject {
 public:
  virtual ~Subject() = default;
  /// For messages.
  [[nodiscard]] virtual std::string name() const = 0;
  /// How many units (packets, files …) one pass handles.
  [[nodiscard]] virtual std::size_t units() const = 0;
  /// Puts the input in place; not timed, called before each pass.
  virtual void prepare() {}
  /// The work; timed.
  virtual void pass() = 0;
  /// Runs the work and looks at every byte of the result. What is wrong, or empty.
  [[nodiscard]] virtual std::string check() = 0;
};

/// What one subject showed.
struct Measurement {
  std::vector<double> ns_per_unit;  ///< one value a round
  double allocations_per_unit = 0;
  double allocated_bytes_per_unit = 0;
};

struct Budget {
  std::chrono::nanoseconds total = std::chrono::seconds(1);         ///< for the whole group, without warm-up
  std::chrono::nanoseconds slice = std::chrono::microseconds(150);  ///< at least, each subject in each round
  std::size_t min_rounds = 9;
};

class Group {
 public:
  /// Returns its index.
  std::size_t add(std::unique_ptr<Subject> subject);
  [[nodiscard]] std::size_t size() const noexcept { return subjects_.size(); }

  /// Checks every subject, warms up, counts allocations of one pass, then times all of them round by round:
  /// each once a round, forwards and backwards in turn, starting one later each time. Checks again. Throws
  /// WrongResult.
  void measure(const Budget& budget);

  [[nodiscard]] const Measurement& measurement(std::size_t subject) const {
    return measurements_.at(subject);
  }
  [[nodiscard]] Spread time(std::size_t subject) const { return spread(measurement(subject).ns_per_unit); }
  /// Time of `subject` over time of `base`, taken round by round.
  [[nodiscard]] Spread ratio(std::size_t subject, std::size_t base) const;

 private:
  void check_all() const;

  std::vector<std::unique_ptr<Subject>> subjects_;
  std::vector<Measurement> measurements_;
};

/// Runs `subject` alone for about `total` and returns the median time per unit: to choose among variants.
[[nodiscard]] double quick_time(Subject& subject, std::chrono::nanoseconds total);

}  // namespace corliss::bench
