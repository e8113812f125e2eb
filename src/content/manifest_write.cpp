#include "content/manifest_data.h"
#include "content/wire.h"

#include <corliss/base/writer.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>
#include <tuple>

namespace corliss::content {
namespace {

using detail::FieldWriter;
using detail::FileRecord;
using detail::varint_size;
using Level = detail::UnknownFields::Level;

constexpr std::uint32_t payload_magic = 0x71f617d0;
constexpr std::uint32_t metadata_magic = 0x1f4812be;
constexpr std::uint32_t signature_magic = 0x1b81b817;
constexpr std::uint32_t end_magic = 0x32c415ab;

constexpr std::size_t digest_field_size = 2 + ChunkId::size;
constexpr std::size_t fixed32_field_size = 5;

/// Size of a field of bytes.
std::size_t bytes_size(std::size_t size) noexcept {
  return 1 + varint_size(size) + size;
}

/// Unknown fields by their owner.
class UnknownIndex {
 public:
  UnknownIndex(std::vector<detail::UnknownFields> pieces, std::string_view bytes)
      : pieces_(std::move(pieces)), bytes_(bytes) {
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.level, a.owner) < std::pair(b.level, b.owner);
    });
  }

  [[nodiscard]] std::string of(Level level, std::uint32_t owner) const {
    std::string out;
    auto piece =
        std::lower_bound(pieces_.begin(), pieces_.end(), std::pair(level, owner),
                         [](const auto& a, const auto& key) { return std::pair(a.level, a.owner) < key; });
    for (; piece != pieces_.end() && piece->level == level && piece->owner == owner; ++piece) {
      out += detail::text_at(bytes_, piece->bytes);
    }
    return out;
  }

 private:
  std::vector<detail::UnknownFields> pieces_;
  std::string_view bytes_;
};

std::size_t chunk_size(const Chunk& chunk, std::string_view unknown) noexcept {
  return digest_field_size + fixed32_field_size + 1 + varint_size(chunk.offset) + 1 +
         varint_size(chunk.size) + 1 + varint_size(chunk.compressed_size) + unknown.size();
}

void put_chunk(std::string& out, const Chunk& chunk, std::string_view unknown) {
  FieldWriter fields(out);
  fields.length(6, chunk_size(chunk, unknown));
  fields.bytes(1, text_of(chunk.id.bytes()));
  fields.fixed32(2, chunk.checksum);
  fields.varint(3, chunk.offset);
  fields.varint(4, chunk.size);
  fields.varint(5, chunk.compressed_size);
  out += unknown;
}

std::string metadata_message(const ManifestInfo& info, std::uint32_t unique_chunks,
                             std::uint32_t payload_crc) {
  std::string out;
  FieldWriter fields(out);
  fields.varint(1, info.depot.value());
  fields.varint(2, info.id.value());
  fields.varint(3, static_cast<std::uint32_t>(info.created.time_since_epoch().count()));
  fields.varint(4, info.names_encrypted ? 1 : 0);
  fields.varint(5, info.total_size);
  fields.varint(6, info.total_compressed_size);
  fields.varint(7, unique_chunks);
  fields.varint(8, info.names_encrypted ? payload_crc : info.crc_encrypted);
  fields.varint(9, info.names_encrypted ? 0 : payload_crc);
  return out;
}

}  // namespace

std::vector<std::uint8_t> Manifest::write(const WriteOptions& options) const {
  const UnknownIndex unknown(data_->unknown, data_->unknown_bytes);
  const bool any_unknown = !data_->unknown.empty();
  const auto unknown_of = [&](Level level, std::uint32_t owner) {
    return any_unknown ? unknown.of(level, owner) : std::string();
  };

  std::string payload;
  payload.reserve(data_->names.size() + data_->files.size() * 72 + data_->chunks.size() * 48);
  for (const FileRecord& file : data_->files) {
    const auto name = detail::text_at(data_->names, file.name);
    const auto link_target = detail::text_at(data_->names, file.link_target);
    const std::size_t content_hash_size = file.has_content_hash ? file.content_hash.size() : 0;
    const auto file_unknown = unknown_of(Level::file, file.ordinal);
    std::size_t size = bytes_size(name.size()) + 1 + varint_size(file.size) + 1 + varint_size(file.flags) +
                       digest_field_size + bytes_size(content_hash_size) + file_unknown.size();
    size += link_target.empty() ? 0 : bytes_size(link_target.size());
    for (std::uint32_t i = 0; i < file.chunk_count; ++i) {
      size += bytes_size(
          chunk_size(data_->chunks[file.first_chunk + i], unknown_of(Level::chunk, file.first_chunk + i)));
    }

    FieldWriter fields(payload);
    fields.length(1, size);
    fields.bytes(1, name);
    fields.varint(2, file.size);
    fields.varint(3, file.flags);
    fields.bytes(4, text_of(file.name_hash));
    fields.bytes(5, text_of(file.content_hash).substr(0, content_hash_size));
    for (std::uint32_t i = 0; i < file.chunk_count; ++i) {
      put_chunk(payload, data_->chunks[file.first_chunk + i], unknown_of(Level::chunk, file.first_chunk + i));
    }
    if (!link_target.empty()) {
      fields.bytes(7, link_target);
    }
    payload += file_unknown;
  }
  payload += unknown_of(Level::payload, 0);

  Writer out(payload.size() + 256);
  out.u32(payload_magic);
  out.u32(static_cast<std::uint32_t>(payload.size()));
  out.bytes(bytes_of(payload));
  const auto crc = crypto::crc32(out.view().subspan(sizeof payload_magic));
  const auto metadata =
      metadata_message(data_->info, data_->unique_chunks, crc) + unknown_of(Level::metadata, 0);
  out.u32(metadata_magic);
  out.u32(static_cast<std::uint32_t>(metadata.size()));
  out.bytes(bytes_of(metadata));
  const auto signature =
      options.keep_signature && !data_->changed ? ConstBytes(data_->signature) : ConstBytes();
  out.u32(signature_magic);
  out.u32(static_cast<std::uint32_t>(signature.size()));
  out.bytes(signature);
  out.u32(end_magic);
  return out.take();
}

}  // namespace corliss::content
