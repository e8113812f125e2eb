#include "crypto/packet_support.h"

#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <cstring>
#include <fstream>

namespace corliss::crypto {
namespace {

using test::hex;

const nlohmann::json& channel() {
  static const auto json = [] {
    std::ifstream in(test::data("crypto/channel.json"));
    return nlohmann::json::parse(in);
  }();
  return json;
}

/// Seals and opens one of the two formats, with the random bytes as the vectors give them.
class Format {
 public:
  Format(const std::string& format, const Vec& key, const std::string& kernel) {
    if (format == "hmac") {
      hmac_.emplace(key_of(key), kernel);
    } else {
      legacy_.emplace(key_of(key), kernel);
    }
  }
  Result<Bytes> seal(ConstBytes plain, const Vec& random, Bytes out) const {
    return hmac_ ? hmac_->seal(plain, std::span<const std::uint8_t, 3>(random), out)
                 : legacy_->seal(plain, std::span<const std::uint8_t, packet_iv_size>(random), out);
  }
  Result<Bytes> open(Bytes sealed) const { return hmac_ ? hmac_->open(sealed) : legacy_->open(sealed); }
  Result<Bytes> open(ConstBytes sealed, Bytes out) const {
    return hmac_ ? hmac_->open(sealed, out) : legacy_->open(sealed, out);
  }

 private:
  std::optional<PacketCipher> hmac_;
  std::optional<LegacyPacketCipher> legacy_;
};

Vec copy(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

class PacketVectors : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, PacketVectors, testing::ValuesIn(supported_kernels()), name_of_kernel);

TEST_P(PacketVectors, SealAndOpenInPlaceAndApartAtSixteenMisalignments) {
  for (const std::string format : {"hmac", "legacy"}) {
    ASSERT_GT(channel()[format].size(), 10U);
    for (const auto& vector : channel()[format]) {
      SCOPED_TRACE(vector["name"]);
      const Format cipher(format, hex(vector["key"]), GetParam());
      const auto plain = hex(vector["plaintext"]);
      const auto packet = hex(vector["packet"]);
      const auto random = hex(vector[format == "hmac" ? "random" : "iv"]);
      for (std::size_t shift = 0; shift < 16; ++shift) {
        Vec in(shift + plain.size());
        std::copy(plain.begin(), plain.end(), in.begin() + static_cast<std::ptrdiff_t>(shift));
        Vec out((15 - shift) + packet.size());
        const auto apart = cipher.seal(ConstBytes(in).subspan(shift), random, Bytes(out).subspan(15 - shift));
        ASSERT_TRUE(apart) << apart.error().message();
        ASSERT_EQ(copy(*apart), packet);

        Vec buffer(shift + packet.size());
        std::copy(plain.begin(), plain.end(),
                  buffer.begin() + static_cast<std::ptrdiff_t>(shift + packet_iv_size));
        const auto whole = Bytes(buffer).subspan(shift);
        const auto sealed = cipher.seal(whole.subspan(packet_iv_size, plain.size()), random, whole);
        ASSERT_TRUE(sealed);
        ASSERT_EQ(sealed->data(), whole.data());
        ASSERT_EQ(copy(*sealed), packet);

        Vec opened(15 - shift + packet.size() - packet_iv_size);
        const auto from = cipher.open(ConstBytes(whole), Bytes(opened).subspan(15 - shift));
        ASSERT_TRUE(from);
        ASSERT_EQ(copy(*from), plain);
        ASSERT_EQ(copy(whole), packet) << "the input must stay";

        const auto in_place = cipher.open(whole);
        ASSERT_TRUE(in_place);
        ASSERT_EQ(in_place->data(), whole.data() + packet_iv_size);
        ASSERT_EQ(copy(*in_place), plain);
      }
    }
  }
}

TEST_P(PacketVectors, EveryFlippedBitIsRefusedAndTheBufferWiped) {
  for (const auto& vector : channel()["hmac"]) {
    SCOPED_TRACE(vector["name"]);
    const PacketCipher cipher(key_of(hex(vector["key"])), GetParam());
    const auto packet = hex(vector["packet"]);
    const Vec zeros(packet.size());
    for (std::size_t bit = 0; bit < packet.size() * 8; ++bit) {
      auto forged = packet;
      forged[bit / 8] = static_cast<std::uint8_t>(forged[bit / 8] ^ (1U << (bit % 8)));
      const auto plain = cipher.open(forged);
      ASSERT_FALSE(plain) << bit;
      ASSERT_EQ(plain.error(), Errc::unauthenticated);
      ASSERT_EQ(forged, zeros) << bit;
    }
  }
}

TEST_P(PacketVectors, AllInOneBatchAtSixteenMisalignments) {
  std::vector<PacketCipher> ciphers;
  std::vector<Vec> packets;
  std::vector<Vec> plains;
  std::vector<std::array<std::uint8_t, 3>> nonces;
  for (const auto& vector : channel()["hmac"]) {
    ciphers.emplace_back(key_of(hex(vector["key"])), GetParam());
    packets.push_back(hex(vector["packet"]));
    plains.push_back(hex(vector["plaintext"]));
    const auto random = hex(vector["random"]);
    std::copy_n(random.begin(), 3, nonces.emplace_back().begin());
  }
  for (std::size_t shift = 0; shift < 16; ++shift) {
    SCOPED_TRACE(shift);
    std::vector<Vec> buffers;
    std::vector<SealItem> seal;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const std::size_t at = (shift + i) % 16;
      auto& buffer = buffers.emplace_back(at + packets[i].size());
      SealItem item;
      item.cipher = &ciphers[i];
      item.nonce = nonces[i];
      item.out = Bytes(buffer).subspan(at);
      item.plain = plains[i];
      if ((shift + i / 2) % 2 == 0) {
        const auto body = item.out.subspan(packet_iv_size, plains[i].size());
        std::copy(plains[i].begin(), plains[i].end(), body.begin());
        item.plain = body;
      }
      seal.push_back(item);
    }
    seal_batch(seal);
    std::vector<OpenItem> open;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      ASSERT_FALSE(seal[i].error) << i;
      ASSERT_EQ(copy(seal[i].sealed), packets[i]) << i;
      open.push_back({&ciphers[i], seal[i].sealed, {}, {}});
    }
    open_batch(open);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      ASSERT_FALSE(open[i].error) << i;
      ASSERT_EQ(copy(open[i].plain), plains[i]) << i;
    }
  }
}

