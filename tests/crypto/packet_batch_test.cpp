#include "crypto/kernels.h"
#include "crypto/packet_support.h"

#include <corliss/crypto/packet_cipher.h>

#include <deque>

namespace corliss::crypto {
namespace {

/// Items over buffers of their own, sealed from plaintext in place or apart.
class Batch {
 public:
  Batch(test::TestRng& rng, std::span<const PacketCipher> ciphers, std::span<const Vec> keys,
        std::span<const std::size_t> sizes)
      : ciphers_(ciphers) {
    for (const auto size : sizes) {
      const auto session = rng.between(0, ciphers.size() - 1);
      sessions_.push_back(session);
      plains_.push_back(rng.bytes(size));
      buffers_.push_back(rng.bytes(sealed_size(size) + rng.between(0, 3)));
      SealItem item;
      item.cipher = &ciphers[session];
      (void)rng.fill(item.nonce);
      item.out = buffers_.back();
      if (rng.between(0, 1) == 0) {
        item.plain = plains_.back();
      } else {
        std::copy(plains_.back().begin(), plains_.back().end(), buffers_.back().begin() + packet_iv_size);
        item.plain = item.out.subspan(packet_iv_size, size);
      }
      expected_.push_back(reference::seal(keys[session], item.nonce, plains_.back()));
      seal_.push_back(item);
    }
  }

  void seal_and_check() {
    seal_batch(seal_);
    for (std::size_t i = 0; i < seal_.size(); ++i) {
      ASSERT_FALSE(seal_[i].error) << i << seal_[i].error.message();
      ASSERT_EQ(copy(seal_[i].sealed), expected_[i]) << i << " of " << plains_[i].size() << " bytes";
    }
  }

  /// Opens all packets, those that `forge` picks with a bit changed.
  void open_and_check(test::TestRng& rng, const std::function<bool(std::size_t)>& forge) {
    std::vector<OpenItem> items;
    for (std::size_t i = 0; i < seal_.size(); ++i) {
      items.push_back({&ciphers_[sessions_[i]], seal_[i].sealed, {}, {}});
      if (forge(i)) {
        const auto bit = rng.between(0, seal_[i].sealed.size() * 8 - 1);
        auto& byte = seal_[i].sealed[bit / 8];
        byte = static_cast<std::uint8_t>(byte ^ (1U << (bit % 8)));
      }
    }
    open_batch(items);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (forge(i)) {
        ASSERT_EQ(items[i].error, Errc::unauthenticated) << i;
        ASSERT_TRUE(items[i].plain.empty());
        ASSERT_EQ(copy(items[i].sealed), Vec(items[i].sealed.size())) << "wiped";
      } else {
        ASSERT_FALSE(items[i].error) << i << " of " << plains_[i].size() << " bytes";
        ASSERT_EQ(items[i].plain.data(), items[i].sealed.data() + packet_iv_size);
        ASSERT_EQ(copy(items[i].plain), plains_[i]) << i;
        ASSERT_EQ(copy(items[i].sealed.first(packet_iv_size)),
                  copy(ConstBytes(expected_[i]).first(packet_iv_size)))
            << "as one by one: the encrypted IV stays";
      }
    }
  }

 private:
  std::span<const PacketCipher> ciphers_;
  std::vector<std::size_t> sessions_;
  std::deque<Vec> plains_;
  std::deque<Vec> buffers_;
  std::vector<Vec> expected_;
  std::vector<SealItem> seal_;
};

class PacketBatch : public testing::TestWithParam<std::string> {
 protected:
  test::TestRng rng_;
  std::vector<Vec> keys_;
  std::vector<PacketCipher> ciphers_;

