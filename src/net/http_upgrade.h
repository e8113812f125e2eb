#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corliss::net {

/// The start line and the fields of an HTTP/1.1 message; views into its bytes.
struct HttpHead {
  struct Field {
    std::string_view name;
    std::string_view value;
  };
  std::string_view start_line;
  std::vector<Field> fields;

  /// The value of a field that may come once, names in any case. Nothing where it is absent or comes twice.
  [[nodiscard]] std::optional<std::string_view> only(std::string_view name) const noexcept;
  [[nodiscard]] bool has(std::string_view name) const noexcept;
  /// Whether `token` is in the list of the field, in any case, however many lines it has.
  [[nodiscard]] bool lists(std::string_view name, std::string_view token) const noexcept;
};

/// Reads a head that ends with its empty line. Strict: CRLF only, no folded lines, no control characters.
/// Errors: Errc::bad_http.
[[nodiscard]] Result<HttpHead> parse_http_head(std::string_view text);

/// The request of a client, and what it has to be answered with. `key` is the base64 of 16 random bytes.
[[nodiscard]] std::string upgrade_request(std::string_view host, std::string_view path, std::string_view key);
[[nodiscard]] std::string accept_key(std::string_view key);

/// Checks the server's answer. Errors: Errc::bad_http, Errc::upgrade_refused with `status` set,
/// Errc::bad_accept_key.
[[nodiscard]] Result<void> check_upgrade_response(std::string_view head, std::string_view key,
                                                  std::int32_t& status);

/// What a server answers a request, and whether that is a yes.
struct UpgradeAnswer {
  std::string text;
  bool accepted = false;
};
[[nodiscard]] UpgradeAnswer answer_upgrade(std::string_view head, std::string_view path);

/// Whether `text` can stand in a request without changing it into another: visible ASCII.
[[nodiscard]] bool is_plain_token(std::string_view text) noexcept;

}  // namespace corliss::net
