#pragma once

#include "trace/packets.h"
#include "trace/runs.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace corliss::test {

/// A named kernel that this CPU can run, or a test skipped aloud.
class KernelFixture : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override;
  static void expect_constant(std::string_view what, std::size_t size, const Verdict& verdict);
};

[[nodiscard]] std::vector<std::string_view> kernel_names();
[[nodiscard]] std::string kernel_test_name(const ::testing::TestParamInfo<std::string_view>& info);

/// Secrets of variant 0 (zeros), 1 (ones) and of more (random).
[[nodiscard]] std::vector<std::uint8_t> secrets_of(std::size_t variant, std::size_t size);
/// The same as a key, number `which` of that variant.
[[nodiscard]] SessionKey secret_key(std::size_t variant, std::size_t which);

}  // namespace corliss::test
