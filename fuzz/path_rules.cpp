// Any text as a name and, behind a line feed, as a link's target. The first byte picks the rules. What is
// accepted stays inside, by a resolution of its own.
#include "fuzz.h"

#include <corliss/content/path_rules.h>

#include <algorithm>
#include <filesystem>
#include <string>

using corliss::content::PathRules;
using corliss::content::PathVerdict;

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  PathRules rules = (input[0] & 1) != 0 ? PathRules::for_windows() : PathRules::posix();
  rules.allow_non_utf8 = (input[0] & 2) != 0;
  const bool is_directory = (input[0] & 4) != 0;
  const std::string text(input.begin() + 1, input.end());
  const auto line = std::min(text.find('\n'), text.size());
  const auto name = text.substr(0, line);
  const auto target = text.substr(std::min(line + 1, text.size()));

  const auto verdict = corliss::content::check_name(name, is_directory, rules);
  const auto path = corliss::content::SafePath::make(name, is_directory, rules);
  FUZZ_CHECK(path.has_value() == (verdict == PathVerdict::accepted));
  if (rules.windows && path) {
    FUZZ_CHECK(
        corliss::content::check_name(name, is_directory, PathRules{false, false, rules.allow_non_utf8}) ==
        PathVerdict::accepted);
  }
  if (!path) {
    return;
  }
  const std::filesystem::path relative(path->text());
  FUZZ_CHECK(relative.is_relative() && relative.lexically_normal() == relative);
  FUZZ_CHECK(*relative.begin() != "..");
  FUZZ_CHECK(corliss::content::check_name(path->text(), false, rules) == PathVerdict::accepted);

  const auto link = corliss::content::SafeLinkTarget::make(*path, target, rules);
  if (link) {
    const auto resolved = (relative.parent_path() / link->text()).lexically_normal();
    FUZZ_CHECK(resolved.is_relative() && (resolved.empty() || *resolved.begin() != ".."));
  }
}
