#include "sim/token.h"

#include "sim/json.h"

#include <corliss/base/base64.h>

#include <algorithm>
#include <optional>
#include <string>

namespace corliss::sim {
namespace {

using nlohmann::json;

/// The payload: the second of three parts, base64url without padding (RFC 7515).
std::optional<json> payload_of(std::string_view token) {
  const auto first = token.find('.');
  const auto second = first == token.npos ? token.npos : token.find('.', first + 1);
  if (token.size() > max_token_size || second == token.npos || token.find('.', second + 1) != token.npos) {
    return std::nullopt;
  }
  std::string text(token.substr(first + 1, second - first - 1));
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  const auto bytes = from_base64(text);
  if (!bytes) {
    return std::nullopt;
  }
  json payload = json::parse(bytes->begin(), bytes->end(), nullptr, false);
  return payload.is_object() ? std::optional(std::move(payload)) : std::nullopt;
}

bool names_client(const json& payload) {
  const auto audience = payload.find("aud");
  return audience != payload.end() && audience->is_array() &&
         std::find(audience->begin(), audience->end(), "client") != audience->end();
}

}  // namespace

TokenVerdict judge_token(std::string_view token, std::chrono::system_clock::time_point now) {
  const auto payload = payload_of(token);
  if (!payload) {
    return {};
  }
  const auto issuer = payload->find("iss");
  const auto subject = payload->find("sub");
  if (issuer == payload->end() || *issuer != "steam" || subject == payload->end() || !subject->is_string()) {
    return {};
  }
  const auto id = proto::SteamId::parse_number(subject->get_ref<const std::string&>());
  if (!id || !id->is_individual()) {
    return {};
  }
  if (!names_client(*payload)) {
    return {proto::EResult::AccessDenied, {}};
  }
  const auto expiry = payload->find("exp");
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  if (expiry == payload->end() || !expiry->is_number_integer() || expiry->get<std::int64_t>() <= seconds) {
    return {proto::EResult::Expired, {}};
  }
  return {proto::EResult::OK, *id};
}

}  // namespace corliss::sim
