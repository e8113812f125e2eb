#include "bench/content_data.h"

#include <corliss/base/writer.h>
#include <corliss/crypto/checksum.h>
#include <corliss/crypto/depot_cipher.h>
#include <corliss/crypto/hash.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>

#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>

namespace corliss::bench {
namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t bound) {
  return random() % bound;
}

void check(bool good, const char* what) {
  if (!good) {
    throw std::runtime_error(std::string("cannot pack: ") + what);
  }
}

ByteVector lzma_stream_of(ConstBytes plain, const PackOptions& options) {
  lzma_options_lzma lzma{};
  check(!lzma_lzma_preset(&lzma, 6), "lzma preset");
  lzma.dict_size = std::uint32_t{1} << 23;
  lzma.lc = options.lc;
  lzma.lp = options.lp;
  lzma.pb = options.pb;
  lzma.preset_dict = options.dictionary.empty() ? nullptr : options.dictionary.data();
  lzma.preset_dict_size = static_cast<std::uint32_t>(options.dictionary.size());
  // The extended filter writes no end marker.
  lzma.ext_flags = 0;
  lzma_set_ext_size(lzma, UINT64_MAX);
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA1EXT, &lzma}, {LZMA_VLI_UNKNOWN, nullptr}};
  ByteVector out(plain.size() + plain.size() / 3 + 4096);
  std::size_t written = 0;
  check(lzma_raw_buffer_encode(filters, nullptr, plain.data(), plain.size(), out.data(), &written,
                               out.size()) == LZMA_OK,
        "lzma");
  out.resize(written);
  return out;
}

ByteVector zstd_frame_of(ConstBytes plain, const PackOptions& options) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  check(context != nullptr, "zstd context");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 6);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, options.content_size ? 1 : 0);
  if (!options.dictionary.empty()) {
    ZSTD_CCtx_refPrefix(context.get(), options.dictionary.data(), options.dictionary.size());
  }
  ByteVector out(ZSTD_compressBound(plain.size()));
  const auto written = ZSTD_compress2(context.get(), out.data(), out.size(), plain.data(), plain.size());
  check(ZSTD_isError(written) == 0, "zstd");
  out.resize(written);
  return out;
}

ByteVector pack_zip(ConstBytes plain, const PackOptions& options) {
  const ByteVector data = options.stored ? ByteVector(plain.begin(), plain.end()) : deflate(plain);
  ZipFields fields;
  fields.method = options.stored ? 0 : 8;
  fields.crc = crypto::crc32(plain);
  fields.compressed_size = static_cast<std::uint32_t>(data.size());
  fields.plain_size = static_cast<std::uint32_t>(plain.size());
  return zip_archive(data, fields);
}

ByteVector pack_lzma(ConstBytes plain, const PackOptions& options) {
  Writer out;
  out.bytes(bytes_of(options.dictionary.empty() ? "VZa" : "VZd"));
  out.u32(crypto::crc32(plain));
  out.u8(static_cast<std::uint8_t>((options.pb * 5 + options.lp) * 9 + options.lc));
  out.u32(std::uint32_t{1} << 23);
  out.bytes(lzma_stream_of(plain, options));
  out.u32(crypto::crc32(plain));
  out.u32(static_cast<std::uint32_t>(plain.size()));
  out.bytes(bytes_of("zv"));
  return out.take();
}

ByteVector pack_zstd(ConstBytes plain, const PackOptions& options) {
  Writer out;
  out.bytes(bytes_of(options.dictionary.empty() ? "VSZa" : "VSZd"));
  out.u32(crypto::crc32(plain));
  out.bytes(zstd_frame_of(plain, options));
  out.u32(crypto::crc32(plain));
  out.u32(static_cast<std::uint32_t>(plain.size()));
  out.u32(0);
  out.bytes(bytes_of("zsv"));
  return out.take();
}

constexpr std::array words{"materials", "models", "sound",   "maps",   "player", "weapon",
                           "texture",   "normal", "ambient", "dialog", "scene",  "effects",
                           "village",   "forest", "cave",    "bridge", "config", "scripts",
                           "ui",        "fonts",  "shaders", "shared", "level",  "cache"};
constexpr std::array endings{".vtf", ".vmt", ".mdl", ".wav", ".bsp", ".txt", ".dll", ".pak"};

std::string word(Random& random) {
  return words[below(random, words.size())];
}

}  // namespace

ByteVector game_bytes(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  ByteVector out;
  out.reserve(size + 4096);
  while (out.size() < size) {
    const auto length = 64 + below(random, 1024);
    switch (below(random, 4)) {
      case 0:  // text of few words
        while (out.size() < size && below(random, 32) != 0) {
          const auto text = word(random) + " " + std::to_string(below(random, 100)) + "\r\n";
          out.insert(out.end(), text.begin(), text.end());
        }
        break;
      case 1: {  // a table of slowly growing numbers
        auto value = static_cast<std::uint32_t>(random());
        for (std::size_t i = 0; i < length / 4; ++i) {
          value += static_cast<std::uint32_t>(below(random, 200));
          for (int shift = 0; shift < 32; shift += 8) {
            out.push_back(static_cast<std::uint8_t>(value >> shift));
          }
        }
        break;
      }
      case 2:  // something from before
        if (out.size() > 4096) {
          const auto from = static_cast<std::ptrdiff_t>(below(random, out.size() - length));
          out.insert(out.end(), out.begin() + from, out.begin() + from + static_cast<std::ptrdiff_t>(length));
        }
        break;
      default:  // noise
        for (std::size_t i = 0; i < length; ++i) {
          out.push_back(static_cast<std::uint8_t>(random()));
        }
    }
  }
  out.resize(size);
  return out;
}

