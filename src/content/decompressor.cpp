#include "content/container.h"

#include <corliss/base/endian.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace corliss::content::detail {
namespace {

constexpr std::size_t min_lzma_dictionary = std::size_t{1} << 20;
constexpr std::uint32_t zstd_frame_magic = 0xfd2fb528;

/// liblzma reads the properties byte (pb · 5 + lp) · 9 + lc.
Result<void> set_properties(std::uint8_t properties, lzma_options_lzma& options) noexcept {
  if (properties >= 9 * 5 * 5) {
    return fail(Errc::decompress_failed);
  }
  options.lc = properties % 9;
  options.lp = properties / 9 % 5;
  options.pb = properties / 45;
  if (options.lc + options.lp > LZMA_LCLP_MAX) {
    return fail(Errc::lzma_unsupported);
  }
  return {};
}

}  // namespace

struct Decompressor::Lzma {
  lzma_stream stream = LZMA_STREAM_INIT;

  Lzma() noexcept = default;
  Lzma(const Lzma&) = delete;
  Lzma& operator=(const Lzma&) = delete;
  ~Lzma() { lzma_end(&stream); }
};

void Decompressor::FreeDeflate::operator()(libdeflate_decompressor* state) const noexcept {
  libdeflate_free_decompressor(state);
}

void Decompressor::FreeZstd::operator()(ZSTD_DCtx_s* state) const noexcept {
  ZSTD_freeDCtx(state);
}

Decompressor::Decompressor() noexcept = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

Result<void> Decompressor::unpack(const Container& container, Bytes out) {
  if (container.plain_size != out.size()) {
    return fail(Errc::size_mismatch);
  }
  switch (container.kind) {
    case ContainerKind::zip_stored:
      if (!out.empty()) {
        std::memcpy(out.data(), container.data.data(), out.size());
      }
      return {};
    case ContainerKind::zip_deflated:
      return inflate(container.data, out);
    case ContainerKind::lzma:
      return unpack_lzma(container, {}, out);
    case ContainerKind::zstd:
      return unpack_zstd(container.data, {}, out);
    case ContainerKind::lzma_delta:
    case ContainerKind::zstd_delta:
      break;
  }
  return fail(Errc::delta_container);
}

Result<void> Decompressor::unpack_delta(const Container& container, ConstBytes source, Bytes out) {
  if (!container.is_delta()) {
    return fail(Errc::delta_container);
  }
  if (container.plain_size != out.size()) {
    return fail(Errc::size_mismatch);
  }
  if (container.kind == ContainerKind::zstd_delta) {
    return unpack_zstd(container.data, source, out);
  }
  return unpack_lzma(container, source, out);
}

Result<void> Decompressor::inflate(ConstBytes data, Bytes out) {
  if (!deflate_) {
    deflate_.reset(libdeflate_alloc_decompressor());
    if (!deflate_) {
      throw std::bad_alloc();
    }
  }
  // Without a place for the length, the stream has to fill `out` exactly.
  const auto result = libdeflate_deflate_decompress(deflate_.get(), data.data(), data.size(), out.data(),
                                                    out.size(), nullptr);
  if (result == LIBDEFLATE_SHORT_OUTPUT || result == LIBDEFLATE_INSUFFICIENT_SPACE) {
    return fail(Errc::size_mismatch);
  }
  if (result != LIBDEFLATE_SUCCESS) {
    return fail(Errc::decompress_failed);
  }
  return {};
}

Result<void> Decompressor::unpack_lzma(const Container& container, ConstBytes dictionary, Bytes out) {
  lzma_options_lzma options{};
  CORLISS_CHECK(set_properties(container.lzma_properties, options));
  if (container.data.empty() || container.data[0] != 0) {
    return fail(Errc::decompress_failed);  // the range coder starts with a zero
  }
  // The window never needs to be larger than what can be in it, whatever the header says. One size for all
  // usual chunks lets liblzma keep it.
  const std::size_t window = std::bit_ceil(dictionary.size() + out.size());
  options.dict_size =
      static_cast<std::uint32_t>(std::clamp(window, min_lzma_dictionary, max_lzma_dictionary));
  options.preset_dict = dictionary.empty() ? nullptr : dictionary.data();
  options.preset_dict_size = static_cast<std::uint32_t>(dictionary.size());
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA1, &options}, {LZMA_VLI_UNKNOWN, nullptr}};

  if (!lzma_) {
    lzma_ = std::make_unique<Lzma>();
  }
  lzma_stream& stream = lzma_->stream;
  const auto ready = lzma_raw_decoder(&stream, filters);
  if (ready == LZMA_MEM_ERROR) {
    throw std::bad_alloc();
  }
  if (ready != LZMA_OK) {
    return fail(Errc::decompress_failed);
  }
  stream.next_in = container.data.data();
  stream.avail_in = container.data.size();
  stream.next_out = out.data();
  stream.avail_out = out.size();
  const auto result = lzma_code(&stream, LZMA_RUN);
  // There is no end marker as a rule, so a full buffer is the end. Some bytes of input may then be left.
  if ((result != LZMA_OK && result != LZMA_STREAM_END) || stream.avail_out != 0) {
    return fail(Errc::decompress_failed);
  }
  return {};
}

Result<void> Decompressor::unpack_zstd(ConstBytes frame, ConstBytes dictionary, Bytes out) {
  if (frame.size() < sizeof zstd_frame_magic || load_le<std::uint32_t>(frame.data()) != zstd_frame_magic) {
    return fail(Errc::decompress_failed);  // skippable frames are refused too
  }
  const auto claimed = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) {
    return fail(Errc::decompress_failed);
  }
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != out.size()) {
    return fail(Errc::size_mismatch);
  }
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return fail(Errc::decompress_failed);  // cut short, or more frames behind it
  }
  if (!zstd_) {
    zstd_.reset(ZSTD_createDCtx());
    if (!zstd_) {
      throw std::bad_alloc();
    }
  }
  // One call into a buffer of known size needs no window of its own.
  if (!dictionary.empty() &&
      ZSTD_isError(ZSTD_DCtx_refPrefix(zstd_.get(), dictionary.data(), dictionary.size())) != 0) {
    return fail(Errc::decompress_failed);
  }
  const auto written = ZSTD_decompressDCtx(zstd_.get(), out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(written) != 0) {
    const bool no_room = ZSTD_getErrorCode(written) == ZSTD_error_dstSize_tooSmall;
    return fail(no_room ? Errc::size_mismatch : Errc::decompress_failed);
  }
  return written == out.size() ? Result<void>() : fail(Errc::size_mismatch);
}

}  // namespace corliss::content::detail