  void add_session(const std::string& kernel) {
    keys_.push_back(rng_.bytes(session_key_size));
    ciphers_.emplace_back(key_of(keys_.back()), kernel);
  }
  void check(const std::vector<std::size_t>& sizes, const std::function<bool(std::size_t)>& forge) {
    Batch batch(rng_, ciphers_, keys_, sizes);
    ASSERT_NO_FATAL_FAILURE(batch.seal_and_check());
    ASSERT_NO_FATAL_FAILURE(batch.open_and_check(rng_, forge));
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, PacketBatch, testing::ValuesIn(supported_kernels()), name_of_kernel);

TEST_P(PacketBatch, EqualsOneByOneForEveryNumber) {
  add_session(GetParam());
  for (std::size_t count = 0; count <= 140; count += count < 36 ? 1 : 13) {
    SCOPED_TRACE(count);
    check(std::vector<std::size_t>(count, 670), [&](std::size_t i) { return count > 2 && i == count / 2; });
  }
}

TEST_P(PacketBatch, EqualsOneByOneForEveryNumberOfMixedSizes) {
  add_session(GetParam());
  add_session(GetParam());
  for (std::size_t count = 1; count <= 70; ++count) {
    SCOPED_TRACE(count);
    std::vector<std::size_t> sizes(count);
    for (auto& size : sizes) {
      size = rng_.between(0, rng_.between(0, 7) == 0 ? 1500 : 250);
    }
    check(sizes, [&](std::size_t i) { return i % 5 == count % 5; });
  }
}

TEST_P(PacketBatch, EqualsOneByOneForEverySize) {
  add_session(GetParam());
  for (std::size_t from = 0; from < 600; from += 50) {
    std::vector<std::size_t> sizes;
    for (std::size_t size = from; size < from + 50; ++size) {
      sizes.push_back(size);
    }
    check(sizes, [](std::size_t i) { return i % 10 == 3; });
    std::reverse(sizes.begin(), sizes.end());
    check(sizes, [](std::size_t) { return false; });
  }
}

TEST_P(PacketBatch, EqualsOneByOneForAnyMixOfSizesAndSessions) {
  for (int i = 0; i < 5; ++i) {
    add_session(GetParam());
  }
  for (int round = 0; round < 60; ++round) {
    std::vector<std::size_t> sizes(rng_.between(1, 100));
    for (auto& size : sizes) {
      size = rng_.between(0, rng_.between(0, 7) == 0 ? 5000 : 300);
    }
    const auto every = rng_.between(2, 9);
    check(sizes, [&](std::size_t i) { return i % every == 1; });
  }
}

TEST_P(PacketBatch, EveryPaddingAtEveryLength) {
  add_session(GetParam());
  for (std::size_t length = 16; length <= 16 * 9; length += 16) {
    std::vector<Vec> packets;
    for (std::size_t pad = 0; pad <= 18; ++pad) {
      const bool good = pad >= 1 && pad <= 16;
      auto padded = rng_.bytes(length - (good ? pad : 1));
      const Vec nonce = rng_.bytes(3);
      auto iv = reference::mac(keys_[0], nonce, padded);
      iv.resize(13);
      iv.insert(iv.end(), nonce.begin(), nonce.end());
      padded.resize(length, static_cast<std::uint8_t>(pad));
      packets.push_back(reference::encrypt_padded(keys_[0], iv, padded));
    }
    std::vector<OpenItem> items;
    for (auto& packet : packets) {
      items.push_back({&ciphers_[0], packet, {}, {}});
    }
    open_batch(items);
    for (std::size_t pad = 0; pad <= 18; ++pad) {
      ASSERT_EQ(!items[pad].error, pad >= 1 && pad <= 16) << pad << " at " << length;
      ASSERT_EQ(items[pad].plain.size(), items[pad].error ? 0 : length - pad);
    }
  }
}

TEST_P(PacketBatch, EachItemHasItsOwnResult) {
  add_session(GetParam());
  const auto& cipher = ciphers_[0];
  const Vec plain = rng_.bytes(100);
  std::deque<Vec> buffers;
  std::vector<SealItem> seal;
  for (std::size_t i = 0; i < 9; ++i) {
    buffers.emplace_back(sealed_size(100), 0xcc);
    seal.push_back({&cipher, plain, {1, 2, 3}, buffers.back(), {}, {}});
  }
  seal[2].out = seal[2].out.first(sealed_size(100) - 1);
  seal[4].plain = ConstBytes(plain.data(), max_plaintext_size + 1);
  seal[6].plain = seal[6].out.subspan(3, 100);
  seal_batch(seal);
  for (std::size_t i = 0; i < seal.size(); ++i) {
    const auto expected = i == 2   ? std::error_code(BaseErrc::buffer_too_small)
                          : i == 4 ? std::error_code(Errc::too_large)
                          : i == 6 ? std::error_code(Errc::buffers_overlap)
                                   : std::error_code{};
    ASSERT_EQ(seal[i].error, expected) << i;
    if (expected) {
      EXPECT_TRUE(seal[i].sealed.empty());
      EXPECT_EQ(buffers[i], Vec(buffers[i].size(), 0xcc)) << "nothing written";
    } else {
      EXPECT_EQ(copy(seal[i].sealed), reference::seal(keys_[0], seal[i].nonce, plain));
    }
  }
  std::vector<OpenItem> open;
  for (auto& buffer : buffers) {
    open.push_back({&cipher, buffer, {}, {}});
  }
  open[0].sealed = open[0].sealed.first(31);
  open[1].sealed = open[1].sealed.first(0);
  open[3].sealed = open[3].sealed.first(33);
  open_batch(open);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const bool good = i == 5 || i >= 7;
    ASSERT_EQ(open[i].error, good ? std::error_code{} : Errc::unauthenticated) << i;
    ASSERT_EQ(copy(open[i].plain), good ? plain : Vec{});
  }
  EXPECT_EQ(copy(ConstBytes(buffers[0]).first(31)), Vec(31)) << "wiped";
}

TEST(PacketBatches, OfAllKernelsAtOnce) {
  test::TestRng rng;
  std::vector<Vec> keys;
  std::vector<PacketCipher> ciphers;
  for (int i = 0; i < 3; ++i) {
    for (const auto& kernel : supported_kernels()) {
      keys.push_back(rng.bytes(session_key_size));
      ciphers.emplace_back(key_of(keys.back()), kernel);
    }
  }
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> sizes(rng.between(1, 150));
    for (auto& size : sizes) {
      size = rng.between(0, 900);
    }
    Batch batch(rng, ciphers, keys, sizes);
    ASSERT_NO_FATAL_FAILURE(batch.seal_and_check());
    ASSERT_NO_FATAL_FAILURE(batch.open_and_check(rng, [](std::size_t i) { return i % 7 == 6; }));
  }
}

}  // namespace
}  // namespace corliss::crypto
