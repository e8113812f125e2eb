#include "content/manifest_data.h"

#include <corliss/base/endian.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace corliss::content::detail {
namespace {

constexpr std::uint64_t max_file_size = std::numeric_limits<std::int64_t>::max();

/// A chunk by the first bytes of its id, for grouping equal ones.
struct ChunkKey {
  std::uint64_t prefix;
  std::uint32_t chunk;
};

Result<void> check_chunk(const Chunk& chunk, std::uint64_t file_size) {
  if (chunk.size == 0 || chunk.offset > file_size || chunk.size > file_size - chunk.offset) {
    return fail(Errc::bad_chunk_range);
  }
  if (chunk.size > max_chunk_size || chunk.compressed_size > max_chunk_body_size(chunk.size)) {
    return fail(Errc::too_large);
  }
  return {};
}

/// Whether any two chunks overlap. Steam writes most files in order, which needs no sorting.
bool overlap(std::span<const Chunk> chunks, std::vector<std::pair<std::uint64_t, std::uint64_t>>& scratch) {
  const auto in_order = [](const Chunk& a, const Chunk& b) { return a.offset + a.size > b.offset; };
  if (std::adjacent_find(chunks.begin(), chunks.end(), in_order) == chunks.end()) {
    return false;
  }
  scratch.clear();
  for (const auto& chunk : chunks) {
    scratch.emplace_back(chunk.offset, chunk.offset + chunk.size);
  }
  std::sort(scratch.begin(), scratch.end());
  return std::adjacent_find(scratch.begin(), scratch.end(),
                            [](const auto& a, const auto& b) { return a.second > b.first; }) != scratch.end();
}

/// Keys in ascending order. Ids are uniform unless somebody makes them otherwise: a pass by their first bits
/// leaves little to sort, and at worst as much as before.
std::vector<ChunkKey> sorted_keys(std::span<const Chunk> chunks) {
  constexpr unsigned bucket_bits = 12;
  constexpr unsigned shift = 64 - bucket_bits;
  const auto prefix_of = [](const Chunk& chunk) { return load_be<std::uint64_t>(chunk.id.bytes().data()); };
  std::vector<std::uint32_t> ends((std::size_t{1} << bucket_bits) + 1);
  for (const auto& chunk : chunks) {
    ++ends[(prefix_of(chunk) >> shift) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<ChunkKey> keys(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto prefix = prefix_of(chunks[i]);
    keys[ends[prefix >> shift]++] = {prefix, static_cast<std::uint32_t>(i)};
  }
  std::size_t begin = 0;
  for (std::size_t bucket = 0; bucket + 1 < ends.size(); ++bucket) {
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.begin() + ends[bucket],
              [](const ChunkKey& a, const ChunkKey& b) { return a.prefix < b.prefix; });
    begin = ends[bucket];
  }
  return keys;
}

/// All occurrences of an id agree on size and checksum. Counts the different ids.
Result<void> check_agreement(std::span<const Chunk> chunks, std::uint32_t& unique) {
  auto keys = sorted_keys(chunks);
  unique = 0;
  for (auto begin = keys.begin(); begin != keys.end();) {
    const auto end =
        std::find_if(begin, keys.end(), [begin](const ChunkKey& key) { return key.prefix != begin->prefix; });
    const auto id_of = [chunks](const ChunkKey& key) -> const ChunkId& { return chunks[key.chunk].id; };
    if (end - begin > 1) {
      std::sort(begin, end, [id_of](const ChunkKey& a, const ChunkKey& b) { return id_of(a) < id_of(b); });
    }
    ++unique;
    for (auto next = begin + 1; next != end; ++next) {
      const Chunk& a = chunks[next[-1].chunk];
      const Chunk& b = chunks[next->chunk];
      if (a.id != b.id) {
        ++unique;
      } else if (a.size != b.size || a.checksum != b.checksum) {
        return fail(Errc::chunk_disagreement);
      }
    }
    begin = end;
  }
  return {};
}

}  // namespace

Result<void> ManifestSteps::check_structure(Data& data, ManifestFault* fault) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> scratch;
  for (const auto& file : data.files) {
    const auto refuse = [&](Errc errc) {
      note_fault(fault, 0, file.ordinal);
      return fail(errc);
    };
    const bool is_link = (file.flags & depot_file_flag::symlink) != 0 || file.link_target.size != 0;
    const bool is_directory = (file.flags & depot_file_flag::directory) != 0;
    if (is_link || is_directory) {
      // Version 4 has links, but no place for their targets.
      const bool lacks_target = is_link && file.link_target.size == 0 && data.format != ManifestFormat::v4;
      if (file.size != 0 || file.chunk_count != 0 || lacks_target) {
        return refuse(Errc::bad_entry);
      }
      continue;
    }
    if (!file.has_content_hash) {
      return refuse(Errc::bad_hash_size);
    }
    if (file.size > max_file_size) {
      return refuse(Errc::too_large);
    }
    const auto chunks = data.chunks_of(file);
    for (const auto& chunk : chunks) {
      if (auto good = check_chunk(chunk, file.size); !good) {
        note_fault(fault, 0, file.ordinal);
        return good;
      }
    }
    if (overlap(chunks, scratch)) {
      return refuse(Errc::bad_chunk_range);
    }
  }
  return check_agreement(data.chunks, data.unique_chunks);
}

Result<void> ManifestSteps::check_crc(Data& data, std::uint32_t crc, const ManifestParseOptions& options) {
  const std::uint32_t stated = data.info.names_encrypted ? data.info.crc_encrypted : data.info.crc_clear;
  data.crc_state = stated == 0 ? CrcState::absent : stated == crc ? CrcState::fits : CrcState::differs;
  if (data.crc_state == CrcState::differs && options.refuse_wrong_crc) {
    return fail(Errc::crc_mismatch);
  }
  return {};
}

}  // namespace corliss::content::detail
