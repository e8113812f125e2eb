#pragma once

#include <corliss/content/manifest.h>

#include <cstdint>
#include <string>
#include <vector>

/// Holds an installed folder against a manifest, reading only.
namespace corliss::tools {

struct FolderCheckOptions {
  bool chunks = false;   ///< Name the chunks that differ, and not only the file.
  unsigned threads = 0;  ///< 0: one for each CPU.
};

/// One difference.
struct FolderDifference {
  std::string name;  ///< Of the manifest's entry, with `/`.
  std::string what;  ///< "missing", "size", "mode", "content", "chunk", "kind", "link", "unreadable"
  std::string text;  ///< For people.
};

struct FolderReport {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;        ///< Read and hashed.
  std::uint64_t users_files = 0;  ///< Present files that belong to the user, and so are not looked at.
  std::vector<FolderDifference> differences;  ///< By entry, in the order of the manifest.
};

/// Every entry: kind, size, execute bits, link target, and the SHA-1 of its bytes. Never follows a link below
/// the folder, so nothing outside of it is read. Names must be plain, checked and accepted. Throws
/// CommandError (local_io) where the folder cannot be opened.
[[nodiscard]] FolderReport check_folder(const content::Manifest& manifest, const std::string& folder,
                                        const FolderCheckOptions& options);

}  // namespace corliss::tools
