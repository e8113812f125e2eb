#include "content/utf8.h"

#include <corliss/base/endian.h>
#include <corliss/content/path_rules.h>

#include <algorithm>
#include <array>

namespace corliss::content {
namespace {

using namespace std::string_view_literals;

constexpr bool is_separator(char c) noexcept {
  return c == '\\' || c == '/';
}

constexpr char to_upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
}

constexpr bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

/// Takes the next component, and the separator behind it, from the front of `rest`.
std::string_view take_component(std::string_view& rest) noexcept {
  const auto end = std::find_if(rest.begin(), rest.end(), is_separator);
  const auto size = static_cast<std::size_t>(end - rest.begin());
  const auto component = rest.substr(0, size);
  rest.remove_prefix(std::min(rest.size(), size + 1));
  return component;
}

bool has_drive_prefix(std::string_view name, const PathRules& rules) noexcept {
  if (name.size() < 2 || name[1] != ':' || to_upper(name[0]) < 'A' || to_upper(name[0]) > 'Z') {
    return false;
  }
  const bool small_letter = name[0] >= 'a';
  return rules.windows || !small_letter || name.size() == 2 || is_separator(name[2]);
}

bool same_device(std::string_view name, std::string_view device) noexcept {
  return std::equal(name.begin(), name.end(), device.begin(), device.end(),
                    [](char a, char b) { return to_upper(a) == b; });
}

bool is_windows_device(std::string_view component) noexcept {
  auto stem = component.substr(0, component.find('.'));
  while (!stem.empty() && stem.back() == ' ') {
    stem.remove_suffix(1);
  }
  static constexpr std::array devices{"CON"sv, "PRN"sv, "AUX"sv, "NUL"sv, "CONIN$"sv, "CONOUT$"sv};
  if (std::any_of(devices.begin(), devices.end(),
                  [stem](std::string_view device) { return same_device(stem, device); })) {
    return true;
  }
  if (stem.size() < 4) {
    return false;
  }
  const auto port = stem.substr(0, 3);
  const auto number = stem.substr(3);
  static constexpr std::array superscripts{"\xc2\xb9"sv, "\xc2\xb2"sv, "\xc2\xb3"sv};
  const bool numbered = (number.size() == 1 && number[0] >= '0' && number[0] <= '9') ||
                        std::find(superscripts.begin(), superscripts.end(), number) != superscripts.end();
  return numbered && (same_device(port, "COM"sv) || same_device(port, "LPT"sv));
}

PathVerdict check_windows(std::string_view component) noexcept {
  if (component.find_first_of("<>:\"|?*"sv) != std::string_view::npos) {
    return PathVerdict::windows_character;
  }
  if (component.back() == '.' || component.back() == ' ') {
    return PathVerdict::windows_ending;
  }
  return is_windows_device(component) ? PathVerdict::windows_device : PathVerdict::accepted;
}

/// Whether all bytes are printable ASCII, eight at a time.
bool is_printable_ascii(std::string_view text) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high = 0x8080808080808080;
  const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t left = text.size();
  std::uint64_t bad = 0;
  for (; left >= 8; left -= 8, data += 8) {
    const auto eight = load_le<std::uint64_t>(data);
    // The high bit of a byte: set already, below 0x20 (it borrows), or 0x7f (adding one sets it).
    bad |= eight | (eight - 0x20 * ones) | (eight + ones);
  }
  for (; left > 0; --left, ++data) {
    bad |= *data < 0x20 || *data >= 0x7f ? high : 0;
  }
  return (bad & high) == 0;
}

/// What names and link targets have in common: characters and length of the whole.
PathVerdict check_text(std::string_view text, const PathRules& rules) noexcept {
  if (text.size() > max_path_size) {
    return PathVerdict::too_long;
  }
  if (is_printable_ascii(text)) {
    return PathVerdict::accepted;
  }
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return PathVerdict::control_character;
  }
  if (!rules.allow_non_utf8 && !detail::is_utf8(text)) {
    return PathVerdict::not_utf8;
  }
  return PathVerdict::accepted;
}

std::string with_slashes(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\\', '/');
  if (out.back() == '/') {
    out.pop_back();
  }
  return out;
}

}  // namespace

