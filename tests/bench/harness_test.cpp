#include "bench/harness.h"

#include "support/test_support.h"

namespace corliss::bench {
namespace {

using namespace std::chrono_literals;

TEST(Spread, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(spread({}).median, 0);
  EXPECT_EQ(spread({7}).median, 7);
  const auto odd = spread({5, 1, 100});
  EXPECT_EQ(odd.median, 5);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 100);
  EXPECT_EQ(spread({4, 1, 3, 2}).median, 2.5);
}

/// Counts, writes down its turn, and is wrong from the check number `wrong_at` on.
class Scripted final : public Subject {
 public:
  Scripted(std::string name, std::vector<std::string>& log, int wrong_at = 1000)
      : name_(std::move(name)), log_(log), wrong_at_(wrong_at) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::size_t units() const override { return 4; }
  void prepare() override { prepared_ = true; }
  void pass() override {
    EXPECT_TRUE(prepared_) << "every pass has its own preparation";
    prepared_ = false;
    if (log_.empty() || log_.back() != name_) {
      log_.push_back(name_);
    }
  }
  [[nodiscard]] std::string check() override { return ++checks_ >= wrong_at_ ? "byte 3 is wrong" : ""; }

 private:
  std::string name_;
  std::vector<std::string>& log_;
  int wrong_at_;
  int checks_ = 0;
  bool prepared_ = false;
};

constexpr Budget tiny{0ns, 1us, 6};

TEST(Group, AlternatesAndNobodyIsAlwaysFirst) {
  std::vector<std::string> log;
  Group group;
  for (const char* name : {"a", "b", "c"}) {
    group.add(std::make_unique<Scripted>(name, log));
  }
  group.measure(tiny);
  // The checks, the warm-up, then six rounds, and the checks again; equal neighbours are logged once.
  std::string expected;
  for (const char c : std::string("abc"
                                  "abc"
                                  "cba"
                                  "bca"
                                  "bac"
                                  "cab"
                                  "acb")) {
    if (expected.empty() || expected.back() != c) {
      expected += c;
    }
  }
  std::string seen;
  for (const auto& name : log) {
    seen += name;
  }
  EXPECT_EQ(seen, expected);
}

TEST(Group, MeasuresEachOnceARound) {
  std::vector<std::string> log;
  Group group;
  for (const char* name : {"a", "b"}) {
    group.add(std::make_unique<Scripted>(name, log));
  }
  group.measure(tiny);
  for (std::size_t i = 0; i < group.size(); ++i) {
    EXPECT_EQ(group.measurement(i).ns_per_unit.size(), tiny.min_rounds);
    EXPECT_EQ(group.measurement(i).allocations_per_unit, 0);
    EXPECT_EQ(group.ratio(i, i).median, 1);
    EXPECT_EQ(group.ratio(i, i).min, 1);
    EXPECT_EQ(group.ratio(i, i).max, 1);
  }
  const auto& a = group.measurement(0).ns_per_unit;
  const auto& b = group.measurement(1).ns_per_unit;
  std::vector<double> by_hand;
  for (std::size_t i = 0; i < a.size(); ++i) {
    by_hand.push_back(a[i] / b[i]);
  }
  EXPECT_EQ(group.ratio(0, 1).median, spread(by_hand).median) << "a ratio pairs the times of one round";
}

TEST(Group, GivesNoNumberForAWrongResult) {
  // Wrong at once, and wrong only after everything was timed.
  for (const int wrong_at : {1, 2}) {
    std::vector<std::string> log;
    Group group;
    group.add(std::make_unique<Scripted>("good", log));
    group.add(std::make_unique<Scripted>("bad", log, wrong_at));
    try {
      group.measure(tiny);
      FAIL() << "accepted a wrong result at check " << wrong_at;
    } catch (const WrongResult& wrong) {
      EXPECT_STREQ(wrong.what(), "bad: byte 3 is wrong");
    }
    EXPECT_EQ(log.empty(), wrong_at == 1) << "nothing runs after a wrong first check";
  }
}

}  // namespace
}  // namespace corliss::bench
