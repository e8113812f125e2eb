#include "support/test_support.h"

#include <corliss/content/chunk.h>

namespace corliss::content {
namespace {

struct RealChunk {
  const char* file;
  const char* key;
  std::uint32_t size;
  std::uint32_t checksum;
  const char* id;
  ChunkContainer container;
};

constexpr RealChunk real_chunks[] = {
    {"depot_440_chunk_bac8e2657470b2eb70d6ddcd6c07004be8738697.bin",
     "44CE5C5297A415A1A6F69C856037A5A2FDD82CD474FA659EDFB4D59B2ABC55FC", 544, 2130218374,
     "bac8e2657470b2eb70d6ddcd6c07004be8738697", ChunkContainer::zip},
    {"depot_3441461_chunk_9e72678e305540630a665b93e1463bc3983eb55a.bin",
     "0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20", 156, 3753325726,
     "9e72678e305540630a665b93e1463bc3983eb55a", ChunkContainer::zstd},
};

TEST(RealChunk, DecodesToWhatItsNameSays) {
  for (const auto& real : real_chunks) {
    const auto path = test::real_data(real.file);
    if (!path) {
      GTEST_SKIP() << test::real_data_hint;
    }
    auto body = test::read_file(*path);
    const auto key = test::hex(real.key);
    ChunkDecoder decoder(std::span<const std::uint8_t, 32>{key});
    ChunkSpec spec;
    spec.size = real.size;
    spec.compressed_size = static_cast<std::uint32_t>(body.size());
    spec.checksum = real.checksum;
    spec.id = ChunkId::parse(real.id).value();
    std::vector<std::uint8_t> plain(real.size);
    EXPECT_EQ(decoder.decode(body, spec, plain).value(), real.container);
  }
}

}  // namespace
}  // namespace corliss::content
