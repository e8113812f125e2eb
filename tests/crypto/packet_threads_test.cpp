#include "crypto/packet_support.h"

#include <corliss/crypto/packet_cipher.h>

#include <array>
#include <atomic>
#include <thread>

namespace corliss::crypto {
namespace {

class PacketThreads : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, PacketThreads, testing::ValuesIn(supported_kernels()), name_of_kernel);

TEST_P(PacketThreads, ShareOneObject) {
  test::TestRng rng;
  const auto key = rng.bytes(session_key_size);
  const PacketCipher cipher(key_of(key), GetParam());
  const LegacyPacketCipher legacy(key_of(key), GetParam());
  const auto plain = rng.bytes(670);
  const Nonce nonce{1, 2, 3};
  const auto packet = reference::seal(key, nonce, plain);
  std::atomic<int> wrong{0};
  const auto work = [&] {
    Vec buffer(1000);
    for (int i = 0; i < 400; ++i) {
      const auto sealed = cipher.seal(plain, nonce, buffer);
      if (!sealed || copy(*sealed) != packet) {
        ++wrong;
        continue;
      }
      const auto opened = cipher.open(*sealed);
      if (!opened || copy(*opened) != plain) {
        ++wrong;
      }
      const auto old = legacy.seal(plain, buffer);
      if (!old || !legacy.open(*old)) {
        ++wrong;
      }
      auto forged = packet;
      forged[40] ^= 1;
      if (cipher.open(forged)) {
        ++wrong;
      }
    }
  };
  std::array<std::thread, 4> threads;
  for (auto& thread : threads) {
    thread = std::thread(work);
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace corliss::crypto
