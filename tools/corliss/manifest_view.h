#pragma once

#include <corliss/content/manifest.h>
#include <corliss/content/manifest_diff.h>

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

/// How manifests are shown, as text and as JSON.
namespace corliss::tools {

/// Text of a stranger, fit for a terminal: control characters and bytes that are not UTF-8 as \xNN, line
/// feeds dropped.
[[nodiscard]] std::string printable(std::string_view text);

/// The flags in letters: d folder, l link, x executable, X executable per user, r read-only, h hidden, u
/// user's, v user's until a new version, e encrypted, i install script; `-` for none.
[[nodiscard]] std::string flag_letters(std::uint32_t flags);

/// The fields of tests/data/content/manifests.json, and some more.
[[nodiscard]] nlohmann::json to_json(const content::Manifest& manifest);
[[nodiscard]] std::string to_text(const content::Manifest& manifest, bool with_chunks);

[[nodiscard]] nlohmann::json to_json(const content::UpdatePlan& plan, const content::Manifest& from,
                                     const content::Manifest& to);
[[nodiscard]] std::string to_text(const content::UpdatePlan& plan, const content::Manifest& from,
                                  const content::Manifest& to, bool colour);

}  // namespace corliss::tools
