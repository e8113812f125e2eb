#include "support/allocations.h"
#include "support/test_support.h"

#include <corliss/base/hex.h>
#include <corliss/crypto/hash.h>

namespace corliss::crypto {
namespace {

// FIPS 180-4 examples.
TEST(Hash, KnownAnswers) {
  const std::string million(1000000, 'a');
  EXPECT_EQ(to_hex(sha1({})), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(to_hex(sha1(bytes_of("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(to_hex(sha1(bytes_of(million))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  EXPECT_EQ(to_hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(bytes_of("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(bytes_of(million))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 2202 §3 and RFC 4231 §4: short key, key of a block and more, and the empty key.
TEST(Hash, HmacKnownAnswers) {
  const auto text = bytes_of("what do ya want for nothing?");
  EXPECT_EQ(to_hex(hmac_sha1(bytes_of("Jefe"), text)), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  EXPECT_EQ(to_hex(hmac_sha256(bytes_of("Jefe"), text)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  const std::vector<std::uint8_t> key80(80, 0xAA);
  EXPECT_EQ(to_hex(hmac_sha1(key80, bytes_of("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "aa4ae5e15272d00e95705637ce8a3b55ed402112");
  const std::vector<std::uint8_t> key131(131, 0xAA);
  EXPECT_EQ(to_hex(hmac_sha256(key131, bytes_of("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(to_hex(hmac_sha1({}, {})), "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d");
  EXPECT_EQ(to_hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Hash, HmacOfTheChannelVectors) {
  const auto vectors = nlohmann::json::parse(test::read_file(test::data("crypto/channel.json")));
  for (const auto& row : vectors.at("hmac")) {
    auto data = test::hex(row.at("random"));
    const auto plain = test::hex(row.at("plaintext"));
    data.insert(data.end(), plain.begin(), plain.end());
    EXPECT_EQ(to_hex(hmac_sha1(test::hex(row.at("hmac_key")), data)), row.at("hmac_sha1")) << row.at("name");
  }
}

TEST(Hash, OneObjectHashesManyMessagesInPieces) {
  test::TestRng rng;
  Sha1 kept1;
  Sha256 kept256;
  for (int round = 0; round < 100; ++round) {
    const auto data = rng.bytes(rng.between(0, 1000));
    const ConstBytes all = data;
    const auto cut = rng.between(0, data.size());
    kept1.update(all.first(cut));
    kept1.update(all.subspan(cut));
    kept256.update(all.first(cut));
    kept256.update({});
    kept256.update(all.subspan(cut));
    EXPECT_EQ(kept1.finish(), sha1(all));
    EXPECT_EQ(kept256.finish(), sha256(all));
  }
  kept1.update(bytes_of("ab"));
  Sha1 copy = kept1;
  copy.update(bytes_of("c"));
  EXPECT_EQ(copy.finish(), sha1(bytes_of("abc")));
  EXPECT_EQ(kept1.finish(), sha1(bytes_of("ab")));
}

TEST(Hash, AllocatesNothing) {
  const test::AllocationCount count;
  Sha1 one;
  Sha256 two;
  for (int round = 0; round < 3; ++round) {
    one.update(bytes_of("message"));
    two.update(bytes_of("message"));
    (void)one.finish();
    (void)two.finish();
    (void)sha1(bytes_of("message"));
  }
  EXPECT_EQ(count.calls(), 0u);
}

}  // namespace
}  // namespace corliss::crypto
