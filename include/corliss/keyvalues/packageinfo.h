#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/keyvalues/appinfo.h>
#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/limits.h>
#include <corliss/keyvalues/tree.h>

#include <cstdint>
#include <optional>

/// `appcache/packageinfo.vdf`, and packages in product info messages. Layout: docs/wire/keyvalues.md.
namespace corliss::keyvalues {

/// One package of the file; its tree, whose root is named by the id in decimal, comes beside it.
struct PackageInfoEntry {
  std::uint32_t package_id = 0;  ///< 0 is a package, too.
  Sha1Bytes sha1{};
  std::uint32_t change_number = 0;
  std::optional<std::uint64_t> access_token;  ///< Version 40.
  std::uint64_t offset = 0;                   ///< Of the entry in the file.
  ConstBytes data;                            ///< The binary KeyValues, in the file's bytes.
};

/// Reads the file package by package. An entry has no size, so each tree is read to find the next.
class PackageInfo {
 public:
  static constexpr std::uint32_t magic = 0x06565500;  ///< The low byte is the version.

  /// `file` must outlive the object and its trees. Errors: Errc::bad_magic, unexpected_end.
  [[nodiscard]] static Result<PackageInfo> open(ConstBytes file, const Limits& limits = {},
                                                ErrorPlace* place = nullptr);

  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }  ///< 39 or 40.
  [[nodiscard]] std::uint32_t universe() const noexcept { return universe_; }

  /// The next package with its tree in `tree`, or nothing after the last.
  /// Errors: those of binary KeyValues; Errc::missing_end_of_list. The file cannot be read on after one.
  [[nodiscard]] Result<std::optional<PackageInfoEntry>> next(Tree& tree, ErrorPlace* place = nullptr);

 private:
  PackageInfo() noexcept = default;

  ConstBytes file_;
  std::size_t position_ = 0;
  Limits limits_;
  std::uint32_t version_ = 0;
  std::uint32_t universe_ = 0;
};

/// The tree in the buffer of a package in a product info message: a u32, which is 1 in all known data and
/// which readers ignore, then binary KeyValues. Errors: those of binary KeyValues.
[[nodiscard]] Result<Tree> read_package_buffer(ConstBytes buffer, const Limits& limits = {},
                                               ErrorPlace* place = nullptr);

}  // namespace corliss::keyvalues
