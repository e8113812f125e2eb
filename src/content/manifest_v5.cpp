#include "content/manifest_data.h"
#include "content/wire.h"

#include <corliss/base/reader.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>
#include <array>

namespace corliss::content::detail {
namespace {

using Data = ManifestSteps::Data;
using Level = UnknownFields::Level;

constexpr std::uint32_t payload_magic = 0x71f617d0;
constexpr std::uint32_t metadata_magic = 0x1f4812be;
constexpr std::uint32_t signature_magic = 0x1b81b817;
constexpr std::uint32_t end_magic = 0x32c415ab;

/// Reads the messages of a v5 manifest. `at` is always the place that an error message points to.
class V5Reader {
 public:
  V5Reader(ConstBytes input, const ManifestParseOptions& options, Data& data) noexcept
      : input_(input), options_(options), data_(data) {}

  [[nodiscard]] Result<void> read() {
    auto result = read_all();
    if (!result) {
      const auto file = in_file_ ? static_cast<std::uint32_t>(data_.files.size()) : ManifestFault::no_file;
      note_fault(options_.fault, static_cast<std::size_t>(at_ - input_.data()), file);
    }
    return result;
  }

 private:
  struct Sections {
    std::optional<ConstBytes> payload, metadata, signature;
    ConstBytes payload_with_length;
  };

  [[nodiscard]] Result<void> read_all() {
    CORLISS_TRY(const auto sections, find_sections());
    CORLISS_CHECK(read_metadata(*sections.metadata));
    CORLISS_CHECK(read_payload(*sections.payload));
    data_.signature.assign(sections.signature->begin(), sections.signature->end());
    at_ = sections.payload->data();
    return ManifestSteps::check_crc(data_, crypto::crc32(sections.payload_with_length), options_);
  }

  /// In any order; of a repeated section the last counts.
  [[nodiscard]] Result<Sections> find_sections() {
    Sections sections;
    Reader in(input_);
    for (;;) {
      at_ = in.peek().data();
      CORLISS_TRY(const auto magic, in.u32());
      if (magic == end_magic) {
        break;
      }
      if (magic != payload_magic && magic != metadata_magic && magic != signature_magic) {
        return fail(Errc::unknown_magic);
      }
      const auto with_length = in.peek();
      CORLISS_TRY(const auto length, in.u32());
      CORLISS_TRY(const auto section, in.bytes(length));
      if (magic == payload_magic) {
        sections.payload = section;
        sections.payload_with_length = with_length.first(sizeof length + section.size());
      } else if (magic == metadata_magic) {
        sections.metadata = section;
      } else {
        sections.signature = section;
      }
    }
    if (!sections.payload || !sections.metadata || !sections.signature) {
      return fail(Errc::missing_section);
    }
    return sections;
  }

