#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/content/errc.h>

#include <memory>

struct libdeflate_decompressor;
struct ZSTD_DCtx_s;

namespace corliss::content::detail {

enum class ContainerKind : std::uint8_t { zip_stored, zip_deflated, lzma, zstd, lzma_delta, zstd_delta };

/// A compressed container taken apart; a view. Layouts: docs/wire/chunk.md.
struct Container {
  ContainerKind kind = ContainerKind::zip_stored;
  ConstBytes data;
  std::uint64_t plain_size = 0;  ///< As claimed: 32 bits on the wire.
  std::uint32_t crc = 0;         ///< CRC-32 of the plain bytes; of two that differ the one in the footer.
  std::uint8_t lzma_properties = 0;
  std::uint32_t lzma_dictionary = 0;

  [[nodiscard]] bool is_delta() const noexcept {
    return kind == ContainerKind::lzma_delta || kind == ContainerKind::zstd_delta;
  }
};

/// Whether the bytes begin like a container, deltas included.
[[nodiscard]] bool has_container_magic(ConstBytes bytes) noexcept;

/// Recognises a container by its magic and takes it apart. Decompresses nothing.
/// Errors: Errc::unknown_container, container_too_short, bad_footer, bad_zip.
[[nodiscard]] Result<Container> open_container(ConstBytes bytes) noexcept;

/// Refuses sizes that no stream of this length can have: deflate makes at most 1032 bytes of one. For callers
/// who have no expected size. Errors: Errc::size_mismatch.
[[nodiscard]] Result<void> check_ratio(const Container& container) noexcept;

/// Decompresses containers. Keeps the state of its libraries: once each kind was seen, nothing is allocated,
/// except by liblzma where a chunk is larger than every one before. One thread at a time.
class Decompressor {
 public:
  /// Largest window of LZMA that is allocated, whatever a header asks for.
  static constexpr std::size_t max_lzma_dictionary = std::size_t{64} << 20;

  Decompressor() noexcept;
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;
  ~Decompressor();

  /// Fills `out`, whose size is what the caller expects, exactly, or fails; `out` is then undefined. No
  /// checksum is looked at. Errors: Errc::size_mismatch where the container claims or makes another size,
  /// decompress_failed, lzma_unsupported, delta_container. Throws std::bad_alloc.
  [[nodiscard]] Result<void> unpack(const Container& container, Bytes out);

  /// The same for a delta, which refers to the bytes of `source`. Positions in an LZMA delta count from zero
  /// at the first byte of output.
  [[nodiscard]] Result<void> unpack_delta(const Container& container, ConstBytes source, Bytes out);

 private:
  struct Lzma;
  struct FreeDeflate {
    void operator()(libdeflate_decompressor* state) const noexcept;
  };
  struct FreeZstd {
    void operator()(ZSTD_DCtx_s* state) const noexcept;
  };

  [[nodiscard]] Result<void> inflate(ConstBytes data, Bytes out);
  [[nodiscard]] Result<void> unpack_lzma(const Container& container, ConstBytes dictionary, Bytes out);
  [[nodiscard]] Result<void> unpack_zstd(ConstBytes frame, ConstBytes dictionary, Bytes out);

  std::unique_ptr<libdeflate_decompressor, FreeDeflate> deflate_;
  std::unique_ptr<ZSTD_DCtx_s, FreeZstd> zstd_;
  std::unique_ptr<Lzma> lzma_;
};

}  // namespace corliss::content::detail
