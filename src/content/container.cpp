#include "content/container.h"

#include "content/zip.h"

#include <corliss/base/endian.h>

#include <algorithm>
#include <array>

namespace corliss::content::detail {
namespace {

constexpr std::array<std::uint8_t, 4> zip_magic{'P', 'K', 3, 4};
constexpr std::size_t lzma_header_size = 12;
constexpr std::size_t lzma_footer_size = 10;
constexpr std::size_t zstd_header_size = 8;
constexpr std::size_t zstd_footer_size = 15;
constexpr std::uint64_t max_deflate_ratio = 1032;

bool starts_with(ConstBytes bytes, std::string_view magic) noexcept {
  return text_of(bytes).starts_with(magic);
}

std::uint32_t u32_at(ConstBytes bytes, std::size_t at) noexcept {
  return load_le<std::uint32_t>(bytes.data() + at);
}

Result<Container> open_zip(ConstBytes bytes) noexcept {
  CORLISS_TRY(const auto entry, read_single_entry(bytes));
  Container container;
  container.kind = entry.deflated ? ContainerKind::zip_deflated : ContainerKind::zip_stored;
  container.data = entry.data;
  container.plain_size = entry.plain_size;
  container.crc = entry.crc;
  return container;
}

/// "VZ", version, u32 CRC or time, properties, u32 dictionary; stream; u32 CRC, u32 size, "zv".
Result<Container> open_lzma(ConstBytes bytes, ContainerKind kind) noexcept {
  if (bytes.size() < lzma_header_size + lzma_footer_size) {
    return fail(Errc::container_too_short);
  }
  const auto footer = bytes.last(lzma_footer_size);
  if (text_of(footer.last(2)) != "zv") {
    return fail(Errc::bad_footer);
  }
  Container container;
  container.kind = kind;
  container.lzma_properties = bytes[7];
  container.lzma_dictionary = u32_at(bytes, 8);
  container.data = bytes.subspan(lzma_header_size, bytes.size() - lzma_header_size - lzma_footer_size);
  container.crc = u32_at(footer, 0);
  container.plain_size = u32_at(footer, 4);
  return container;
}

/// "VSZ", version, u32 CRC; frame; u32 CRC, u32 size, u32 reserved, "zsv".
Result<Container> open_zstd(ConstBytes bytes, ContainerKind kind) noexcept {
  if (bytes.size() < zstd_header_size + zstd_footer_size) {
    return fail(Errc::container_too_short);
  }
  const auto footer = bytes.last(zstd_footer_size);
  if (text_of(footer.last(3)) != "zsv") {
    return fail(Errc::bad_footer);
  }
  Container container;
  container.kind = kind;
  container.data = bytes.subspan(zstd_header_size, bytes.size() - zstd_header_size - zstd_footer_size);
  container.crc = u32_at(footer, 0);
  container.plain_size = u32_at(footer, 4);
  return container;
}

}  // namespace

bool has_container_magic(ConstBytes bytes) noexcept {
  return starts_with(bytes, text_of(zip_magic)) || starts_with(bytes, "VZa") || starts_with(bytes, "VZd") ||
         starts_with(bytes, "VSZa") || starts_with(bytes, "VSZd");
}

Result<Container> open_container(ConstBytes bytes) noexcept {
  if (starts_with(bytes, "VSZa")) {
    return open_zstd(bytes, ContainerKind::zstd);
  }
  if (starts_with(bytes, "VZa")) {
    return open_lzma(bytes, ContainerKind::lzma);
  }
  if (starts_with(bytes, text_of(zip_magic))) {
    return open_zip(bytes);
  }
  if (starts_with(bytes, "VZd")) {
    return open_lzma(bytes, ContainerKind::lzma_delta);
  }
  if (starts_with(bytes, "VSZd")) {
    return open_zstd(bytes, ContainerKind::zstd_delta);
  }
  return fail(Errc::unknown_container);
}

Result<void> check_ratio(const Container& container) noexcept {
  if (container.kind == ContainerKind::zip_deflated &&
      container.plain_size > (container.data.size() + 1) * max_deflate_ratio) {
    return fail(Errc::size_mismatch);
  }
  return {};
}

}  // namespace corliss::content::detail
