#pragma once

#include <corliss/proto/game_id.h>
#include <corliss/proto/global_id.h>
#include <corliss/proto/ids.h>
#include <corliss/proto/job_id.h>
#include <corliss/proto/steam_id.h>

#include <string>

#include <fmt/format.h>

/// Opt-in: the ids of `proto` in `fmt::format`. Only who includes this header needs {fmt}; the library itself
/// does not. fmt's string specifications apply (fill, alignment, width); a SteamId may end in one letter that
/// picks its form:
///
///     fmt::format("{}", id);      // [U:1:8983980]
///     fmt::format("{:l}", id);    // STEAM_0:0:4491990, the legacy form
///     fmt::format("{:>20d}", id)  // "   76561197969249708"

namespace corliss::proto::detail {
template <class T>
inline constexpr bool is_decimal_id = false;
template <>
inline constexpr bool is_decimal_id<GameId> = true;
template <>
inline constexpr bool is_decimal_id<GlobalId> = true;
template <>
inline constexpr bool is_decimal_id<JobId> = true;
template <class Tag, class Rep>
inline constexpr bool is_decimal_id<Id<Tag, Rep>> = true;
template <class T>
concept DecimalId = is_decimal_id<T>;
}  // namespace corliss::proto::detail

template <corliss::proto::detail::DecimalId T>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
  template <class FormatContext>
  auto format(T id, FormatContext& context) const {
    return formatter<std::string_view>::format(to_string(id), context);
  }
};

template <>
struct fmt::formatter<corliss::proto::SteamId> : fmt::formatter<std::string_view> {
  /// [fmt's string specification][d|l|s]: number, legacy (Steam2), Steam3 (the default).
  constexpr auto parse(format_parse_context& context) {
    const auto* end = context.begin();
    while (end != context.end() && *end != '}') {
      ++end;
    }
    const auto* spec_end = end;
    if (spec_end != context.begin()) {
      switch (spec_end[-1]) {
        case 'd':
          form_ = corliss::proto::SteamIdForm::number;
          --spec_end;
          break;
        case 'l':
          form_ = corliss::proto::SteamIdForm::steam2;
          --spec_end;
          break;
        default:  // 's' is fmt's own
          break;
      }
    }
    format_parse_context spec(
        string_view(context.begin(), static_cast<std::size_t>(spec_end - context.begin())));
    if (formatter<std::string_view>::parse(spec) != spec.end()) {
      throw format_error("invalid format of a SteamId");
    }
    return end;
  }

  template <class FormatContext>
  auto format(corliss::proto::SteamId id, FormatContext& context) const {
    return formatter<std::string_view>::format(to_string(id, form_), context);
  }

 private:
  corliss::proto::SteamIdForm form_ = corliss::proto::SteamIdForm::steam3;
};
