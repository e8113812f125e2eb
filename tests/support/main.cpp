#include "support/test_support.h"

#include <cinttypes>
#include <cstdio>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!GTEST_FLAG_GET(list_tests)) {
    std::printf("CORLISS_TEST_SEED=%" PRIu64 "\n", corliss::test::seed());
  }
  return RUN_ALL_TESTS();
}
