#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/content/chunk_id.h>
#include <corliss/content/errc.h>
#include <corliss/content/manifest.h>
#include <corliss/crypto/depot_cipher.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace corliss::content {

namespace detail {
class Decompressor;
struct Container;
}  // namespace detail

/// How the plain bytes of a chunk were packed; recognised by the first bytes after decryption.
enum class ChunkContainer : std::uint8_t { zip, lzma, zstd };
[[nodiscard]] std::string_view to_string(ChunkContainer container) noexcept;

/// What the manifest says of a chunk, and so what has to come out.
struct ChunkSpec {
  std::uint32_t size = 0;                        ///< Plain bytes (`cb_original`), 1 to max_chunk_size.
  std::optional<std::uint32_t> compressed_size;  ///< Bytes of the body (`cb_compressed`).
  std::optional<std::uint32_t> checksum;         ///< Adler-32 from seed 0.
  std::optional<ChunkId> id;                     ///< SHA-1; the one check that resists intent.

  ChunkSpec() = default;
  /// All that a manifest knows.
  explicit ChunkSpec(const Chunk& chunk) noexcept
      : size(chunk.size), compressed_size(chunk.compressed_size), checksum(chunk.checksum), id(chunk.id) {}
};

/// Decodes the chunks of one depot: decrypts in place, recognises the container, decompresses straight into
/// the caller's buffer and checks everything that is known. Layouts: docs/wire/chunk.md.
///
///     ChunkDecoder decoder(depot_key);
///     std::vector<std::uint8_t> plain(chunk.size);
///     CORLISS_CHECK(decoder.decode(body, ChunkSpec(chunk), plain));
///
/// Keeps its key schedule and the state of each decompressor, so that a warm one allocates nothing per chunk
/// (zip, LZMA and Zstandard chunks of up to 1 MiB; liblzma allocates its window anew where a chunk is larger
/// than all before). One thread at a time; make one for each.
class ChunkDecoder {
 public:
  /// Throws std::system_error where libcrypto lacks AES or memory.
  explicit ChunkDecoder(std::span<const std::uint8_t, crypto::depot_key_size> key);
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;
  ~ChunkDecoder();

  /// Decodes one body as a content server sent it. `body` is decrypted in place and undefined afterwards;
  /// `out` has exactly spec.size bytes, which are also the bound of what any container may expand to, and is
  /// undefined after an error.
  ///
  /// Checked in this order, the first failure counts: Errc::wrong_buffer, too_large (spec.size above
  /// max_chunk_size, or body above max_chunk_body_size), length_mismatch, crypto::Errc::bad_padding,
  /// unknown_container, delta_container, container_too_short, bad_footer, bad_zip, size_mismatch,
  /// decompress_failed, lzma_unsupported, adler_mismatch, crc_mismatch, sha1_mismatch. Fetch again from
  /// another server. May throw std::bad_alloc.
  [[nodiscard]] Result<ChunkContainer> decode(Bytes body, const ChunkSpec& spec, Bytes out);

  /// As `decode`, for a container that is not encrypted.
  [[nodiscard]] Result<ChunkContainer> unpack(ConstBytes container, const ChunkSpec& spec, Bytes out);

  /// Applies a delta of a depot patch (`VZd`, `VSZd`; decrypted with the patch) to its source chunk, whose
  /// SHA-1 the caller has verified. spec.id is what a target is known by; without it only the container's CRC
  /// is checked. Errors: as for `unpack`; Errc::delta_container for a chunk that is no delta, too_large for a
  /// source above max_chunk_size. On any error fetch the target chunk itself.
  [[nodiscard]] Result<void> apply_delta(ConstBytes delta, ConstBytes source, const ChunkSpec& spec,
                                         Bytes out);

  /// The plain size that a decrypted container claims, for tools without a manifest; nothing is decompressed.
  /// Check it against max_chunk_size before allocating. Errors: those of taking a container apart.
  [[nodiscard]] static Result<std::uint32_t> claimed_size(ConstBytes container) noexcept;

  /// After Errc::unknown_container: the first bytes that were met, fewer than four only in shorter data.
  [[nodiscard]] ConstBytes unknown_magic() const noexcept { return ConstBytes(magic_).first(magic_size_); }

 private:
  [[nodiscard]] static Result<void> check_spec(const ChunkSpec& spec, std::size_t body_size,
                                               std::size_t out_size) noexcept;
  [[nodiscard]] Result<detail::Container> open(ConstBytes container) noexcept;
  [[nodiscard]] Result<void> verify(const ChunkSpec& spec, std::uint32_t container_crc, ConstBytes plain);

  crypto::DepotCipher cipher_;
  crypto::Sha1 sha1_;
  std::unique_ptr<detail::Decompressor> decompressor_;
  std::array<std::uint8_t, 4> magic_{};
  std::size_t magic_size_ = 0;
};

}  // namespace corliss::content
