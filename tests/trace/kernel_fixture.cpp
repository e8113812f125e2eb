#include "trace/kernel_fixture.h"

#include "support/test_support.h"
#include "trace/tracer.h"

#include <corliss/crypto/kernel.h>

#include <algorithm>
#include <cstdio>

namespace corliss::test {

void KernelFixture::SetUp() {
  if (const char* why = why_not_traceable()) {
    GTEST_SKIP() << why;
  }
  for (const auto& kernel : crypto::kernels()) {
    if (kernel.name == GetParam() && !kernel.supported) {
      GTEST_SKIP() << "this CPU lacks " << kernel.needs << ": kernel " << kernel.name
                   << " is not traced here";
    }
  }
}

void KernelFixture::expect_constant(std::string_view what, std::size_t size, const Verdict& verdict) {
  const auto title = std::string(GetParam()) + " " + std::string(what) + " " + std::to_string(size);
  EXPECT_EQ(verdict.fault, "") << title;
  std::printf("%s: %s\n", title.c_str(), verdict.summary.c_str());
}

std::vector<std::string_view> kernel_names() {
  std::vector<std::string_view> out;
  for (const auto& kernel : crypto::kernels()) {
    out.push_back(kernel.name);
  }
  return out;
}

std::string kernel_test_name(const ::testing::TestParamInfo<std::string_view>& info) {
  return std::string(info.param);
}

std::vector<std::uint8_t> secrets_of(std::size_t variant, std::size_t size) {
  if (variant < 2) {
    return std::vector<std::uint8_t>(size, variant == 0 ? 0 : 0xff);
  }
  return TestRng(seed() + variant).bytes(size);
}

SessionKey secret_key(std::size_t variant, std::size_t which) {
  SessionKey key{};
  const auto bytes = secrets_of(variant < 2 ? variant : variant + 1000 * (which + 1), key.size());
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

}  // namespace corliss::test