ByteVector deflate(ConstBytes plain) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  check(compressor != nullptr, "deflate");
  ByteVector out(libdeflate_deflate_compress_bound(compressor.get(), plain.size()));
  out.resize(
      libdeflate_deflate_compress(compressor.get(), plain.data(), plain.size(), out.data(), out.size()));
  check(!out.empty(), "deflate");
  return out;
}

ByteVector zip_archive(ConstBytes data, const ZipFields& fields) {
  Writer out;
  const auto common = [&] {
    out.u16(20);
    out.u16(fields.flags);
    out.u16(fields.method);
    out.u32(0x426c6ce5);  // time and date of the real sample
    out.u32(fields.crc);
    out.u32(fields.compressed_size);
    out.u32(fields.plain_size);
    out.u16(static_cast<std::uint16_t>(fields.name.size()));
    out.u16(0);
  };
  out.u32(0x04034b50);
  common();
  out.bytes(bytes_of(fields.name));
  out.bytes(data);
  const auto directory_at = out.size();
  out.u32(0x02014b50);
  out.u16(20);
  common();
  out.u16(0);
  out.u16(0);
  out.u16(0);
  out.u32(0);
  out.u32(fields.local_offset);
  out.bytes(bytes_of(fields.name));
  const auto directory_size = out.size() - directory_at;
  out.u32(0x06054b50);
  out.u32(0);
  out.u16(fields.entries);
  out.u16(fields.entries);
  out.u32(static_cast<std::uint32_t>(directory_size));
  out.u32(static_cast<std::uint32_t>(directory_at));
  out.u16(static_cast<std::uint16_t>(fields.comment.size()));
  out.bytes(bytes_of(fields.comment));
  return out.take();
}

ByteVector pack(content::ChunkContainer container, ConstBytes plain, const PackOptions& options) {
  switch (container) {
    case content::ChunkContainer::zip:
      return pack_zip(plain, options);
    case content::ChunkContainer::lzma:
      return pack_lzma(plain, options);
    case content::ChunkContainer::zstd:
      return pack_zstd(plain, options);
  }
  throw std::runtime_error("no such container");
}

ByteVector seal_body(std::span<const std::uint8_t, 32> key, ConstBytes container) {
  crypto::DepotCipher cipher(key);
  const auto digest = crypto::sha1(container);
  ByteVector body(crypto::DepotCipher::sealed_size(container.size()));
  check(cipher.seal(container, std::span(digest).first<crypto::depot_iv_size>(), body).has_value(), "cipher");
  return body;
}

content::Chunk describe_chunk(ConstBytes plain, std::size_t body_size, std::uint64_t offset) {
  content::Chunk chunk;
  chunk.offset = offset;
  chunk.id = content::ChunkId(crypto::sha1(plain));
  chunk.checksum = crypto::adler32(plain, crypto::adler32_depot_seed);
  chunk.size = static_cast<std::uint32_t>(plain.size());
  chunk.compressed_size = static_cast<std::uint32_t>(body_size);
  return chunk;
}

content::Manifest game_manifest(std::size_t files, std::uint64_t seed) {
  Random random(seed);
  const auto digest = [&random] {
    crypto::Sha1Digest out;
    std::generate(out.begin(), out.end(), [&random] { return static_cast<std::uint8_t>(random()); });
    return out;
  };
  std::deque<std::string> names;
  std::deque<std::vector<content::Chunk>> chunks;
  std::vector<content::NewManifestFile> list;
  for (std::size_t i = 0; i < files; ++i) {
    std::string name = "game";
    for (std::uint64_t depth = below(random, 3) + 1; depth > 0; --depth) {
      name += "\\" + word(random);
    }
    name += "\\" + word(random) + "_" + std::to_string(i) + endings[below(random, endings.size())];
    auto& pieces = chunks.emplace_back();
    content::NewManifestFile file;
    const std::uint64_t count = below(random, 8) < 5 ? 1 : 2 + below(random, 3);
    for (std::uint64_t piece = 0; piece < count; ++piece) {
      content::Chunk chunk;
      chunk.offset = piece << 20;
      chunk.size = piece + 1 == count ? static_cast<std::uint32_t>(1 + below(random, 1 << 20)) : 1 << 20;
      chunk.compressed_size = chunk.size / 2 + 64;
      chunk.id = content::ChunkId(digest());
      chunk.checksum = static_cast<std::uint32_t>(random());
      file.size = chunk.offset + chunk.size;
      pieces.push_back(chunk);
    }
    file.name = names.emplace_back(std::move(name));
    file.chunks = pieces;
    file.content_hash = count == 1 ? pieces[0].id.bytes() : digest();
    list.push_back(file);
  }
  content::ManifestInfo info;
  info.depot = proto::DepotId(731);
  info.id = proto::ManifestId(0x0f1e2d3c4b5a6978 ^ seed);
  info.created = UnixTime(std::chrono::seconds(1718064000));
  auto manifest = content::Manifest::make(info, list);
  check(manifest.has_value(), "manifest");
  return *std::move(manifest);
}

std::array<std::uint8_t, 32> depot_key() {
  std::array<std::uint8_t, 32> key{};
  for (std::size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<std::uint8_t>(3 + 7 * i);
  }
  return key;
}

}  // namespace corliss::bench
