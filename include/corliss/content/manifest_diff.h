#pragma once

#include <corliss/base/result.h>
#include <corliss/content/manifest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace corliss::content {

/// What became of a file between two versions.
enum class FileChange : std::uint8_t {
  added,
  removed,
  content,     ///< Bytes, kind or link target differ.
  attributes,  ///< Only flags differ.
};

/// A file that differs. Indices are those of `Manifest::file`.
struct FileDelta {
  FileChange change = FileChange::added;
  std::optional<std::uint32_t> from;  ///< In the old manifest; none where added.
  std::optional<std::uint32_t> to;    ///< In the new manifest; none where removed.
  /// The user owns the installed copy (flag user_config, and the file was there before): leave its bytes
  /// alone. No step of the plan writes to it.
  bool keeps_user_copy = false;
};

/// What has to be done to turn an installation of one manifest into another.
///
/// Each step brings one chunk to all places that need it. A local chunk is read from a file of the old
/// version, so old files must stay as they are until every step is done: write each new file beside the old
/// one, at its full length, and rename it in the end. Verify a local chunk's SHA-1 before use, and fetch it
/// where it does not fit. Delete removed files, and create folders and links, through `Manifest::safe_path`
/// only.
struct UpdatePlan {
  /// A place of the old version to read a chunk from.
  struct Source {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
  };
  /// A place of the new version to write a chunk to.
  struct Target {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
  };
  struct Step {
    Chunk chunk;                  ///< Its offset is that of the first target.
    std::optional<Source> local;  ///< Else it has to be fetched.
    std::uint32_t first_target = 0;
    std::uint32_t target_count = 0;
  };
  struct Totals {
    std::uint64_t files_added = 0, files_removed = 0, files_changed = 0, files_unchanged = 0;
    std::uint64_t chunks_to_fetch = 0;  ///< Different ones.
    std::uint64_t bytes_to_fetch = 0;   ///< Of their bodies, as the servers send them.
    std::uint64_t chunks_local = 0;     ///< Different ones, that an old file has.
    std::uint64_t bytes_local = 0;      ///< Their plain bytes.
    std::uint64_t bytes_to_write = 0;   ///< Plain bytes of all targets.
  };

  std::vector<FileDelta> files;  ///< By name, old and new together.
  std::vector<Step> steps;       ///< In the order of the places that they write to first.
  std::vector<Target> targets;
  Totals totals;

  [[nodiscard]] std::span<const Target> targets_of(const Step& step) const noexcept {
    return std::span(targets).subspan(step.first_target, step.target_count);
  }
};

/// Compares two versions; names must be plain in both. Names match byte by byte. Errors:
/// Errc::names_encrypted.
[[nodiscard]] Result<UpdatePlan> plan_update(const Manifest& from, const Manifest& to);

/// The plan of a first installation: every file is added, every chunk fetched once. Errors:
/// Errc::names_encrypted.
[[nodiscard]] Result<UpdatePlan> plan_install(const Manifest& to);

}  // namespace corliss::content
