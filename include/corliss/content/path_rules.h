#pragma once

#include <corliss/base/result.h>
#include <corliss/content/errc.h>

#include <string>
#include <string_view>

namespace corliss::content {

/// Longest path, and longest part of one between separators, in bytes.
inline constexpr std::size_t max_path_size = 4096;
inline constexpr std::size_t max_component_size = 255;

/// What came out when a name of a manifest was held against the rules. A manifest decides where files get
/// written, so each name is hostile until it is `accepted`. Source: protocol notes, section "Hostile input"
/// of the depot manifest; docs/wire/manifest.md.
enum class PathVerdict : std::uint8_t {
  unchecked,          ///< Nobody looked yet.
  accepted,           ///< Safe below the install folder.
  empty,              ///< An empty name or component: rooted, UNC and device paths, doubled separators.
  dot_component,      ///< A component `.` or `..`.
  drive_prefix,       ///< `C:\x`, `C:x`.
  control_character,  ///< A byte below 0x20, or 0x7F.
  too_long,           ///< Above max_path_size or max_component_size.
  not_utf8,           ///< Bytes that are not valid UTF-8.
  windows_character,  ///< Windows rules: one of < > : " | ? *
  windows_ending,     ///< Windows rules: a component that ends with a dot or a blank.
  windows_device,     ///< Windows rules: CON, NUL, COM1 and their kin, with any extension.
  duplicate,          ///< Another entry before it has the same name.
  duplicate_by_case,  ///< The same but for case, where the rules ignore case.
  below_file,         ///< A parent of it is an entry that is no folder.
  below_link,         ///< A parent of it is a link.
  link_absolute,      ///< The link's target is rooted or has a drive.
  link_escapes,       ///< The link's target leaves the install folder.
  link_bad_target,    ///< The link's target breaks a rule about characters or lengths.
};

/// A few words for people, such as "a component is '..'".
[[nodiscard]] std::string_view describe(PathVerdict verdict) noexcept;
/// The error of a verdict: unsafe_path, unsafe_link, duplicate_path, path_conflict or paths_unchecked.
/// Nothing for `accepted`.
[[nodiscard]] Result<void> to_result(PathVerdict verdict) noexcept;

/// Which rules hold. Rules about escape, rooted paths, control characters and lengths always do.
struct PathRules {
  /// Refuse what Windows cannot store or would take for something else.
  bool windows = false;
  /// Names that differ in case only are duplicates. Case is folded for ASCII, Latin, Greek, Cyrillic and
  /// Armenian letters, one by one; other letters and Unicode normal forms compare as they are.
  bool ignore_case = false;
  /// Take names that are not UTF-8, byte by byte as they are. POSIX only; never replaced by something else.
  bool allow_non_utf8 = false;

  [[nodiscard]] static constexpr PathRules posix() noexcept { return {}; }
  [[nodiscard]] static constexpr PathRules for_windows() noexcept { return {true, true, false}; }
  friend constexpr bool operator==(const PathRules&, const PathRules&) noexcept = default;
};

/// The rules for one name alone (rules 1 to 7); `\` and `/` separate alike. On a folder (`is_directory`) one
/// separator at the end is allowed. Allocates nothing.
///
/// A drive prefix is a letter and `:`. Under POSIX rules a small letter with more of the name behind the
/// colon
/// (`a:b`) is an ordinary name, as the vectors have it; `C:x`, `c:\x` and `c:` are refused everywhere.
[[nodiscard]] PathVerdict check_name(std::string_view name, bool is_directory,
                                     const PathRules& rules) noexcept;

/// The rules for the target of the link `name`, which was accepted before: not absolute, no bad character,
/// and, resolved from the folder of the link, inside the install folder. `..` is allowed within. Allocates
/// nothing.
[[nodiscard]] PathVerdict check_link(std::string_view name, std::string_view target,
                                     const PathRules& rules) noexcept;

/// A relative path that passed `check_name`: it can be joined to the install folder. There is no other way to
/// get one. Whoever opens it still must not follow links on the way (O_NOFOLLOW, or openat2 with
/// RESOLVE_BENEATH), since the folder may hold links from elsewhere.
class SafePath {
 public:
  /// Errors: Errc::unsafe_path.
  [[nodiscard]] static Result<SafePath> make(std::string_view name, bool is_directory,
                                             const PathRules& rules);

  /// With `/` between the components, none in front or at the end.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  friend bool operator==(const SafePath&, const SafePath&) noexcept = default;
  friend auto operator<=>(const SafePath&, const SafePath&) noexcept = default;

 private:
  explicit SafePath(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

/// A link target that passed `check_link`: relative to the folder of the link, with `/`. Create links after
/// all files, and never write through one.
class SafeLinkTarget {
 public:
  /// Errors: Errc::unsafe_link.
  [[nodiscard]] static Result<SafeLinkTarget> make(const SafePath& link, std::string_view target,
                                                   const PathRules& rules);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  explicit SafeLinkTarget(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace corliss::content
