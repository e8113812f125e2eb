#include "support/test_support.h"

#include <corliss/base/hex.h>
#include <corliss/crypto/depot_cipher.h>

namespace corliss::crypto {
namespace {

using Key = std::array<std::uint8_t, depot_key_size>;
using Iv = std::array<std::uint8_t, depot_iv_size>;

template <class Array>
Array array_of(ConstBytes bytes) {
  Array out;
  EXPECT_EQ(bytes.size(), out.size());
  std::copy_n(bytes.begin(), out.size(), out.begin());
  return out;
}

const nlohmann::json& channel_vectors() {
  static const auto vectors = nlohmann::json::parse(test::read_file(test::data("crypto/channel.json")));
  return vectors;
}

// protocol/02 §5.2: the legacy packet format is the layout of depot data.
TEST(DepotCipher, LegacyVectorsBothWays) {
  for (const auto& row : channel_vectors().at("legacy")) {
    DepotCipher cipher(array_of<Key>(test::hex(row.at("key"))));
    const auto iv = array_of<Iv>(test::hex(row.at("iv")));
    const auto plain = test::hex(row.at("plaintext"));
    const auto packet = test::hex(row.at("packet"));
    ASSERT_EQ(DepotCipher::sealed_size(plain.size()), packet.size());

    std::vector<std::uint8_t> out(packet.size() + 1, 0xEE);
    const auto sealed = cipher.seal(plain, iv, out);
    ASSERT_TRUE(sealed);
    EXPECT_EQ(to_hex(*sealed), row.at("packet")) << row.at("name");
    EXPECT_EQ(out.back(), 0xEE);

    std::vector<std::uint8_t> in_place(packet.size());
    std::copy(plain.begin(), plain.end(), in_place.begin() + depot_iv_size);
    ASSERT_TRUE(cipher.seal(ConstBytes(in_place).subspan(depot_iv_size, plain.size()), iv, in_place));
    EXPECT_EQ(in_place, packet);

    const auto opened = cipher.open(in_place);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->data(), in_place.data() + depot_iv_size);
    EXPECT_TRUE(std::equal(opened->begin(), opened->end(), plain.begin(), plain.end())) << row.at("name");
  }
}

TEST(DepotCipher, ChangesThatCannotBeDetectedDecryptAsTold) {
  for (const auto& row : channel_vectors().at("legacy_undetected")) {
    DepotCipher cipher(array_of<Key>(test::hex(row.at("key"))));
    auto packet = test::hex(row.at("packet"));
    const auto opened = cipher.open(packet);
    ASSERT_TRUE(opened);
    EXPECT_EQ(to_hex(*opened), row.at("decrypts_to"));
  }
}

// A packet refused for its length or padding is refused here too; one refused for its MAC only is none of
// ours.
TEST(DepotCipher, RefusesVectorsOfWrongLengthOrPadding) {
  int count = 0;
  for (const auto& row : channel_vectors().at("reject")) {
    if (row.at("stage") == "hmac") {
      continue;
    }
    DepotCipher cipher(array_of<Key>(test::hex(row.at("key"))));
    auto packet = test::hex(row.at("packet"));
    const auto opened = cipher.open(packet);
    ASSERT_FALSE(opened) << row.at("name");
    EXPECT_EQ(opened.error(), Errc::bad_padding) << row.at("name");
    EXPECT_EQ(opened.error(), Fault::unauthenticated);
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(DepotCipher, RefusesEveryLengthThatIsNoBody) {
  DepotCipher cipher(Key{});
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::uint8_t> body(size, 0x5A);
    if (size >= 32 && size % 16 == 0) {
      continue;
    }
    const auto opened = cipher.open(body);
    ASSERT_FALSE(opened) << size;
    EXPECT_EQ(opened.error(), Errc::bad_padding) << size;
  }
}

// Each last block that a key's owner could make: only 1…16 equal bytes are padding.
TEST(DepotCipher, RefusesEveryWrongPadding) {
  test::TestRng rng;
  const auto key = array_of<Key>(rng.bytes(depot_key_size));
  const auto iv = array_of<Iv>(rng.bytes(depot_iv_size));
  DepotCipher cipher(key);
  for (int last = 0; last < 256; ++last) {
    for (const std::size_t wrong_at : {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{16}}) {
      // The padded block goes in as plaintext; the real padding block behind it is cut off.
      std::vector<std::uint8_t> padded(32, static_cast<std::uint8_t>(last));
      if (wrong_at < 16) {
        padded[31 - wrong_at] ^= 1;
      }
      std::vector<std::uint8_t> body(DepotCipher::sealed_size(padded.size()));
      ASSERT_TRUE(cipher.seal(padded, iv, body));
      const auto opened = cipher.open(Bytes(body).first(depot_iv_size + 32));
      const std::size_t pad = padded.back();
      const bool good = pad >= 1 && pad <= 16 &&
                        std::all_of(padded.end() - static_cast<std::ptrdiff_t>(pad), padded.end(),
                                    [pad](std::uint8_t byte) { return byte == pad; });
      ASSERT_EQ(opened.has_value(), good) << last << ' ' << wrong_at;
      if (good) {
        EXPECT_EQ(opened->size(), 32 - pad);
      } else {
        EXPECT_EQ(opened.error(), Errc::bad_padding);
      }
    }
  }
}

TEST(DepotCipher, SaysHowMuchRoomItNeedsAndWritesNothingWithout) {
  DepotCipher cipher(Key{});
  for (std::size_t plain_size = 0; plain_size < 50; ++plain_size) {
    const std::vector<std::uint8_t> plain(plain_size, 1);
    for (std::size_t room = 0; room < DepotCipher::sealed_size(plain_size); ++room) {
      std::vector<std::uint8_t> out(room, 0xEE);
      const auto sealed = cipher.seal(plain, Iv{}, out);
      ASSERT_FALSE(sealed);
      EXPECT_EQ(sealed.error(), BaseErrc::buffer_too_small);
      EXPECT_EQ(std::count(out.begin(), out.end(), 0xEE), static_cast<std::ptrdiff_t>(room));
    }
  }
}

TEST(DepotCipher, RoundTripsAnySizeWithOneObject) {
  test::TestRng rng;
  DepotCipher cipher(array_of<Key>(rng.bytes(depot_key_size)));
  for (int round = 0; round < 300; ++round) {
    const auto plain = rng.bytes(rng.between(0, 5000));
    std::vector<std::uint8_t> body(DepotCipher::sealed_size(plain.size()));
    ASSERT_TRUE(cipher.seal(plain, array_of<Iv>(rng.bytes(depot_iv_size)), body));
    const auto opened = cipher.open(body);
    ASSERT_TRUE(opened);
    EXPECT_TRUE(std::equal(opened->begin(), opened->end(), plain.begin(), plain.end()));
  }
}

// NIST SP 800-38A, F.1.6 ECB-AES256.Decrypt, the first two blocks.
TEST(DepotCipher, DecryptsBareBlocks) {
  const auto key = test::hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
  const auto sealed = test::hex("f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870");
  const auto plain = test::hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
  DepotCipher cipher(array_of<Key>(key));
  std::vector<std::uint8_t> out(sealed.size());
  ASSERT_TRUE(cipher.decrypt_blocks(sealed, out));
  EXPECT_EQ(out, plain);
  out = sealed;
  ASSERT_TRUE(cipher.decrypt_blocks(out, out));
  EXPECT_EQ(out, plain);
  EXPECT_EQ(cipher.decrypt_blocks(sealed, Bytes(out).first(16)).error(), BaseErrc::buffer_too_small);
  EXPECT_EQ(cipher.decrypt_blocks(ConstBytes(sealed).first(15), Bytes(out).first(15)).error(),
            BaseErrc::buffer_too_small);
}

}  // namespace
}  // namespace corliss::crypto
