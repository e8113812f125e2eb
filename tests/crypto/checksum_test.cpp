#include "support/test_support.h"

#include <corliss/crypto/checksum.h>

namespace corliss::crypto {
namespace {

TEST(Checksum, CrcVectors) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926u);
  const auto vectors = nlohmann::json::parse(test::read_file(test::data("crypto/channel.json")));
  for (const auto& row : vectors.at("crc32")) {
    const auto expected = std::stoul(row.at("crc32").get<std::string>(), nullptr, 16);
    EXPECT_EQ(crc32(test::hex(row.at("data"))), expected) << row;
  }
}

// protocol/11 §7: the same data from seed 0 and from seed 1.
TEST(Checksum, AdlerKnownValues) {
  struct Row {
    std::vector<std::uint8_t> data;
    std::uint32_t seed0;
    std::uint32_t seed1;
  };
  const auto text = [](std::string_view s) { return std::vector<std::uint8_t>(s.begin(), s.end()); };
  const std::vector<Row> rows{
      {{}, 0x00000000, 0x00000001},
      {text("a"), 0x00610061, 0x00620062},
      {text("123456789"), 0x091501DD, 0x091E01DE},
      {text("Wikipedia"), 0x11DD0397, 0x11E60398},
      {std::vector<std::uint8_t>(5552, 0xFF), 0xDBDF9B8B, 0xF18F9B8C},
      {std::vector<std::uint8_t>(1048576, 0xFF), 0x8D98EF10, 0x8E88EF11},
      {std::vector<std::uint8_t>(1048576, 0x00), 0x00000000, 0x00F00001},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(adler32(row.data, adler32_depot_seed), row.seed0) << row.data.size();
    EXPECT_EQ(adler32(row.data, adler32_zlib_seed), row.seed1) << row.data.size();
  }
}

std::uint32_t slow_adler32(ConstBytes bytes, std::uint32_t seed) {
  std::uint32_t a = (seed & 0xFFFF) % 65521;
  std::uint32_t b = (seed >> 16) % 65521;
  for (const std::uint8_t byte : bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return (b << 16) | a;
}

TEST(Checksum, AdlerOfAnySeedFollowsItsDefinition) {
  test::TestRng rng;
  for (const std::uint32_t seed : {0u, 1u, 0xFFFFFFFFu, 0xFFF1FFF1u, 0xFFF0FFF0u, 0x80000001u}) {
    for (const std::size_t size : {0, 1, 15, 16, 17, 5551, 5552, 5553, 20000}) {
      auto data = rng.bytes(size);
      EXPECT_EQ(adler32(data, seed), slow_adler32(data, seed)) << seed << ' ' << size;
      std::fill(data.begin(), data.end(), std::uint8_t{0xFF});  // the largest sums
      EXPECT_EQ(adler32(data, seed), slow_adler32(data, seed)) << seed << ' ' << size;
    }
  }
}

TEST(Checksum, AnySplitGivesTheSame) {
  test::TestRng rng;
  for (int round = 0; round < 200; ++round) {
    const auto data = rng.bytes(rng.between(0, 3000));
    const auto cut = rng.between(0, data.size());
    const ConstBytes all = data;
    EXPECT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), crc32(all));
    EXPECT_EQ(adler32(all.subspan(cut), adler32(all.first(cut), adler32_depot_seed)),
              adler32(all, adler32_depot_seed));
  }
}

}  // namespace
}  // namespace corliss::crypto
