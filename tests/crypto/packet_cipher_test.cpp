#include "crypto/kernels.h"
#include "crypto/packet_support.h"

#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/random_pool.h>

#include <cstring>
#include <set>

#include <sys/mman.h>

namespace corliss::crypto {
namespace {

class PacketCipherTest : public testing::TestWithParam<std::string> {
 protected:
  test::TestRng rng_;
  Vec key_ = rng_.bytes(session_key_size);
  PacketCipher cipher_{key_of(key_), GetParam()};
  LegacyPacketCipher legacy_{key_of(key_), GetParam()};

  Nonce nonce() {
    Nonce out;
    (void)rng_.fill(out);
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, PacketCipherTest, testing::ValuesIn(supported_kernels()), name_of_kernel);

/// `size` bytes whose end, or whose start, touches a page that nobody may read or write.
class Guarded {
 public:
  enum Side { end, start };
  Guarded(std::size_t size, Side side) : pages_((size + 2 * page - 1) / page * page + 2 * page) {
    base_ = static_cast<std::uint8_t*>(
        mmap(nullptr, pages_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_, page, PROT_NONE);
    mprotect(base_ + pages_ - page, page, PROT_NONE);
    bytes_ = {side == end ? base_ + pages_ - page - size : base_ + page, size};
  }
  ~Guarded() { munmap(base_, pages_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  static constexpr std::size_t page = 4096;
  std::size_t pages_;
  std::uint8_t* base_;
  Bytes bytes_;
};

TEST_P(PacketCipherTest, AgreesWithTheReferenceOnRandomSizes) {
  for (int i = 0; i < 400; ++i) {
    const auto size = rng_.between(0, i < 200 ? 300 : 5000);
    SCOPED_TRACE(size);
    const auto plain = rng_.bytes(size);
    const auto random = nonce();
    const auto iv = rng_.bytes(packet_iv_size);
    Vec out(sealed_size(size) + rng_.between(0, 40));
    const auto packet = cipher_.seal(plain, random, out);
    ASSERT_TRUE(packet);
    ASSERT_EQ(copy(*packet), reference::seal(key_, random, plain));
    ASSERT_EQ(copy(*cipher_.open(*packet)), plain);
    const auto old = legacy_.seal(plain, std::span<const std::uint8_t, packet_iv_size>(iv), out);
    ASSERT_TRUE(old);
    ASSERT_EQ(copy(*old), reference::seal_legacy(key_, iv, plain));
    ASSERT_EQ(copy(*legacy_.open(*old)), plain);

    Vec mac(20);
    const auto* kernel = (*detail::find_kernel(GetParam()))->functions;
    const auto* session = kernel->make(key_of(key_));
    kernel->mac(*session, random.data(), plain.data(), plain.size(), mac.data());
    kernel->destroy(session);
    ASSERT_EQ(mac, reference::mac(key_, random, plain));
  }
}

TEST_P(PacketCipherTest, AgreesWithTheReferenceOnForgedPackets) {
  int accepted_legacy = 0;
  for (int i = 0; i < 600; ++i) {
    const auto size = rng_.between(0, 400);
    auto packet = reference::seal(key_, nonce(), rng_.bytes(size));
    for (auto n = rng_.between(1, 3); n != 0; --n) {
      const auto bit = rng_.between(0, packet.size() * 8 - 1);
      packet[bit / 8] = static_cast<std::uint8_t>(packet[bit / 8] ^ (1U << (bit % 8)));
    }
    const auto expected = reference::open_legacy(key_, packet);
    auto copy_of_packet = packet;
    const auto old = legacy_.open(copy_of_packet);
    ASSERT_EQ(old.has_value(), expected.has_value());
    if (old) {
      ++accepted_legacy;
      ASSERT_EQ(copy(*old), *expected);
    }
    const bool authentic = reference::open(key_, packet).has_value();  // first: `open` works in place
    ASSERT_EQ(cipher_.open(packet).has_value(), authentic);
  }
  EXPECT_GT(accepted_legacy, 0) << "the mix must hold both outcomes";
}

TEST_P(PacketCipherTest, EveryPaddingAtEveryLength) {
  for (std::size_t length = 16; length <= 16 * 21; length += 16) {
    for (std::size_t pad = 0; pad <= 18; ++pad) {
      SCOPED_TRACE(testing::Message() << length << " bytes, padding " << pad);
      const bool good = pad >= 1 && pad <= 16;
      const std::size_t size = length - (good ? pad : 1);  // a wrong padding counts as one byte
      auto padded = rng_.bytes(size);
      const auto random = nonce();
      auto iv = reference::mac(key_, random, padded);
      iv.resize(13);
      iv.insert(iv.end(), random.begin(), random.end());
      const auto plain = padded;
      padded.resize(length, static_cast<std::uint8_t>(pad));
      const auto packet = reference::encrypt_padded(key_, iv, padded);
      auto buffer = packet;
      const auto opened = cipher_.open(buffer);
      ASSERT_EQ(opened.has_value(), good);
      if (good) {
        ASSERT_EQ(copy(*opened), plain);
        // One changed padding byte, the MAC still right: only the full check sees it.
        for (std::size_t i = 1; i < pad; ++i) {
          auto bad = padded;
          bad[length - 1 - i] ^= 0x10;
          buffer = reference::encrypt_padded(key_, iv, bad);
          ASSERT_FALSE(cipher_.open(buffer)) << i;
          buffer = reference::encrypt_padded(key_, iv, bad);
          ASSERT_FALSE(legacy_.open(buffer)) << i;
        }
      }
    }
  }
}

TEST_P(PacketCipherTest, AnyChangeToTheLastBlockOfWholeBlocksIsRefused) {
  for (const std::size_t size : {0, 16, 32, 48, 64, 80, 96, 640, 672}) {
    SCOPED_TRACE(size);
    const auto packet = reference::seal(key_, nonce(), rng_.bytes(size));
    for (std::size_t at = packet.size() - 32; at < packet.size(); ++at) {
      for (int change = 1; change < 256; change += 3) {
        auto forged = packet;
        forged[at] = static_cast<std::uint8_t>(forged[at] ^ change);
        ASSERT_EQ(cipher_.open(forged).error(), Errc::unauthenticated) << at;
      }
    }
  }
}

TEST_P(PacketCipherTest, EveryBadLengthIsRefusedAndWiped) {
  for (std::size_t size = 0; size < 300; ++size) {
    if (size >= 32 && size % 16 == 0) {
      continue;
    }
    SCOPED_TRACE(size);
    Vec out(size + 20, 7);
    auto packet = rng_.bytes(size);
    const auto apart = cipher_.open(ConstBytes(packet), Bytes(out));
    ASSERT_FALSE(apart);
    EXPECT_EQ(apart.error(), Errc::unauthenticated);
    const std::size_t part = size < 16 ? 0 : size - 16;
    EXPECT_EQ(out, [&] {
      Vec expected(size + 20, 7);
      std::fill_n(expected.begin(), part, 0);
      return expected;
    }());
    auto again = packet;
    EXPECT_EQ(cipher_.open(packet).error(), Errc::unauthenticated);
    EXPECT_EQ(packet, Vec(size));
    EXPECT_EQ(legacy_.open(again).error(), Errc::unauthenticated);
    EXPECT_EQ(again, Vec(size));
  }
}

TEST_P(PacketCipherTest, TouchesNothingOutsideItsBuffers) {
  for (const auto side : {Guarded::end, Guarded::start}) {
    for (std::size_t size = 0; size < 420; ++size) {
      const Guarded plain(size, side);
      const Guarded sealed(sealed_size(size), side);
      const Guarded opened(sealed_size(size) - packet_iv_size, side);
      const auto random = nonce();
      (void)rng_.fill(plain.bytes());
      const auto packet = cipher_.seal(plain.bytes(), random, sealed.bytes());
      ASSERT_TRUE(packet);
      ASSERT_EQ(copy(*packet), reference::seal(key_, random, plain.bytes()));
      ASSERT_EQ(copy(*cipher_.open(ConstBytes(*packet), opened.bytes())), copy(plain.bytes()));
      ASSERT_EQ(copy(*legacy_.open(ConstBytes(*packet), opened.bytes())), copy(plain.bytes()));
      ASSERT_EQ(copy(*cipher_.open(sealed.bytes())), copy(plain.bytes()));
      const auto in_place = sealed.bytes().subspan(packet_iv_size, size);
      ASSERT_TRUE(legacy_.seal(in_place, sealed.bytes()));
      ASSERT_EQ(copy(*legacy_.open(sealed.bytes())), copy(plain.bytes()));
      ASSERT_TRUE(cipher_.seal(in_place, random, sealed.bytes()));
      SealItem seal{&cipher_, plain.bytes(), random, sealed.bytes()};
      seal_batch({&seal, 1});
      OpenItem open{&cipher_, sealed.bytes()};
      open_batch({&open, 1});
      ASSERT_EQ(copy(open.plain), copy(plain.bytes()));
    }
  }
}

TEST_P(PacketCipherTest, ABufferTooSmallIsRefusedBeforeAnythingIsWritten) {
  const auto plain = rng_.bytes(100);
  Vec out(sealed_size(plain.size()) - 1, 9);
  EXPECT_EQ(cipher_.seal(plain, nonce(), out).error(), BaseErrc::buffer_too_small);
  EXPECT_EQ(cipher_.seal(plain, out).error(), BaseErrc::buffer_too_small);
  EXPECT_EQ(legacy_.seal(plain, out).error(), BaseErrc::buffer_too_small);
  const auto packet = reference::seal(key_, nonce(), plain);
  Vec small(packet.size() - packet_iv_size - 1, 9);
  EXPECT_EQ(cipher_.open(ConstBytes(packet), small).error(), BaseErrc::buffer_too_small);
  EXPECT_EQ(out, Vec(out.size(), 9));
  EXPECT_EQ(small, Vec(small.size(), 9));
}

TEST_P(PacketCipherTest, OverlapIsRefusedBeforeAnythingIsWritten) {
  Vec buffer = rng_.bytes(400);
  const auto before = buffer;
  const Bytes all(buffer);
  for (const std::size_t at : {0, 1, 15, 17, 31, 100}) {
    EXPECT_EQ(cipher_.seal(all.subspan(at, 100), nonce(), all).error(), Errc::buffers_overlap) << at;
  }
  EXPECT_EQ(cipher_.seal(all.subspan(50, 100), nonce(), all.subspan(100)).error(), Errc::buffers_overlap);
  for (const std::size_t at : {0, 1, 15, 17, 100}) {
    EXPECT_EQ(cipher_.open(ConstBytes(all.first(160)), all.subspan(at)).error(), Errc::buffers_overlap) << at;
  }
  EXPECT_EQ(buffer, before);
  EXPECT_TRUE(cipher_.seal(all.subspan(sealed_size(100), 100), nonce(), all)) << "side by side";
  EXPECT_TRUE(cipher_.open(ConstBytes(all.first(sealed_size(100))), all.subspan(packet_iv_size)));
}

TEST_P(PacketCipherTest, TooLargeIsRefusedByName) {
  // Never touched: the size alone is looked at.
  const ConstBytes huge(key_.data(), max_plaintext_size + 1);
  Vec out(64, 3);
  EXPECT_EQ(cipher_.seal(huge, nonce(), out).error(), Errc::too_large);
  EXPECT_EQ(legacy_.seal(huge, out).error(), Errc::too_large);
  EXPECT_EQ(std::error_code(Errc::too_large), Fault::limit);
  EXPECT_EQ(sealed_size(max_plaintext_size), max_packet_size);
  EXPECT_EQ(out, Vec(64, 3));
  Vec packet(max_packet_size + 16, 1);
  EXPECT_EQ(cipher_.open(packet).error(), Errc::too_large);
  EXPECT_EQ(packet, Vec(packet.size())) << "wiped, as for every refusal";
}

TEST_P(PacketCipherTest, TheLargestPacketPasses) {
  Vec buffer(max_packet_size);
  const auto plain = Bytes(buffer).subspan(packet_iv_size, max_plaintext_size);
  plain.front() = 1;
  plain.back() = 2;
  const auto packet = cipher_.seal(plain, buffer);
  ASSERT_TRUE(packet);
  ASSERT_EQ(packet->size(), max_packet_size);
  const auto opened = cipher_.open(*packet);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->size(), max_plaintext_size);
  EXPECT_EQ(opened->front(), 1);
  EXPECT_EQ(opened->back(), 2);
  EXPECT_EQ((*opened)[12345], 0);
}

TEST_P(PacketCipherTest, NoncesFromThePoolDiffer) {
  std::set<Vec> seen;
  Vec out(sealed_size(0));
  for (int i = 0; i < 1000; ++i) {
    seen.insert(copy(*cipher_.seal({}, out)));
    Vec old(sealed_size(0));
    ASSERT_TRUE(legacy_.seal({}, old));
    ASSERT_TRUE(seen.insert(old).second);
  }
  // 24 bits: about 0.03 pairs are expected to meet.
  EXPECT_GE(seen.size(), 1995U);
}

TEST_P(PacketCipherTest, MovesItsKey) {
  const auto plain = rng_.bytes(77);
  const auto random = nonce();
  std::vector<PacketCipher> ciphers;
  ciphers.emplace_back(key_of(key_), GetParam());
  ciphers.emplace_back(key_of(rng_.bytes(session_key_size)), GetParam());
  ciphers.front() = std::move(ciphers.back());
  ciphers.back() = PacketCipher(key_of(key_), GetParam());
  Vec out(sealed_size(plain.size()));
  EXPECT_EQ(copy(*ciphers.back().seal(plain, random, out)), reference::seal(key_, random, plain));
  EXPECT_EQ(ciphers.back().kernel(), GetParam());
  EXPECT_EQ(legacy_.kernel(), GetParam());
}

TEST(PacketKernels, TheListEndsWithPortable) {
  ASSERT_FALSE(kernels().empty());
  EXPECT_EQ(kernels().back().name, "portable");
  EXPECT_TRUE(kernels().back().supported);
}

TEST(PacketKernels, UnknownAndUnsupportedNamesThrow) {
  const Vec key(session_key_size);
  const auto error_of = [&](const auto& make) {
    try {
      make();
    } catch (const std::system_error& error) {
      return error.code();
    }
    return std::error_code{};
  };
  EXPECT_EQ(error_of([&] { PacketCipher(key_of(key), "fastest"); }), Errc::kernel_unknown);
  EXPECT_EQ(error_of([&] { LegacyPacketCipher(key_of(key), ""); }), Errc::kernel_unknown);
  for (const auto& kernel : kernels()) {
    const auto expected = kernel.supported ? std::error_code{} : Errc::kernel_unsupported;
    EXPECT_EQ(error_of([&] { PacketCipher(key_of(key), kernel.name); }), expected) << kernel.name;
  }
}

TEST(PacketKernels, TheVariableIsACeiling) {
  for (const auto& kernel : kernels()) {
    const auto chosen = detail::choose_kernel(std::string(kernel.name).c_str());
    ASSERT_EQ(chosen.has_value(), kernel.supported);
    if (chosen) {
      EXPECT_EQ((*chosen)->kernel.name, kernel.name);
    } else {
      EXPECT_EQ(chosen.error(), Errc::kernel_unsupported);
    }
  }
  EXPECT_EQ(detail::choose_kernel("mmx").error(), Errc::kernel_unknown);
  const auto best =
      std::find_if(kernels().begin(), kernels().end(), [](const auto& k) { return k.supported; });
  EXPECT_EQ((*detail::choose_kernel(nullptr))->kernel.name, best->name);
  EXPECT_EQ((*detail::choose_kernel(""))->kernel.name, best->name);
}

}  // namespace
}  // namespace corliss::crypto
