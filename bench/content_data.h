#pragma once

#include <corliss/base/bytes.h>
#include <corliss/content/chunk.h>
#include <corliss/content/manifest.h>

#include <cstdint>
#include <string>
#include <vector>

/// Made-up depot content, the same every time: for benchmarks, tests and fuzz seeds. The packing side of the
/// chunk containers lives here, since the library only reads them.
namespace corliss::bench {

using ByteVector = std::vector<std::uint8_t>;

/// `size` bytes that compress to about a half, as game files do: text, tables of numbers, runs and noise.
[[nodiscard]] ByteVector game_bytes(std::size_t size, std::uint64_t seed);

/// How to pack, where it differs from what Steam does.
struct PackOptions {
  bool stored = false;       ///< zip: method 0
  bool content_size = true;  ///< zstd: in the frame header
  std::uint32_t lc = 3, lp = 0, pb = 2;
  ByteVector dictionary;  ///< a delta against these bytes; lzma and zstd
};

/// A container as it lies in a chunk before encryption. Throws std::runtime_error where a library refuses.
[[nodiscard]] ByteVector pack(content::ChunkContainer container, ConstBytes plain,
                              const PackOptions& options = {});
/// A zip archive with one entry around deflated or stored data, every field as given.
struct ZipFields {
  std::uint16_t flags = 0;
  std::uint16_t method = 8;
  std::uint32_t crc = 0;
  std::uint32_t compressed_size = 0;
  std::uint32_t plain_size = 0;
  std::uint16_t entries = 1;
  std::uint32_t local_offset = 0;
  std::string name = "z";
  std::string comment;
};
[[nodiscard]] ByteVector zip_archive(ConstBytes data, const ZipFields& fields);
/// Raw deflate, the whole of it.
[[nodiscard]] ByteVector deflate(ConstBytes plain);

/// The body of a chunk: a container encrypted with a made-up IV.
[[nodiscard]] ByteVector seal_body(std::span<const std::uint8_t, 32> key, ConstBytes container);

/// What a manifest says of a chunk of these plain bytes.
[[nodiscard]] content::Chunk describe_chunk(ConstBytes plain, std::size_t body_size,
                                            std::uint64_t offset = 0);

/// A manifest of `files` files in folders of game-like names, 1 to 4 chunks each (two on average); ids are
/// made up.
[[nodiscard]] content::Manifest game_manifest(std::size_t files, std::uint64_t seed);

/// A made-up depot key.
[[nodiscard]] std::array<std::uint8_t, 32> depot_key();

}  // namespace corliss::bench
