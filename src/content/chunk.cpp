#include "content/container.h"

#include <corliss/content/chunk.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>

namespace corliss::content {
namespace {

/// Checksums run over pieces that stay in the first-level cache, one after the other.
constexpr std::size_t slice_size = std::size_t{16} << 10;

}  // namespace

ChunkDecoder::ChunkDecoder(std::span<const std::uint8_t, crypto::depot_key_size> key)
    : cipher_(key), decompressor_(std::make_unique<detail::Decompressor>()) {}
ChunkDecoder::ChunkDecoder(ChunkDecoder&&) noexcept = default;
ChunkDecoder& ChunkDecoder::operator=(ChunkDecoder&&) noexcept = default;
ChunkDecoder::~ChunkDecoder() = default;

std::string_view to_string(ChunkContainer container) noexcept {
  switch (container) {
    case ChunkContainer::zip:
      return "zip";
    case ChunkContainer::lzma:
      return "lzma";
    case ChunkContainer::zstd:
      return "zstd";
  }
  return "unknown";
}

Result<ChunkContainer> ChunkDecoder::decode(Bytes body, const ChunkSpec& spec, Bytes out) {
  CORLISS_CHECK(check_spec(spec, body.size(), out.size()));
  if (spec.compressed_size && *spec.compressed_size != body.size()) {
    return fail(Errc::length_mismatch);
  }
  CORLISS_TRY(const ConstBytes container, cipher_.open(body));
  return unpack(container, spec, out);
}

Result<ChunkContainer> ChunkDecoder::unpack(ConstBytes bytes, const ChunkSpec& spec, Bytes out) {
  CORLISS_CHECK(check_spec(spec, bytes.size(), out.size()));
  CORLISS_TRY(const auto container, open(bytes));
  CORLISS_CHECK(decompressor_->unpack(container, out));
  CORLISS_CHECK(verify(spec, container.crc, out));
  switch (container.kind) {
    case detail::ContainerKind::lzma:
      return ChunkContainer::lzma;
    case detail::ContainerKind::zstd:
      return ChunkContainer::zstd;
    default:
      return ChunkContainer::zip;
  }
}

Result<void> ChunkDecoder::apply_delta(ConstBytes delta, ConstBytes source, const ChunkSpec& spec,
                                       Bytes out) {
  CORLISS_CHECK(check_spec(spec, delta.size(), out.size()));
  if (source.size() > max_chunk_size) {
    return fail(Errc::too_large);
  }
  CORLISS_TRY(const auto container, open(delta));
  CORLISS_CHECK(decompressor_->unpack_delta(container, source, out));
  return verify(spec, container.crc, out);
}

Result<std::uint32_t> ChunkDecoder::claimed_size(ConstBytes bytes) noexcept {
  return detail::open_container(bytes).map(
      [](const detail::Container& container) { return static_cast<std::uint32_t>(container.plain_size); });
}

Result<void> ChunkDecoder::check_spec(const ChunkSpec& spec, std::size_t body_size,
                                      std::size_t out_size) noexcept {
  if (spec.size > max_chunk_size || body_size > max_chunk_body_size(spec.size)) {
    return fail(Errc::too_large);
  }
  if (spec.size == 0) {
    return fail(Errc::size_mismatch);  // there is no empty chunk
  }
  if (out_size != spec.size) {
    return fail(Errc::wrong_buffer);
  }
  return {};
}

Result<detail::Container> ChunkDecoder::open(ConstBytes bytes) noexcept {
  auto container = detail::open_container(bytes);
  if (!container && container.error() == Errc::unknown_container) {
    magic_size_ = std::min(bytes.size(), magic_.size());
    std::copy_n(bytes.begin(), magic_size_, magic_.begin());
  }
  return container;
}

Result<void> ChunkDecoder::verify(const ChunkSpec& spec, std::uint32_t container_crc, ConstBytes plain) {
  std::uint32_t adler = crypto::adler32_depot_seed;
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < plain.size(); at += slice_size) {
    const auto slice = plain.subspan(at, std::min(slice_size, plain.size() - at));
    if (spec.checksum) {
      adler = crypto::adler32(slice, adler);
    }
    crc = crypto::crc32(slice, crc);
    if (spec.id) {
      sha1_.update(slice);
    }
  }
  const auto sha1 = spec.id ? ChunkId(sha1_.finish()) : ChunkId();
  if (spec.checksum && adler != *spec.checksum) {
    return fail(Errc::adler_mismatch);
  }
  if (crc != container_crc) {
    return fail(Errc::crc_mismatch);
  }
  if (spec.id && sha1 != *spec.id) {
    return fail(Errc::sha1_mismatch);
  }
  return {};
}

}  // namespace corliss::content
