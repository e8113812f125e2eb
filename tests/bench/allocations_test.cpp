#include "support/allocations.h"

#include "support/test_support.h"

#include <corliss/crypto/depot_cipher.h>
#include <corliss/crypto/hash.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <thread>

namespace corliss::test {
namespace {

/// The optimiser may drop an allocation whose pointer nobody sees.
void use(void* pointer) {
  asm volatile("" : : "r"(pointer) : "memory");
}

TEST(Allocations, EveryWayIsCounted) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer tells its hooks of plain allocations only";
#endif
  const AllocationCount count;
  void* plain = std::malloc(100);
  use(plain);
  plain = std::realloc(plain, 200);
  use(plain);
  std::free(plain);
  void* zeroed = std::calloc(10, 30);
  use(zeroed);
  std::free(zeroed);
  void* aligned = std::aligned_alloc(64, 640);
  use(aligned);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 64, 0u);
  std::free(aligned);
  void* posix = nullptr;
  EXPECT_EQ(posix_memalign(&posix, 128, 1000), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(posix) % 128, 0u);
  use(posix);
  std::free(posix);
  const auto object = std::make_unique<std::array<char, 50>>();
  use(object.get());
  EXPECT_EQ(count.calls(), 6u);
  EXPECT_EQ(count.bytes(), 100u + 200 + 300 + 640 + 1000 + 50);
}

TEST(Allocations, OtherThreadsAreNotCounted) {
  std::size_t there = 0;
  const AllocationCount here;
  std::thread other([&there] {
    const AllocationCount count;
    for (int i = 0; i < 100; ++i) {
      use(std::make_unique<int>().get());
    }
    there = count.calls();
  });
  other.join();
  EXPECT_EQ(there, 100u);
  EXPECT_LT(here.calls(), 10u);  // what starting a thread takes
}

TEST(Allocations, DepotCipherAllocatesNothingOnceMade) {
  TestRng rng;
  const std::array<std::uint8_t, crypto::depot_key_size> key{};
  const std::array<std::uint8_t, crypto::depot_iv_size> iv{};
  crypto::DepotCipher cipher(key);
  const auto plain = rng.bytes(100000);
  std::vector<std::uint8_t> body(crypto::DepotCipher::sealed_size(plain.size()));
  ASSERT_TRUE(cipher.seal(plain, iv, body));  // warm
  ASSERT_TRUE(cipher.open(body));
  const AllocationCount count;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(cipher.seal(plain, iv, body));
    ASSERT_TRUE(cipher.open(body));
  }
  EXPECT_EQ(count.calls(), 0u);
}

TEST(Allocations, HashesAllocateNothing) {
  const std::vector<std::uint8_t> data(1000);
  const AllocationCount count;
  crypto::Sha1 sha1;
  crypto::Sha256 sha256;
  for (int i = 0; i < 10; ++i) {
    sha1.update(data);
    sha256.update(data);
    (void)sha1.finish();
    (void)sha256.finish();
  }
  EXPECT_EQ(count.calls(), 0u);
}

}  // namespace
}  // namespace corliss::test
