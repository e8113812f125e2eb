#include "content/manifest_data.h"

#include <corliss/base/reader.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>

namespace corliss::content::detail {
namespace {

constexpr std::uint32_t v4_magic = 0x16349781;
constexpr std::uint32_t v4_version = 4;
constexpr std::size_t chunk_entry_size = 40;

struct Header {
  ManifestInfo info;
  std::uint32_t entry_count = 0;
  std::uint32_t mapping_size = 0;
};

Result<Header> read_header(Reader& in) {
  Header header;
  CORLISS_CHECK(in.u32());  // the magic, which brought us here
  CORLISS_TRY(const auto version, in.u32());
  if (version != v4_version) {
    return fail(Errc::unsupported_version);
  }
  CORLISS_TRY(const auto depot, in.u32());
  CORLISS_TRY(const auto id, in.u64());
  CORLISS_TRY(const auto created, in.u32());
  CORLISS_TRY(const auto encrypted, in.u32());
  header.info.depot = proto::DepotId(depot);
  header.info.id = proto::ManifestId(id);
  header.info.created = UnixTime(std::chrono::seconds(created));
  header.info.names_encrypted = encrypted != 0;
  CORLISS_TRY(header.info.total_size, in.u64());
  CORLISS_TRY(header.info.total_compressed_size, in.u64());
  CORLISS_TRY(header.info.unique_chunks, in.u32());
  CORLISS_TRY(header.entry_count, in.u32());
  CORLISS_TRY(header.mapping_size, in.u32());
  CORLISS_TRY(header.info.crc_encrypted, in.u32());
  CORLISS_TRY(header.info.crc_clear, in.u32());
  CORLISS_CHECK(in.u32());  // flags of unknown meaning
  return header;
}

template <class Digest>
Result<void> read_digest(Reader& in, Digest& digest) {
  CORLISS_TRY(const auto bytes, in.bytes(digest.size()));
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return {};
}

Result<Chunk> read_chunk(Reader& in) {
  Chunk chunk;
  CORLISS_TRY(const auto id, in.bytes(ChunkId::size));
  chunk.id = ChunkId(id.first<ChunkId::size>());
  CORLISS_TRY(chunk.checksum, in.u32());
  CORLISS_TRY(chunk.offset, in.u64());
  CORLISS_TRY(chunk.size, in.u32());
  CORLISS_TRY(chunk.compressed_size, in.u32());
  return chunk;
}

/// One entry. Errors: BaseErrc::truncated where it would run past the mapping area.
Result<void> read_entry(Reader& in, const ManifestLimits& limits, ManifestSteps::Data& data) {
  FileRecord file;
  file.ordinal = static_cast<std::uint32_t>(data.files.size());
  const auto rest = in.peek();
  const auto name_size = static_cast<std::size_t>(std::find(rest.begin(), rest.end(), 0) - rest.begin());
  CORLISS_TRY(const auto name, in.bytes(name_size));
  CORLISS_CHECK(in.u8());  // the NUL
  CORLISS_TRY(file.size, in.u64());
  CORLISS_TRY(file.flags, in.u32());
  CORLISS_CHECK(read_digest(in, file.content_hash));
  CORLISS_CHECK(read_digest(in, file.name_hash));
  CORLISS_TRY(const auto chunk_count, in.u32());
  if (chunk_count > in.remaining() / chunk_entry_size) {
    return fail(BaseErrc::truncated);
  }
  if (chunk_count > limits.chunks - data.chunks.size()) {
    return fail(Errc::too_many_entries);
  }
  file.first_chunk = static_cast<std::uint32_t>(data.chunks.size());
  file.chunk_count = chunk_count;
  for (std::uint32_t i = 0; i < chunk_count; ++i) {
    CORLISS_TRY(const auto chunk, read_chunk(in));
    data.chunks.push_back(chunk);
  }
  file.name = data.add_name(text_of(name));
  data.files.push_back(file);
  return {};
}

Result<void> read(Reader& in, std::size_t& entry_at, const ManifestParseOptions& options,
                  ManifestSteps::Data& data) {
  CORLISS_TRY(const auto header, read_header(in));
  data.info = header.info;
  const std::size_t mapping_at = in.offset();
  if (header.mapping_size > in.remaining() || in.remaining() - header.mapping_size < sizeof v4_magic) {
    return fail(BaseErrc::truncated);
  }
  CORLISS_TRY(const auto mapping, in.bytes(header.mapping_size));
  Reader entries(mapping);
  while (!entries.empty()) {
    entry_at = mapping_at + entries.offset();
    if (data.files.size() >= options.limits.files) {
      return fail(Errc::too_many_entries);
    }
    if (auto entry = read_entry(entries, options.limits, data); !entry) {
      return entry.error() == BaseErrc::truncated ? fail(Errc::bad_mapping_size) : entry;
    }
  }
  entry_at = 0;
  CORLISS_TRY(const auto trailer, in.u32());
  if (trailer != v4_magic) {
    return fail(Errc::bad_trailer);
  }
  data.entry_count_fits = header.entry_count == data.files.size();
  return ManifestSteps::check_crc(data, crypto::crc32(mapping), options);
}

}  // namespace

Result<void> ManifestSteps::read_v4(ConstBytes input, const ManifestParseOptions& options, Data& data) {
  data.format = ManifestFormat::v4;
  Reader in(input);
  std::size_t entry_at = 0;
  auto result = read(in, entry_at, options, data);
  if (!result) {
    const auto file = entry_at != 0 ? static_cast<std::uint32_t>(data.files.size()) : ManifestFault::no_file;
    note_fault(options.fault, entry_at != 0 ? entry_at : in.offset(), file);
  }
  return result;
}

}  // namespace corliss::content::detail
