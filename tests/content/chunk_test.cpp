#include "bench/content_data.h"
#include "support/allocations.h"
#include "support/test_support.h"

#include <corliss/content/chunk.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>

namespace corliss::content {
namespace {

using bench::ByteVector;
using bench::PackOptions;
using bench::ZipFields;

constexpr std::array containers{ChunkContainer::zip, ChunkContainer::lzma, ChunkContainer::zstd};

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

/// A body with what its manifest says of it.
struct Sample {
  ByteVector plain;
  ByteVector container;
  ByteVector body;
  ChunkSpec spec;

  Sample(ChunkContainer kind, ByteVector bytes, const PackOptions& options = {})
      : plain(std::move(bytes)), container(bench::pack(kind, plain, options)) {
    body = bench::seal_body(bench::depot_key(), container);
    spec = ChunkSpec(bench::describe_chunk(plain, body.size()));
  }
};

TEST(ChunkDecoder, DecodesWhatTheFormatsOwnLibrariesPack) {
  ChunkDecoder decoder(bench::depot_key());
  test::TestRng rng;
  const std::size_t sizes[] = {1, 2, 15, 16, 17, 300, 4096, 100'000, 1 << 20};
  for (const auto kind : containers) {
    for (const auto size : sizes) {
      auto sample = Sample(kind, bench::game_bytes(size, rng.between(0, 1 << 30)));
      ByteVector out(size, 0xee);
      const auto result = decoder.decode(sample.body, sample.spec, out);
      ASSERT_TRUE(result) << to_string(kind) << size << result.error().message();
      EXPECT_EQ(*result, kind);
      EXPECT_EQ(out, sample.plain);
    }
  }
}

TEST(ChunkDecoder, AnyAlignmentWillDo) {
  ChunkDecoder decoder(bench::depot_key());
  for (const auto kind : containers) {
    const Sample sample(kind, bench::game_bytes(5000, 1));
    for (std::size_t shift = 0; shift < 16; ++shift) {
      ByteVector body(shift + sample.body.size());
      std::copy(sample.body.begin(), sample.body.end(), body.begin() + static_cast<std::ptrdiff_t>(shift));
      ByteVector out(shift + sample.plain.size());
      ASSERT_TRUE(decoder.decode(Bytes(body).subspan(shift), sample.spec, Bytes(out).subspan(shift)));
      EXPECT_TRUE(std::equal(sample.plain.begin(), sample.plain.end(),
                             out.begin() + static_cast<std::ptrdiff_t>(shift)));
    }
  }
}

TEST(ChunkDecoder, LzmaPropertiesAreTheStreams) {
  ChunkDecoder decoder(bench::depot_key());
  for (const auto& [lc, lp, pb] : {std::tuple{0U, 0U, 0U}, {0U, 4U, 4U}, {4U, 0U, 0U}, {1U, 2U, 3U}}) {
    PackOptions options;
    options.lc = lc;
    options.lp = lp;
    options.pb = pb;
    auto sample = Sample(ChunkContainer::lzma, bench::game_bytes(20'000, 7), options);
    ByteVector out(sample.plain.size());
    EXPECT_TRUE(decoder.decode(sample.body, sample.spec, out)) << lc << lp << pb;
    EXPECT_EQ(out, sample.plain);
  }
}

// Every bit of the body counts: padding, container, compressed stream, checksums or SHA-1 catch it. What may
// change without harm is nobody's: the reserved and unused fields, and bits that a decoder does not need.
TEST(ChunkDecoder, AFlippedBitNeverGivesWrongBytes) {
  ChunkDecoder decoder(bench::depot_key());
  for (const auto kind : containers) {
    const Sample sample(kind, bench::game_bytes(300, 3));
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * sample.container.size(); ++bit) {
      auto container = sample.container;
      container[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      ByteVector out(sample.plain.size());
      const auto result = decoder.unpack(container, sample.spec, out);
      refused += result ? 0 : 1;
      if (result) {
        EXPECT_EQ(out, sample.plain) << to_string(kind) << bit;
      }
    }
    EXPECT_GT(refused, 6 * sample.container.size()) << to_string(kind);
  }
}

TEST(ChunkDecoder, EveryTruncationIsRefused) {
  ChunkDecoder decoder(bench::depot_key());
  for (const auto kind : containers) {
    const Sample sample(kind, bench::game_bytes(300, 3));
    ByteVector out(sample.plain.size());
    for (std::size_t size = 0; size < sample.container.size(); ++size) {
      EXPECT_FALSE(decoder.unpack(ConstBytes(sample.container).first(size), sample.spec, out))
          << to_string(kind) << size;
    }
    auto spec = sample.spec;
    spec.compressed_size.reset();
    for (std::size_t size = 0; size < sample.body.size(); ++size) {
      ByteVector body(sample.body.begin(), sample.body.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(decoder.decode(body, spec, out)) << to_string(kind) << size;
    }
  }
}

TEST(ChunkDecoder, SaysWhatIsWrongInTheStatedOrder) {
  ChunkDecoder decoder(bench::depot_key());
  const Sample sample(ChunkContainer::zstd, bench::game_bytes(1000, 5));
  const auto error_of = [&](const ChunkSpec& spec, std::size_t out_size) {
    auto body = sample.body;
    ByteVector out(out_size);
    const auto result = decoder.decode(body, spec, out);
    return result ? std::error_code() : result.error();
  };
  EXPECT_EQ(error_of(sample.spec, 1000), std::error_code());
  EXPECT_EQ(error_of(sample.spec, 999), Errc::wrong_buffer);
  EXPECT_EQ(error_of(sample.spec, 1001), Errc::wrong_buffer);
  auto spec = sample.spec;
  spec.size = 0;
  EXPECT_EQ(error_of(spec, 0), Errc::size_mismatch);
  spec.size = max_chunk_size + 1;
  EXPECT_EQ(error_of(spec, 1000), Errc::too_large);
  spec.size = 0xffffffff;
  EXPECT_EQ(error_of(spec, 1000), Errc::too_large);
  spec.size = 999;
  EXPECT_EQ(error_of(spec, 999), Errc::size_mismatch);
  spec = sample.spec;
  spec.compressed_size = *spec.compressed_size + 16;
  EXPECT_EQ(error_of(spec, 1000), Errc::length_mismatch);
  spec = sample.spec;
  spec.checksum = *spec.checksum + 1;
  spec.id = ChunkId();
  EXPECT_EQ(error_of(spec, 1000), Errc::adler_mismatch);
  spec.checksum.reset();
  EXPECT_EQ(error_of(spec, 1000), Errc::sha1_mismatch);
  spec.id.reset();
  spec.compressed_size.reset();
  EXPECT_EQ(error_of(spec, 1000), std::error_code());
  // And after all these failures the decoder still works.
  EXPECT_EQ(error_of(sample.spec, 1000), std::error_code());
}

TEST(ChunkDecoder, NamesTheUnknownMagic) {
  ChunkDecoder decoder(bench::depot_key());
  ByteVector out(100);
  ChunkSpec spec;
  spec.size = 100;
  EXPECT_EQ(decoder.unpack(bytes_of("RIFFxxxx"), spec, out).error(), Errc::unknown_container);
  EXPECT_EQ(text_of(decoder.unknown_magic()), "RIFF");
  EXPECT_EQ(decoder.unpack(bytes_of("VZ"), spec, out).error(), Errc::unknown_container);
  EXPECT_EQ(text_of(decoder.unknown_magic()), "VZ");
  EXPECT_EQ(decoder.unpack({}, spec, out).error(), Errc::unknown_container);
  EXPECT_TRUE(decoder.unknown_magic().empty());
}

TEST(ChunkDecoder, LzmaPropertiesThatLiblzmaLacksHaveTheirOwnError) {
  ChunkDecoder decoder(bench::depot_key());
  Sample sample(ChunkContainer::lzma, bench::game_bytes(300, 3));
  ByteVector out(300);
  sample.container[7] = 8;  // lc 8
  EXPECT_EQ(decoder.unpack(sample.container, sample.spec, out).error(), Errc::lzma_unsupported);
  sample.container[7] = 225;
  EXPECT_EQ(decoder.unpack(sample.container, sample.spec, out).error(), Errc::decompress_failed);
  sample.container[7] = 0x5d;
  sample.container[12] = 1;  // the range coder's first byte
  EXPECT_EQ(decoder.unpack(sample.container, sample.spec, out).error(), Errc::decompress_failed);
  sample.container[12] = 0;
  EXPECT_TRUE(decoder.unpack(sample.container, sample.spec, out));
}

TEST(ChunkDecoder, ZipRules) {
  ChunkDecoder decoder(bench::depot_key());
  const auto plain = bench::game_bytes(400, 9);
  const auto data = bench::deflate(plain);
  const auto spec = ChunkSpec(bench::describe_chunk(plain, 0));
  ByteVector out(plain.size());
  ZipFields good;
  good.crc = crypto::crc32(plain);
  good.compressed_size = static_cast<std::uint32_t>(data.size());
  good.plain_size = 400;
  const auto error_of = [&](const ZipFields& fields, ConstBytes packed) {
    const auto result = decoder.unpack(bench::zip_archive(packed, fields), spec, out);
    return result ? std::error_code() : result.error();
  };
  const auto with = [&](auto change) {
    auto fields = good;
    change(fields);
    return error_of(fields, data);
  };
  EXPECT_EQ(error_of(good, data), std::error_code());
  EXPECT_EQ(with([](auto& f) { f.comment = "PK\x05\x06 a comment with a magic"; }), std::error_code());
  EXPECT_EQ(with([](auto& f) { f.comment.assign(0xffff, 'c'); }),
            Errc::too_large);  // above what a body may be
  EXPECT_EQ(with([](auto& f) { f.name.clear(); }), std::error_code());
  EXPECT_EQ(with([](auto& f) { f.name = "../../etc/passwd"; }), std::error_code());  // never looked at
  EXPECT_EQ(with([](auto& f) { f.flags = 8; }), std::error_code());
  EXPECT_EQ(with([](auto& f) { f.flags = 1; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.flags = 0x40; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.flags = 0x2000; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.method = 9; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.method = 0; }), Errc::bad_zip);  // stored, but of two sizes
  EXPECT_EQ(with([](auto& f) { f.entries = 0; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.entries = 2; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.entries = 0xffff; }), Errc::bad_zip);  // zip64
  EXPECT_EQ(with([](auto& f) { f.local_offset = 1; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.local_offset = 0xffffffff; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { ++f.compressed_size; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { f.compressed_size = 0xffffffff; }), Errc::bad_zip);
  EXPECT_EQ(with([](auto& f) { --f.compressed_size; }), Errc::decompress_failed);
  EXPECT_EQ(with([](auto& f) { f.plain_size = 401; }), Errc::size_mismatch);
  EXPECT_EQ(with([](auto& f) { f.plain_size = 0xffffffff; }), Errc::size_mismatch);
  EXPECT_EQ(with([](auto& f) { ++f.crc; }), Errc::crc_mismatch);
  auto longer = plain;
  longer.push_back(0);
  const auto longer_data = bench::deflate(longer);
  auto fields = good;
  fields.compressed_size = static_cast<std::uint32_t>(longer_data.size());
  EXPECT_EQ(error_of(fields, longer_data), Errc::size_mismatch);  // output beyond the size
  const auto shorter_data = bench::deflate(ConstBytes(plain).first(399));
  fields.compressed_size = static_cast<std::uint32_t>(shorter_data.size());
  EXPECT_EQ(error_of(fields, shorter_data), Errc::size_mismatch);  // the end before it
  fields = good;
  fields.method = 0;
  fields.compressed_size = 400;
  EXPECT_EQ(error_of(fields, plain), std::error_code());
}

TEST(ChunkDecoder, Deltas) {
  ChunkDecoder decoder(bench::depot_key());
  for (const std::size_t source_size :
       {std::size_t{1}, std::size_t{1000}, std::size_t{1024}, std::size_t{1} << 17}) {
    const auto source = bench::game_bytes(source_size, 21);
    auto plain = source;
    const auto extra = bench::game_bytes(777, 22);
    plain.insert(plain.begin() + static_cast<std::ptrdiff_t>(source_size / 2), extra.begin(), extra.end());
    for (const auto kind : {ChunkContainer::lzma, ChunkContainer::zstd}) {
      PackOptions options;
      options.dictionary = source;
      const Sample sample(kind, plain, options);
      ByteVector out(plain.size());
      ASSERT_TRUE(decoder.apply_delta(sample.container, source, sample.spec, out))
          << to_string(kind) << source_size;
      EXPECT_EQ(out, plain);
      // A delta is no chunk, and a chunk no delta.
      EXPECT_EQ(decoder.unpack(sample.container, sample.spec, out).error(), Errc::delta_container);
      auto wrong_source = source;
      wrong_source[source_size / 2] ^= 1;
      const auto wrong = decoder.apply_delta(sample.container, wrong_source, sample.spec, out);
      EXPECT_TRUE(!wrong || out == plain);
    }
  }
  const Sample sample(ChunkContainer::zstd, bench::game_bytes(500, 2));
  ByteVector out(500);
  EXPECT_EQ(decoder.apply_delta(sample.container, sample.plain, sample.spec, out).error(),
            Errc::delta_container);
  const ByteVector huge(max_chunk_size + 1);
  EXPECT_EQ(decoder.apply_delta(sample.container, huge, sample.spec, out).error(), Errc::too_large);
  PackOptions options;
  options.dictionary = bench::game_bytes(500, 2);
  const Sample delta(ChunkContainer::lzma, bench::game_bytes(600, 2), options);
  auto spec = delta.spec;
  spec.size = 500;
  EXPECT_EQ(decoder.apply_delta(delta.container, options.dictionary, spec, out).error(), Errc::size_mismatch);
}

// Contexts depend on the position modulo 16 where pb and lp are large. It counts from zero whatever the
// length of the source: a delta stays the same, and readable, where the source is filled up in front.
TEST(ChunkDecoder, DeltasAgainstSourcesOfAnyLength) {
  ChunkDecoder decoder(bench::depot_key());
  for (std::size_t size = 1000; size < 1017; ++size) {
    auto source = bench::game_bytes(size, 31);
    const auto plain = bench::game_bytes(9000, 31);
    PackOptions options;
    options.lc = 0;
    options.lp = 4;
    options.pb = 4;
    options.dictionary = source;
    const Sample sample(ChunkContainer::lzma, plain, options);
    ByteVector out(plain.size());
    EXPECT_TRUE(decoder.apply_delta(sample.container, source, sample.spec, out)) << size;
    EXPECT_EQ(out, plain);
    source.insert(source.begin(), (16 - size % 16) % 16, 0);
    EXPECT_TRUE(decoder.apply_delta(sample.container, source, sample.spec, out)) << size;
    EXPECT_EQ(out, plain);
  }
}

TEST(ChunkDecoder, AllocatesNothingOnceWarm) {
  ChunkDecoder decoder(bench::depot_key());
  std::vector<Sample> samples;
  for (const auto kind : containers) {
    for (const std::size_t size : {std::size_t{300}, std::size_t{1} << 20, std::size_t{70'000}}) {
      samples.emplace_back(kind, bench::game_bytes(size, 11));
    }
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto& sample : samples) {
      auto body = sample.body;
      ByteVector out(sample.plain.size());
      const test::AllocationCount count;
      const auto result = decoder.decode(body, sample.spec, out);
      ASSERT_TRUE(result);
      if (round > 0) {
        EXPECT_EQ(count.calls(), 0u) << to_string(*result) << sample.plain.size();
      }
    }
  }
}

TEST(ChunkId, TextBothWays) {
  const char* text = "bac8e2657470b2eb70d6ddcd6c07004be8738697";
  const auto id = ChunkId::parse(text).value();
  EXPECT_EQ(to_string(id), text);
  EXPECT_EQ(ChunkId::parse("BAC8E2657470B2EB70D6DDCD6C07004BE8738697").value(), id);
  EXPECT_NE(std::hash<ChunkId>()(id), std::hash<ChunkId>()(ChunkId()));
  EXPECT_LT(ChunkId(), id);
  for (const char* bad :
       {"", "bac8", "bac8e2657470b2eb70d6ddcd6c07004be873869", "xac8e2657470b2eb70d6ddcd6c07004be8738697"}) {
    EXPECT_EQ(ChunkId::parse(bad).error(), BaseErrc::bad_hex);
  }
}

}  // namespace
}  // namespace corliss::content
