#include <corliss/base/secret.h>

#include <new>
#include <type_traits>

namespace corliss {
namespace {

static_assert(!std::is_copy_constructible_v<Secret<4>> && !std::is_copy_assignable_v<Secret<4>>);

TEST(Secret, WipesItselfAtItsEnd) {
  alignas(Secret<32>) unsigned char memory[sizeof(Secret<32>)];
  std::array<std::uint8_t, 32> key;
  key.fill(0x5a);
  auto* secret = new (memory) Secret<32>(key);
  EXPECT_TRUE(constant_time_equal(secret->reveal(), key));
  secret->~Secret();
  for (const unsigned char byte : memory) {
    EXPECT_EQ(byte, 0);
  }
}

TEST(Secret, MovingWipesTheSource) {
  std::array<std::uint8_t, 3> bytes{1, 2, 3};
  Secret<3> from(bytes);
  Secret<3> to(std::move(from));
  EXPECT_TRUE(constant_time_equal(to.reveal(), bytes));
  EXPECT_TRUE(
      constant_time_equal(from.reveal(), std::array<std::uint8_t, 3>{}));  // NOLINT(bugprone-use-after-move)
  from = std::move(to);
  EXPECT_TRUE(constant_time_equal(from.reveal(), bytes));
  EXPECT_TRUE(
      constant_time_equal(to.reveal(), std::array<std::uint8_t, 3>{}));  // NOLINT(bugprone-use-after-move)
}

TEST(ConstantTimeEqual, LooksAtEveryByteAndLength) {
  std::array<std::uint8_t, 20> a{};
  EXPECT_TRUE(constant_time_equal(a, a));
  EXPECT_TRUE(constant_time_equal({}, {}));
  EXPECT_FALSE(constant_time_equal(a, std::span(a).first(19)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto b = a;
    b[i] = 1;
    EXPECT_FALSE(constant_time_equal(a, b)) << i;
  }
}

}  // namespace
}  // namespace corliss
