#include "net/http_upgrade.h"

#include <corliss/base/base64.h>
#include <corliss/crypto/hash.h>
#include <corliss/net/errc.h>

#include <algorithm>

namespace corliss::net {
namespace {

constexpr std::string_view websocket_guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3
constexpr std::string_view blanks = " \t";

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Characters of a token (RFC 9110, 5.6.2).
bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool has_control(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

}  // namespace

std::optional<std::string_view> HttpHead::only(std::string_view name) const noexcept {
  std::optional<std::string_view> found;
  for (const auto& field : fields) {
    if (same(field.name, name)) {
      if (found) {
        return std::nullopt;
      }
      found = field.value;
    }
  }
  return found;
}

bool HttpHead::has(std::string_view name) const noexcept {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return same(field.name, name); });
}

bool HttpHead::lists(std::string_view name, std::string_view token) const noexcept {
  for (const auto& field : fields) {
    if (!same(field.name, name)) {
      continue;
    }
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      if (same(trimmed(rest.substr(0, comma)), token)) {
        return true;
      }
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

Result<HttpHead> parse_http_head(std::string_view text) {
  HttpHead head;
  while (!text.empty()) {
    const auto end = text.find("\r\n");
    if (end == std::string_view::npos) {
      return fail(Errc::bad_http);
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty()) {
      break;
    }
    if (has_control(line)) {
      return fail(Errc::bad_http);
    }
    if (head.start_line.empty()) {
      head.start_line = line;
      continue;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return fail(Errc::bad_http);
    }
    head.fields.push_back({line.substr(0, colon), trimmed(line.substr(colon + 1))});
  }
  if (head.start_line.empty() || !text.empty()) {
    return fail(Errc::bad_http);
  }
  return head;
}

std::string upgrade_request(std::string_view host, std::string_view path, std::string_view key) {
  std::string out = "GET ";
  out.append(path).append(" HTTP/1.1\r\nHost: ").append(host);
  out.append("\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ").append(key);
  return out.append("\r\nSec-WebSocket-Version: 13\r\n\r\n");
}

std::string accept_key(std::string_view key) {
  std::string joined(key);
  joined.append(websocket_guid);
  return to_base64(crypto::sha1(bytes_of(joined)));
}

Result<void> check_upgrade_response(std::string_view text, std::string_view key, std::int32_t& status) {
  CORLISS_TRY(const HttpHead head, parse_http_head(text));
  // HTTP/1.1 SP three digits, then a blank or the end.
  const std::string_view line = head.start_line;
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ' ||
      (line.size() > 12 && line[12] != ' ') ||
      !std::all_of(line.begin() + 9, line.begin() + 12, [](char c) { return c >= '0' && c <= '9'; })) {
    return fail(Errc::bad_http);
  }
  const std::int32_t code = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  if (code != 101) {
    status = code;
    return fail(Errc::upgrade_refused);
  }
  // "If the response includes a |Sec-WebSocket-Extensions| header field and this header field indicates the
  // use of an extension that was not present in the client's handshake …, the client MUST _Fail_" (4.1); the
  // same for |Sec-WebSocket-Protocol|. We ask for none.
  if (!head.lists("Upgrade", "websocket") || !head.lists("Connection", "upgrade") ||
      head.has("Sec-WebSocket-Extensions") || head.has("Sec-WebSocket-Protocol")) {
    return fail(Errc::bad_http);
  }
  if (head.only("Sec-WebSocket-Accept") != accept_key(key)) {
    return fail(Errc::bad_accept_key);
  }
  return {};
}

UpgradeAnswer answer_upgrade(std::string_view text, std::string_view path) {
  const auto refuse = [](std::string_view status_and_fields) {
    std::string out = "HTTP/1.1 ";
    out.append(status_and_fields).append("\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return UpgradeAnswer{std::move(out), false};
  };
  const auto head = parse_http_head(text);
  if (!head) {
    return refuse("400 Bad Request");
  }
  const std::string_view line = head->start_line;
  const auto target_end = line.rfind(' ');
  if (!line.starts_with("GET ") || target_end < 5 || line.substr(target_end) != " HTTP/1.1" ||
      !head->only("Host")) {
    return refuse("400 Bad Request");
  }
  const std::string_view target = line.substr(4, target_end - 4);
  if (target.substr(0, target.find('?')) != path) {
    return refuse("404 Not Found");
  }
  const auto key = head->only("Sec-WebSocket-Key");
  const auto key_bytes = from_base64(key.value_or(""));
  if (!head->lists("Upgrade", "websocket") || !head->lists("Connection", "upgrade") || !key_bytes ||
      key_bytes->size() != 16) {
    return refuse("400 Bad Request");
  }
  if (head->only("Sec-WebSocket-Version") != "13") {
    return refuse("426 Upgrade Required\r\nSec-WebSocket-Version: 13");
  }
  std::string out =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
      "Upgrade\r\nSec-WebSocket-Accept: ";
  out.append(accept_key(*key)).append("\r\n\r\n");
  return {std::move(out), true};
}

bool is_plain_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace corliss::net