PathVerdict check_name(std::string_view name, bool is_directory, const PathRules& rules) noexcept {
  if (const auto verdict = check_text(name, rules); verdict != PathVerdict::accepted) {
    return verdict;
  }
  if (is_directory && name.size() > 1 && is_separator(name.back())) {
    name.remove_suffix(1);
  }
  if (name.empty() || is_separator(name.front()) || is_separator(name.back())) {
    return PathVerdict::empty;
  }
  if (has_drive_prefix(name, rules)) {
    return PathVerdict::drive_prefix;
  }
  for (auto rest = name; !rest.empty();) {
    const auto component = take_component(rest);
    if (component.empty()) {
      return PathVerdict::empty;
    }
    if (component == "."sv || component == ".."sv) {
      return PathVerdict::dot_component;
    }
    if (component.size() > max_component_size) {
      return PathVerdict::too_long;
    }
    if (rules.windows) {
      if (const auto verdict = check_windows(component); verdict != PathVerdict::accepted) {
        return verdict;
      }
    }
  }
  return PathVerdict::accepted;
}

PathVerdict check_link(std::string_view name, std::string_view target, const PathRules& rules) noexcept {
  if (check_text(target, rules) != PathVerdict::accepted || target.empty()) {
    return PathVerdict::link_bad_target;
  }
  if (is_separator(target.front()) || has_drive_prefix(target, rules)) {
    return PathVerdict::link_absolute;
  }
  // How many folders deep the walk is; it starts in the folder of the link.
  auto depth = std::count_if(name.begin(), name.end(), is_separator);
  for (auto rest = target; !rest.empty();) {
    const auto component = take_component(rest);
    if (component.empty() || component.size() > max_component_size) {
      return PathVerdict::link_bad_target;
    }
    if (component == ".."sv) {
      if (depth-- == 0) {
        return PathVerdict::link_escapes;
      }
    } else if (component != "."sv) {
      ++depth;
      if (rules.windows && check_windows(component) != PathVerdict::accepted) {
        return PathVerdict::link_bad_target;
      }
    }
  }
  return PathVerdict::accepted;
}

Result<SafePath> SafePath::make(std::string_view name, bool is_directory, const PathRules& rules) {
  CORLISS_CHECK(to_result(check_name(name, is_directory, rules)));
  return SafePath(with_slashes(name));
}

Result<SafeLinkTarget> SafeLinkTarget::make(const SafePath& link, std::string_view target,
                                            const PathRules& rules) {
  CORLISS_CHECK(to_result(check_link(link.text(), target, rules)));
  return SafeLinkTarget(with_slashes(target));
}

std::string_view describe(PathVerdict verdict) noexcept {
  switch (verdict) {
    case PathVerdict::unchecked:
      return "not checked"sv;
    case PathVerdict::accepted:
      return "accepted"sv;
    case PathVerdict::empty:
      return "an empty component, or a separator at an end"sv;
    case PathVerdict::dot_component:
      return "a component is '.' or '..'"sv;
    case PathVerdict::drive_prefix:
      return "a drive prefix"sv;
    case PathVerdict::control_character:
      return "a control character"sv;
    case PathVerdict::too_long:
      return "too long"sv;
    case PathVerdict::not_utf8:
      return "not UTF-8"sv;
    case PathVerdict::windows_character:
      return "a character that Windows forbids"sv;
    case PathVerdict::windows_ending:
      return "a component ends with a dot or a blank, which Windows drops"sv;
    case PathVerdict::windows_device:
      return "the name of a Windows device"sv;
    case PathVerdict::duplicate:
      return "the same name twice"sv;
    case PathVerdict::duplicate_by_case:
      return "the same name twice but for case"sv;
    case PathVerdict::below_file:
      return "below an entry that is no folder"sv;
    case PathVerdict::below_link:
      return "below a link"sv;
    case PathVerdict::link_absolute:
      return "the link's target is absolute"sv;
    case PathVerdict::link_escapes:
      return "the link leaves the install folder"sv;
    case PathVerdict::link_bad_target:
      return "the link's target is malformed"sv;
  }
  return "unknown"sv;
}

Result<void> to_result(PathVerdict verdict) noexcept {
  switch (verdict) {
    case PathVerdict::accepted:
      return {};
    case PathVerdict::unchecked:
      return fail(Errc::paths_unchecked);
    case PathVerdict::duplicate:
    case PathVerdict::duplicate_by_case:
      return fail(Errc::duplicate_path);
    case PathVerdict::below_file:
    case PathVerdict::below_link:
      return fail(Errc::path_conflict);
    case PathVerdict::link_absolute:
    case PathVerdict::link_escapes:
    case PathVerdict::link_bad_target:
      return fail(Errc::unsafe_link);
    default:
      return fail(Errc::unsafe_path);
  }
}

}  // namespace corliss::content
