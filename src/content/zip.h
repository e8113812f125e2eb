#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/content/errc.h>

namespace corliss::content::detail {

/// The one entry of a zip archive, as its central directory describes it.
struct ZipEntry {
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint32_t plain_size = 0;
  ConstBytes data;
};

/// Finds the only entry of an archive. The name is ignored; a comment may follow, other bytes not.
/// Errors: Errc::bad_zip, for more or fewer entries, encryption, zip64, methods other than stored and
/// deflated, and anything that lies outside the archive.
[[nodiscard]] Result<ZipEntry> read_single_entry(ConstBytes archive) noexcept;

}  // namespace corliss::content::detail
