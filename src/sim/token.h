#pragma once

#include <corliss/proto/eresult.h>
#include <corliss/proto/steam_id.h>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace corliss::sim {

/// The longest token that is looked at; Steam's have well under 1 KiB.
inline constexpr std::size_t max_token_size = 8192;

/// What a logon with a refresh token is worth.
struct TokenVerdict {
  proto::EResult result = proto::EResult::InvalidPassword;
  proto::SteamId steam_id;
};

/// Reads a JWT without looking at its signature: issuer `steam`, audience `client`, a SteamId in `sub`, `exp`
/// to come. Source: docs/serve.md.
[[nodiscard]] TokenVerdict judge_token(std::string_view token, std::chrono::system_clock::time_point now);

}  // namespace corliss::sim