TEST_P(PacketVectors, EveryFlippedBitIsRefusedInABatch) {
  for (const auto& vector : channel()["hmac"]) {
    SCOPED_TRACE(vector["name"]);
    const PacketCipher cipher(key_of(hex(vector["key"])), GetParam());
    const auto packet = hex(vector["packet"]);
    const auto plain = hex(vector["plaintext"]);
    const Vec zeros(packet.size());
    for (std::size_t bit = 0; bit < packet.size() * 8;) {
      std::vector<Vec> forged(1, packet);  // and one that is good, at another place in each batch
      for (; forged.size() < 33 && bit < packet.size() * 8; ++bit) {
        auto& changed = forged.emplace_back(packet);
        changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << (bit % 8)));
      }
      const std::size_t good = bit % forged.size();
      std::swap(forged[0], forged[good]);
      std::vector<OpenItem> open;
      for (auto& each : forged) {
        open.push_back({&cipher, each, {}, {}});
      }
      open_batch(open);
      for (std::size_t i = 0; i < forged.size(); ++i) {
        ASSERT_EQ(open[i].error, i == good ? std::error_code{} : Errc::unauthenticated) << bit << ' ' << i;
        if (i != good) {
          ASSERT_EQ(forged[i], zeros) << bit << ' ' << i;
        }
      }
      ASSERT_EQ(copy(open[good].plain), plain);
    }
  }
}

TEST_P(PacketVectors, RejectsAreRefusedAlike) {
  ASSERT_GT(channel()["reject"].size(), 20U);
  for (const auto& vector : channel()["reject"]) {
    SCOPED_TRACE(vector["name"]);
    const Format cipher(vector["format"], hex(vector["key"]), GetParam());
    auto packet = hex(vector["packet"]);
    const Vec zeros(packet.size());
    Vec out(packet.size(), 0xa5);
    auto expected = out;
    std::fill_n(expected.begin(), packet.size() < packet_iv_size ? 0 : packet.size() - packet_iv_size, 0);

    const auto apart = cipher.open(ConstBytes(packet), Bytes(out));
    ASSERT_FALSE(apart);
    EXPECT_EQ(apart.error(), Errc::unauthenticated);
    EXPECT_EQ(out, expected) << "the part that would hold the plaintext is wiped, and no more";

    const auto in_place = cipher.open(packet);
    ASSERT_FALSE(in_place);
    EXPECT_EQ(in_place.error(), Errc::unauthenticated);
    EXPECT_EQ(packet, zeros);
  }
}

TEST_P(PacketVectors, ChangedLegacyPacketsThatCannotBeDetected) {
  for (const auto& vector : channel()["legacy_undetected"]) {
    SCOPED_TRACE(vector["name"]);
    const LegacyPacketCipher cipher(key_of(hex(vector["key"])), GetParam());
    auto packet = hex(vector["packet"]);
    const auto plain = cipher.open(packet);
    ASSERT_TRUE(plain);
    EXPECT_EQ(copy(*plain), hex(vector["decrypts_to"]));
  }
}

}  // namespace
}  // namespace corliss::crypto