  [[nodiscard]] Result<void> read_metadata(ConstBytes message) {
    auto& info = data_.info;
    FieldReader in(message);
    for (Field field; !in.done();) {
      at_ = in.position();
      if (!in.take(field)) {
        return fail(Errc::bad_protobuf);
      }
      const auto number = static_cast<std::uint32_t>(field.value);
      switch (field.type == WireType::varint ? field.number : 0) {
        case 1:
          info.depot = proto::DepotId(number);
          break;
        case 2:
          info.id = proto::ManifestId(field.value);
          break;
        case 3:
          info.created = UnixTime(std::chrono::seconds(number));
          break;
        case 4:
          info.names_encrypted = field.value != 0;
          break;
        case 5:
          info.total_size = field.value;
          break;
        case 6:
          info.total_compressed_size = field.value;
          break;
        case 7:
          info.unique_chunks = number;
          break;
        case 8:
          info.crc_encrypted = number;
          break;
        case 9:
          info.crc_clear = number;
          break;
        default:
          keep_unknown(Level::metadata, 0, field);
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> read_payload(ConstBytes message) {
    reserve(message);
    FieldReader in(message);
    for (Field field; !in.done();) {
      at_ = in.position();
      if (!in.take(field)) {
        return fail(Errc::bad_protobuf);
      }
      if (!field.is(1, WireType::length)) {
        keep_unknown(Level::payload, 0, field);
        continue;
      }
      if (data_.files.size() >= options_.limits.files) {
        return fail(Errc::too_many_entries);
      }
      in_file_ = true;
      CORLISS_CHECK(read_mapping(field.bytes));
      in_file_ = false;
    }
    return {};
  }

  /// Counts the entries that are there, so that nothing is reserved on the word of a count.
  void reserve(ConstBytes message) {
    std::size_t files = 0;
    FieldReader in(message);
    for (Field field; !in.done() && in.take(field);) {
      files += field.is(1, WireType::length) ? 1 : 0;
    }
    data_.files.reserve(std::min(files, options_.limits.files));
    data_.chunks.reserve(std::min(files, options_.limits.chunks));
  }

  [[nodiscard]] Result<void> read_mapping(ConstBytes message) {
    FileRecord file;
    file.ordinal = static_cast<std::uint32_t>(data_.files.size());
    file.first_chunk = static_cast<std::uint32_t>(data_.chunks.size());
    ConstBytes name;
    ConstBytes link_target;
    ConstBytes name_hash;
    ConstBytes content_hash;
    FieldReader in(message);
    for (Field field; !in.done();) {
      at_ = in.position();
      if (!in.take(field)) {
        return fail(Errc::bad_protobuf);
      }
      if (field.is(6, WireType::length)) {
        if (data_.chunks.size() >= options_.limits.chunks) {
          return fail(Errc::too_many_entries);
        }
        CORLISS_CHECK(read_chunk(field.bytes));
      } else if (field.is(1, WireType::length)) {
        name = field.bytes;
      } else if (field.is(2, WireType::varint)) {
        file.size = field.value;
      } else if (field.is(3, WireType::varint)) {
        file.flags = static_cast<std::uint32_t>(field.value);
      } else if (field.is(4, WireType::length)) {
        name_hash = field.bytes;
      } else if (field.is(5, WireType::length)) {
        content_hash = field.bytes;
      } else if (field.is(7, WireType::length)) {
        link_target = field.bytes;
      } else {
        keep_unknown(Level::file, file.ordinal, field);
      }
    }
    at_ = message.data();
    file.has_content_hash = !content_hash.empty();
    if (name_hash.size() != ChunkId::size ||
        (file.has_content_hash && content_hash.size() != ChunkId::size)) {
      return fail(Errc::bad_hash_size);
    }
    std::copy(name_hash.begin(), name_hash.end(), file.name_hash.begin());
    std::copy(content_hash.begin(), content_hash.end(), file.content_hash.begin());
    file.name = data_.add_name(text_of(name));
    file.link_target = data_.add_name(text_of(link_target));
    file.chunk_count = static_cast<std::uint32_t>(data_.chunks.size()) - file.first_chunk;
    data_.files.push_back(file);
    return {};
  }

  [[nodiscard]] Result<void> read_chunk(ConstBytes message) {
    Chunk chunk;
    ConstBytes id;
    FieldReader in(message);
    for (Field field; !in.done();) {
      at_ = in.position();
      if (!in.take(field)) {
        return fail(Errc::bad_protobuf);
      }
      if (field.is(1, WireType::length)) {
        id = field.bytes;
      } else if (field.is(2, WireType::fixed32)) {
        chunk.checksum = static_cast<std::uint32_t>(field.value);
      } else if (field.is(3, WireType::varint)) {
        chunk.offset = field.value;
      } else if (field.is(4, WireType::varint)) {
        chunk.size = static_cast<std::uint32_t>(field.value);
      } else if (field.is(5, WireType::varint)) {
        chunk.compressed_size = static_cast<std::uint32_t>(field.value);
      } else {
        keep_unknown(Level::chunk, static_cast<std::uint32_t>(data_.chunks.size()), field);
      }
    }
    if (id.size() != ChunkId::size) {
      return fail(Errc::bad_chunk_id);
    }
    chunk.id = ChunkId(id.first<ChunkId::size>());
    data_.chunks.push_back(chunk);
    return {};
  }

  /// Pieces of one owner that follow each other become one, so that many small fields cost no more than they
  /// are long.
  void keep_unknown(Level level, std::uint32_t owner, const Field& field) {
    const auto at = static_cast<std::uint32_t>(data_.unknown_bytes.size());
    const auto size = static_cast<std::uint32_t>(field.raw.size());
    data_.unknown_bytes += text_of(field.raw);
    auto& pieces = data_.unknown;
    if (!pieces.empty() && pieces.back().level == level && pieces.back().owner == owner) {
      pieces.back().bytes.size += size;
      return;
    }
    pieces.push_back({level, owner, {at, size}});
  }

  ConstBytes input_;
  const ManifestParseOptions& options_;
  Data& data_;
  const std::uint8_t* at_ = nullptr;
  bool in_file_ = false;
};

}  // namespace

Result<void> ManifestSteps::read_v5(ConstBytes input, const ManifestParseOptions& options, Data& data) {
  data.format = ManifestFormat::v5;
  return V5Reader(input, options, data).read();
}

}  // namespace corliss::content::detail
