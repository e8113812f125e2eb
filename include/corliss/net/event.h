#pragma once

#include <corliss/base/bytes.h>

#include <cstdint>
#include <system_error>
#include <variant>

namespace corliss::net {

/// Messages may be sent and will be received from now on: the encryption handshake (TCP, UDP) or the HTTP
/// upgrade (WebSocket) is done. Comes once, before any `Received`, or never.
struct Connected {};

/// One whole message, decrypted. The bytes belong to the machine, or to the buffer that was fed, and live
/// until the next `feed`.
struct Received {
  Bytes message;
};

/// It is over. Comes exactly once and last.
struct Closed {
  /// Why; `Errc::closed_here` where the application asked for it. Compare with `Fault` to decide what to do.
  std::error_code reason;
  /// The number that the peer gave, where the reason is its refusal: EResult (Errc::handshake_refused), HTTP
  /// status (Errc::upgrade_refused) or WebSocket status (Errc::closed_by_peer); else 0.
  std::int32_t detail = 0;

  /// Whether the application asked for it; otherwise the server should be marked bad.
  [[nodiscard]] bool user_initiated() const noexcept;
};

using Event = std::variant<Connected, Received, Closed>;

}  // namespace corliss::net
