#include "content/zip.h"

#include <corliss/base/endian.h>

#include <algorithm>
#include <optional>

namespace corliss::content::detail {
namespace {

constexpr std::uint32_t local_magic = 0x04034b50;
constexpr std::uint32_t central_magic = 0x02014b50;
constexpr std::uint32_t end_magic = 0x06054b50;
constexpr std::size_t local_size = 30;
constexpr std::size_t central_size = 46;
constexpr std::size_t end_size = 22;
constexpr std::size_t max_comment_size = 0xffff;

constexpr unsigned flag_encrypted = 0x0001;
constexpr unsigned flag_strong_encryption = 0x0040;
constexpr unsigned flag_masked_header = 0x2000;

std::uint16_t u16_at(ConstBytes bytes, std::size_t at) noexcept {
  return load_le<std::uint16_t>(bytes.data() + at);
}
std::uint32_t u32_at(ConstBytes bytes, std::size_t at) noexcept {
  return load_le<std::uint32_t>(bytes.data() + at);
}

/// `size` bytes from `at`, where they are there and begin with `magic`.
std::optional<ConstBytes> record_at(ConstBytes archive, std::uint64_t at, std::size_t size,
                                    std::uint32_t magic) noexcept {
  if (at > archive.size() || archive.size() - at < size ||
      u32_at(archive, static_cast<std::size_t>(at)) != magic) {
    return std::nullopt;
  }
  return archive.subspan(static_cast<std::size_t>(at), size);
}

/// The place of the end record: the last one whose comment ends where the archive does.
std::optional<std::size_t> find_end(ConstBytes archive) noexcept {
  if (archive.size() < end_size) {
    return std::nullopt;
  }
  const std::size_t last = archive.size() - end_size;
  const std::size_t first = last - std::min(last, max_comment_size);
  for (std::size_t at = last + 1; at-- > first;) {
    if (u32_at(archive, at) == end_magic && u16_at(archive, at + 20) == last - at) {
      return at;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<ZipEntry> read_single_entry(ConstBytes archive) noexcept {
  const auto bad = fail(Errc::bad_zip);
  const auto end_at = find_end(archive);
  if (!end_at) {
    return bad;
  }
  const auto end = archive.subspan(*end_at, end_size);
  const bool single_disk = u16_at(end, 4) == 0 && u16_at(end, 6) == 0;
  if (!single_disk || u16_at(end, 8) != 1 || u16_at(end, 10) != 1) {
    return bad;
  }
  const std::uint64_t directory_size = u32_at(end, 12);
  const std::uint64_t directory_at = u32_at(end, 16);
  if (directory_at + directory_size > *end_at) {
    return bad;
  }

  const auto central = record_at(archive, directory_at, central_size, central_magic);
  if (!central ||
      central_size + u16_at(*central, 28) + u16_at(*central, 30) + u16_at(*central, 32) != directory_size) {
    return bad;
  }
  const unsigned flags = u16_at(*central, 8);
  const unsigned method = u16_at(*central, 10);
  const bool encrypted = (flags & (flag_encrypted | flag_strong_encryption | flag_masked_header)) != 0;
  if (encrypted || (method != 0 && method != 8) || u16_at(*central, 34) != 0) {
    return bad;
  }
  ZipEntry entry;
  entry.deflated = method == 8;
  entry.crc = u32_at(*central, 16);
  const std::uint64_t compressed_size = u32_at(*central, 20);
  entry.plain_size = u32_at(*central, 24);
  if (!entry.deflated && compressed_size != entry.plain_size) {
    return bad;
  }

  const std::uint64_t local_at = u32_at(*central, 42);
  const auto local = record_at(archive, local_at, local_size, local_magic);
  if (!local) {
    return bad;
  }
  const std::uint64_t data_at = local_at + local_size + u16_at(*local, 26) + u16_at(*local, 28);
  if (data_at + compressed_size > directory_at) {
    return bad;
  }
  entry.data = archive.subspan(static_cast<std::size_t>(data_at), static_cast<std::size_t>(compressed_size));
  return entry;
}

}  // namespace corliss::content::detail
