#pragma once

#include <corliss/base/result.h>
#include <corliss/io/errc.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace corliss::io {

/// How messages move: encrypted frames over TCP or UDP, or a WebSocket over TLS. `ws` has neither TLS nor the
/// channel's encryption: for tests on loopback.
enum class Scheme : std::uint8_t { tcp, udp, ws, wss };

/// "tcp", "udp", "ws" or "wss".
std::string_view name_of(Scheme scheme) noexcept;

/// Where a connection manager is, or a server listens: `tcp://162.254.197.39:27017`,
/// `wss://ext1-sea1.steamserver.net:443`, `udp://[::1]:27017`.
struct Endpoint {
  Scheme scheme = Scheme::tcp;
  std::string host;        ///< A name, or an address literal; IPv6 without its brackets.
  std::uint16_t port = 0;  ///< 0: any free port, to listen at.

  /// Strict: scheme in lower case, a host of letters, digits, dots, hyphens and underscores (labels of 1 to
  /// 63, 253 in all) or an IPv6 literal in brackets, a decimal port without leading zeros, nothing behind it.
  /// Errors: Errc::bad_endpoint.
  [[nodiscard]] static Result<Endpoint> parse(std::string_view text);
  /// The form that `parse` takes.
  [[nodiscard]] std::string to_string() const;
  /// `HOST:PORT`, IPv6 in brackets: as in the Host field of HTTP.
  [[nodiscard]] std::string authority() const;
  /// Whether the host is `localhost` or a loopback literal; no name is looked up.
  [[nodiscard]] bool is_loopback() const;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

}  // namespace corliss::io
