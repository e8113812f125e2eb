#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/rng.h>
#include <corliss/base/time.h>
#include <corliss/content/chunk_id.h>
#include <corliss/content/errc.h>
#include <corliss/content/path_rules.h>
#include <corliss/crypto/depot_cipher.h>
#include <corliss/proto/ids.h>

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace corliss::content {

namespace detail {
struct ManifestSteps;
}

/// Largest plain size of a chunk; Steam cuts at 1 MiB. Source: protocol notes, depot chunk, "Limits".
inline constexpr std::uint32_t max_chunk_size = std::uint32_t{16} << 20;
/// Largest encrypted body of a chunk of `plain` bytes.
[[nodiscard]] constexpr std::uint64_t max_chunk_body_size(std::uint32_t plain) noexcept {
  return std::uint64_t{plain} + plain / 8 + 1024;
}

/// What a file of a depot is (EDepotFileFlag). Unknown bits are kept.
namespace depot_file_flag {
inline constexpr std::uint32_t user_config = 1;  ///< The user's once installed: leave it alone on updates.
inline constexpr std::uint32_t versioned_user_config = 2;  ///< The same, but replaced by a new version.
inline constexpr std::uint32_t encrypted = 4;              ///< By the game itself; nothing to do.
inline constexpr std::uint32_t read_only = 8;
inline constexpr std::uint32_t hidden = 16;
inline constexpr std::uint32_t executable = 32;  ///< Execute bits on POSIX.
inline constexpr std::uint32_t directory = 64;
inline constexpr std::uint32_t custom_executable = 128;  ///< Execute bits too.
inline constexpr std::uint32_t install_script = 256;     ///< Describes an installation; never run it.
inline constexpr std::uint32_t symlink = 512;
}  // namespace depot_file_flag

/// A piece of a file: 40 bytes in memory.
struct Chunk {
  std::uint64_t offset = 0;           ///< In the file.
  ChunkId id;                         ///< SHA-1 of the plain bytes.
  std::uint32_t checksum = 0;         ///< Adler-32 from seed 0 of the plain bytes (the field `crc`).
  std::uint32_t size = 0;             ///< Plain bytes, 1 to max_chunk_size (`cb_original`).
  std::uint32_t compressed_size = 0;  ///< Bytes of the body on the server (`cb_compressed`).
  friend bool operator==(const Chunk&, const Chunk&) noexcept = default;
};

/// What a manifest says of itself. The totals are for display: never allocate by them.
struct ManifestInfo {
  proto::DepotId depot;
  proto::ManifestId id;
  UnixTime created{};
  bool names_encrypted = false;
  std::uint64_t total_size = 0;             ///< Plain bytes of all files.
  std::uint64_t total_compressed_size = 0;  ///< Bodies of all chunks.
  std::uint32_t unique_chunks = 0;
  std::uint32_t crc_encrypted = 0;  ///< CRC-32 of the payload with encrypted names; 0: none.
  std::uint32_t crc_clear = 0;      ///< The same with plain names; 0: none.
  friend bool operator==(const ManifestInfo&, const ManifestInfo&) noexcept = default;
};

/// Bounds of what `parse` takes. Memory for a manifest stays below 6 times its unpacked size plus 1 MiB.
struct ManifestLimits {
  std::size_t zip_size = std::size_t{256} << 20;       ///< The wrapped form, as downloaded.
  std::size_t unpacked_size = std::size_t{512} << 20;  ///< The form inside; at most 4 GiB - 1.
  std::size_t files = 4'000'000;
  std::size_t chunks = 16'000'000;
};

/// Where and why a manifest was refused, for messages.
struct ManifestFault {
  static constexpr std::uint32_t no_file = 0xffffffff;
  std::size_t offset = 0;        ///< Bytes into the unpacked manifest; 0 where no place is known.
  std::uint32_t file = no_file;  ///< Index of the entry, in the order of the input.
  PathVerdict verdict = PathVerdict::unchecked;  ///< For path errors: the rule.
};

struct ManifestParseOptions {
  ManifestLimits limits;
  /// Rules for plain names; nullopt: names stay unchecked, for tools that only show them.
  std::optional<PathRules> rules = PathRules::posix();
  /// Whether a wrong payload CRC refuses the manifest, or is only noted in `crc_state()`.
  bool refuse_wrong_crc = true;
  ManifestFault* fault = nullptr;  ///< Filled where parsing fails, if given.
};

/// How the payload's CRC-32 came out.
enum class CrcState : std::uint8_t { absent, fits, differs };

enum class ManifestFormat : std::uint8_t { v4, v5 };

/// One entry of a manifest; a view that lives as long as the manifest is not changed.
struct ManifestFile {
  /// As stored: base64 while names are encrypted, else components with `\`. From an untrusted file: to be
  /// shown, never to be opened. `Manifest::safe_path` gives what can be opened.
  std::string_view stored_name;
  std::string_view stored_link_target;  ///< As `stored_name`; empty for all but links.
  std::uint64_t size = 0;               ///< At most 2^63 - 1.
  std::uint32_t flags = 0;              ///< depot_file_flag bits.
  ConstBytes name_hash;           ///< 20 bytes, SHA-1 of the lower-cased plain name. Often wrong: a hint.
  ConstBytes content_hash;        ///< 20 bytes, or none for folders and links. Zeros for empty files.
  std::span<const Chunk> chunks;  ///< As stored, in any order, not overlapping; holes are zeros.
  PathVerdict verdict = PathVerdict::unchecked;

  [[nodiscard]] bool is_link() const noexcept {
    return (flags & depot_file_flag::symlink) != 0 || !stored_link_target.empty();
  }
  [[nodiscard]] bool is_directory() const noexcept {
    return (flags & depot_file_flag::directory) != 0 && !is_link();
  }
  [[nodiscard]] bool is_executable() const noexcept {
    return (flags & (depot_file_flag::executable | depot_file_flag::custom_executable)) != 0;
  }
};

/// An entry for a manifest of one's own. Spans and views must live until `make` returns.
struct NewManifestFile {
  std::string_view name;         ///< Plain, `\` or `/` between components.
  std::string_view link_target;  ///< Empty for all but links.
  std::uint64_t size = 0;
  std::uint32_t flags = 0;
  crypto::Sha1Digest content_hash{};
  std::span<const Chunk> chunks;
};

/// The list of all files of one depot at one version. Two binary forms: v5 (protobuf sections, what servers
/// send, bare or in a one-entry zip) and v4 (fixed layout, in old caches). Layout: docs/wire/manifest.md.
///
///     CORLISS_TRY(auto manifest, Manifest::parse(download));
///     if (manifest.info().names_encrypted) CORLISS_CHECK(manifest.decrypt_names(cipher));
///     for (std::size_t i = 0; i < manifest.file_count(); ++i) {
///       CORLISS_TRY(const SafePath path, manifest.safe_path(i));
///
/// Files and chunks lie in flat arrays, names in one buffer: a copy is four copies of arrays. Const members
/// may be used by any number of threads at once. Functions may throw std::bad_alloc.
class Manifest {
 public:
  Manifest();
  Manifest(const Manifest&);
  Manifest(Manifest&&) noexcept;
  Manifest& operator=(const Manifest&);
  Manifest& operator=(Manifest&&) noexcept;
  ~Manifest();

  /// Reads any form. Checked here: structure, sizes, chunks inside their file and apart, one size and
  /// checksum per chunk id, the payload's CRC, and for plain names the path rules. A manifest is refused
  /// whole. Errors: BaseErrc::truncated, and the container, manifest and path values of Errc. Drop the input.
  [[nodiscard]] static Result<Manifest> parse(ConstBytes input, const ManifestParseOptions& options = {});

  /// Builds a manifest with plain names. Totals, unique chunks and name hashes are computed; the same checks
  /// as in `parse` hold. Of `info` the depot, id and time are used.
  /// `rules` nullopt: names stay unchecked.
  [[nodiscard]] static Result<Manifest> make(const ManifestInfo& info, std::span<const NewManifestFile> files,
                                             const std::optional<PathRules>& rules = PathRules::posix());

  [[nodiscard]] const ManifestInfo& info() const noexcept;
  [[nodiscard]] ManifestFormat format() const noexcept;
  [[nodiscard]] CrcState crc_state() const noexcept;
  /// Version 4: the header counts as many entries as there are. A difference is a warning only.
  [[nodiscard]] bool entry_count_fits() const noexcept;

  [[nodiscard]] std::size_t file_count() const noexcept;
  /// `index` below file_count().
  [[nodiscard]] ManifestFile file(std::size_t index) const noexcept;
  /// Decrypts names and link targets, turns `/` into `\`, checks the path rules and sorts: ASCII case folded,
  /// byte by byte. With plain names it does nothing. Nothing changes where it fails. `rules` nullopt: names
  /// stay unchecked, and `safe_path` gives none until `check_paths` has run. Errors: Errc::bad_encrypted_name
  /// (a wrong key, most likely), path errors, crypto::Errc::library.
  [[nodiscard]] Result<void> decrypt_names(crypto::DepotCipher& cipher,
                                           const std::optional<PathRules>& rules = PathRules::posix(),
                                           ManifestFault* fault = nullptr);

  /// The reverse, as Steam's build tools do: an own IV for each name, base64 in lines of 72, sorted by the
  /// encrypted text. Errors: BaseErrc::random_unavailable, crypto::Errc::library; nothing has changed then.
  [[nodiscard]] Result<void> encrypt_names(crypto::DepotCipher& cipher, Rng& rng);

  /// Holds every plain name and link against `rules` and keeps a verdict for each. Returns how many are not
  /// accepted. Errors: Errc::names_encrypted.
  [[nodiscard]] Result<std::size_t> check_paths(const PathRules& rules);

  /// The path of an accepted entry. Errors: Errc::names_encrypted, or that of its verdict.
  [[nodiscard]] Result<SafePath> safe_path(std::size_t index) const;
  /// The target of an accepted link. Errors: as above; Errc::no_link, also for the links of a v4 manifest,
  /// which has no place for targets.
  [[nodiscard]] Result<SafeLinkTarget> safe_link_target(std::size_t index) const;

  /// The entry with this plain name (`\` between components, exact bytes). Linear in file_count().
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

  struct WriteOptions {
    /// Write the signature that was read, which fits while nothing was changed. Else the section is empty,
    /// since nobody but Valve can sign.
    bool keep_signature = false;
  };
  /// The v5 form, not zipped. Known fields come in the order that Steam's own files have, unknown ones behind
  /// them; a v5 manifest from Steam comes out byte by byte as it was read. Name hashes stay as read.
  /// unique_chunks and the CRC of the payload are computed.
  [[nodiscard]] std::vector<std::uint8_t> write(const WriteOptions& options) const;
  [[nodiscard]] std::vector<std::uint8_t> write() const { return write(WriteOptions{}); }

 private:
  friend struct detail::ManifestSteps;
  struct Data;
  explicit Manifest(std::unique_ptr<Data> data) noexcept;
  std::unique_ptr<Data> data_;
};

}  // namespace corliss::content
