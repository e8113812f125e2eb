#include "support/test_support.h"
#include "vectors/keyvalues.h"

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

TEST(KeyValuesVectors, AllPass) {
  const auto report = vectors::check_keyvalues(test::data("keyvalues/keyvalues.json"));
  EXPECT_GE(report.cases, 119U);
  EXPECT_TRUE(report.skipped.empty());
  for (const auto& failure : report.failures) {
    ADD_FAILURE() << failure.name << ": " << failure.why;
  }
}

}  // namespace
}  // namespace corliss::keyvalues
