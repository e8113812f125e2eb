#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/time.h>
#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/limits.h>
#include <corliss/keyvalues/tree.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

/// `appcache/appinfo.vdf`, the Steam client's cache of product info. Layout: docs/wire/keyvalues.md.
namespace corliss::keyvalues {

namespace detail {
struct StringTable;
}

using Sha1Bytes = std::array<std::uint8_t, 20>;

/// One app of the file, its tree not read yet.
struct AppInfoEntry {
  std::uint32_t app_id = 0;
  std::uint32_t info_state = 0;  ///< 2: normal, 1: no information.
  UnixTime last_updated;
  std::uint64_t access_token = 0;
  Sha1Bytes
      text_sha1{};  ///< Of the text form as Steam sent it, without its NUL. The tree cannot give it back.
  std::uint32_t change_number = 0;
  /// Of `data`; versions 40 and 41. Not checked here: a mismatch is a warning at most, since it is not
  /// certain that every client computes it over exactly these bytes.
  std::optional<Sha1Bytes> data_sha1;
  std::uint64_t offset = 0;  ///< Of the entry in the file.
  ConstBytes data;           ///< The binary KeyValues, in the file's bytes.
};

/// An opened file: its header and, in version 41, where the strings of its table are. Nothing else was read.
///
///     CORLISS_TRY(const auto file, AppInfo::open(bytes));
///     AppInfoCursor cursor(file);
///     Tree tree;
///     for (;;) {
///       CORLISS_TRY(const auto entry, cursor.next());    // costs a few nanoseconds, whatever the size of
///       the app if (!entry) break; if (wanted(entry->app_id)) { CORLISS_CHECK(file.read_into(tree, *entry));
///       use(tree.root()["common"]); }
///     }
///
/// Const, so any number of threads may read entries at once, each into a tree of its own.
class AppInfo {
 public:
  static constexpr std::uint32_t magic = 0x07564400;  ///< The low byte is the version.

  /// `file` must outlive the object, its entries and trees. Memory: 4 bytes a string of the table.
  /// Errors: Errc::bad_magic, unsupported_version (36 to 38), unexpected_end, bad_string_table, too_large
  /// (more strings than Limits::max_strings).
  [[nodiscard]] static Result<AppInfo> open(ConstBytes file, const Limits& limits = {},
                                            ErrorPlace* place = nullptr);
  ~AppInfo();
  AppInfo(AppInfo&&) noexcept;
  AppInfo& operator=(AppInfo&&) noexcept;

  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }  ///< 39, 40 or 41.
  [[nodiscard]] std::uint32_t universe() const noexcept { return universe_; }

  /// Reads the tree of an entry; its root is named "appinfo". The limits are those of `open`, for each app
  /// anew. Errors: those of binary KeyValues; Errc::bad_name_index; bad_entry_size where the tree ends
  /// elsewhere.
  [[nodiscard]] Result<void> read_into(Tree& tree, const AppInfoEntry& entry,
                                       ErrorPlace* place = nullptr) const;
  [[nodiscard]] Result<Tree> read(const AppInfoEntry& entry, ErrorPlace* place = nullptr) const;

 private:
  friend class AppInfoCursor;
  AppInfo() noexcept;

  ConstBytes file_;
  ConstBytes entries_;  // from the start of the file to where entries must have ended
  Limits limits_;
  std::uint32_t version_ = 0;
  std::uint32_t universe_ = 0;
  std::unique_ptr<detail::StringTable> names_;
};

/// Goes through the entries of a file. Any number of threads may call `next` on one cursor: each entry is
/// given once.
class AppInfoCursor {
 public:
  /// `file` must outlive the cursor.
  explicit AppInfoCursor(const AppInfo& file) noexcept;

  /// The next entry, or nothing after the last. Trees are passed over by their size.
  /// Errors: Errc::bad_entry_size, missing_end_of_list; the same again afterwards.
  [[nodiscard]] Result<std::optional<AppInfoEntry>> next(ErrorPlace* place = nullptr) noexcept;

 private:
  const AppInfo* file_;
  std::atomic<std::uint64_t> position_;
};

}  // namespace corliss::keyvalues
