#pragma once

#include <corliss/content/manifest.h>

#include <string>

namespace corliss::content {

namespace detail {

/// A part of a text buffer.
struct Slice {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
};

[[nodiscard]] inline std::string_view text_at(std::string_view arena, Slice slice) noexcept {
  return arena.substr(slice.at, slice.size);
}

struct FileRecord {
  std::uint64_t size = 0;
  Slice name;
  Slice link_target;
  std::uint32_t first_chunk = 0;
  std::uint32_t chunk_count = 0;
  std::uint32_t flags = 0;
  std::uint32_t ordinal = 0;  ///< Index in the input, whatever the order now.
  crypto::Sha1Digest name_hash{};
  crypto::Sha1Digest content_hash{};
  bool has_content_hash = true;
  PathVerdict verdict = PathVerdict::unchecked;
};

/// Protobuf fields that are not known here, kept for writing: tags and values as read.
struct UnknownFields {
  enum class Level : std::uint8_t { payload, metadata, file, chunk };
  Level level = Level::payload;
  std::uint32_t owner = 0;  ///< Of a file its ordinal, of a chunk its index.
  Slice bytes;              ///< In `Data::unknown_bytes`.
};

}  // namespace detail

struct Manifest::Data {
  ManifestInfo info;
  ManifestFormat format = ManifestFormat::v5;
  CrcState crc_state = CrcState::absent;
  bool entry_count_fits = true;
  bool changed = false;            ///< Since it was read; a signature no longer fits.
  std::optional<PathRules> rules;  ///< What the verdicts were made with.
  std::vector<detail::FileRecord> files;
  std::vector<Chunk> chunks;
  std::string names;
  std::vector<std::uint8_t> signature;  ///< The section as read.
  std::vector<detail::UnknownFields> unknown;
  std::string unknown_bytes;
  std::uint32_t unique_chunks = 0;  ///< Counted, not what the file says.

  [[nodiscard]] std::span<const Chunk> chunks_of(const detail::FileRecord& file) const noexcept {
    return std::span(chunks).subspan(file.first_chunk, file.chunk_count);
  }
  /// Appends to the names.
  detail::Slice add_name(std::string_view text) {
    const detail::Slice slice{static_cast<std::uint32_t>(names.size()),
                              static_cast<std::uint32_t>(text.size())};
    names += text;
    return slice;
  }
};

namespace detail {

/// Notes where a manifest was refused.
inline void note_fault(ManifestFault* fault, std::size_t offset, std::uint32_t file = ManifestFault::no_file,
                       PathVerdict verdict = PathVerdict::unchecked) noexcept {
  if (fault != nullptr) {
    *fault = {offset, file, verdict};
  }
}

// The steps of parsing; each in a file of its own.
struct ManifestSteps {
  using Data = Manifest::Data;

  /// Fill an empty `data` from an unpacked manifest. manifest_v5.cpp, manifest_v4.cpp.
  [[nodiscard]] static Result<void> read_v5(ConstBytes input, const ManifestParseOptions& options,
                                            Data& data);
  [[nodiscard]] static Result<void> read_v4(ConstBytes input, const ManifestParseOptions& options,
                                            Data& data);
  /// Puts files in another order, given as indices.
  static void reorder(Data& data, std::span<const std::uint32_t> order);
  /// Turns `/` into `\\` in the names; link targets stay as stored.
  static void normalise_names(std::vector<FileRecord>& files, std::string& names);
  /// Rules for entries and chunks; counts the unique chunks. manifest_check.cpp.
  [[nodiscard]] static Result<void> check_structure(Data& data, ManifestFault* fault);
  /// Verdicts for names that lie in `names`; the first that is not accepted is noted. manifest_paths.cpp.
  static std::size_t judge_paths(std::vector<FileRecord>& files, std::string_view names,
                                 const PathRules& rules);
  /// The error of the first entry that was not accepted. manifest_paths.cpp.
  [[nodiscard]] static Result<void> first_refusal(const std::vector<FileRecord>& files, ManifestFault* fault);
  /// Compares the payload's CRC with the one that the manifest states.
  [[nodiscard]] static Result<void> check_crc(Data& data, std::uint32_t crc,
                                              const ManifestParseOptions& options);
};

}  // namespace detail
}  // namespace corliss::content
