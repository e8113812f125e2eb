#include <corliss/base/fault.h>
#include <corliss/base/result.h>

namespace corliss {
namespace {

TEST(Fault, EveryBaseErrcHasTextAndFault) {
  EXPECT_EQ(std::error_code(BaseErrc::truncated), Fault::malformed);
  EXPECT_EQ(std::error_code(BaseErrc::trailing_bytes), Fault::malformed);
  EXPECT_EQ(std::error_code(BaseErrc::bad_hex), Fault::malformed);
  EXPECT_EQ(std::error_code(BaseErrc::buffer_too_small), Fault::local);
  EXPECT_EQ(std::error_code(BaseErrc::random_unavailable), Fault::local);
  EXPECT_NE(std::error_code(BaseErrc::truncated), Fault::local);
  EXPECT_EQ(std::error_code(BaseErrc::truncated).message(), "the input ends too early");
}

TEST(Fault, UnknownNumbersMatchNoFault) {
  const std::error_code code(1000, std::error_code(BaseErrc::truncated).category());
  EXPECT_EQ(code.message(), "unknown error 1000");
  EXPECT_NE(code, Fault::malformed);
  const std::error_code zero(0, std::error_code(BaseErrc::truncated).category());
  EXPECT_NE(zero, Fault::local);
}

Result<int> half(int value) {
  if (value % 2 != 0) {
    return fail(BaseErrc::truncated);
  }
  return value / 2;
}

Result<int> quarter(int value) {
  CORLISS_TRY(const int first, half(value));
  CORLISS_CHECK(half(first));
  return half(first);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error(), BaseErrc::truncated);
  EXPECT_EQ(quarter(5).error(), BaseErrc::truncated);
}

}  // namespace
}  // namespace corliss
