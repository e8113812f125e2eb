#pragma once

#include <corliss/base/result.h>
#include <corliss/io/errc.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace corliss::io {

/// Called with each line of the NSS key log format, so that captures can be decrypted later; the line lives
/// for the call only. Whoever has it reads the connection. From the thread of the connection. What it
/// throws is dropped.
using TlsKeyLog = std::function<void(std::string_view line)>;

/// What TLS needs, shared by many connections: certificates and trust. TLS 1.2 and above. Copies share one
/// state; immutable, so any number of threads may use it.
class TlsContext {
 public:
  /// For clients. The server's certificate is always verified, for the host name or address of the endpoint:
  /// against the system's store, or against `ca_pem` alone where that is given (one or more certificates).
  /// Errors: Errc::bad_tls_material.
  [[nodiscard]] static Result<TlsContext> client(std::string_view ca_pem = {}, TlsKeyLog key_log = {});
  /// For servers: a certificate, those that it needs behind it, and its private key, all PEM.
  /// Errors: Errc::bad_tls_material.
  [[nodiscard]] static Result<TlsContext> server(std::string_view chain_pem, std::string_view key_pem);

  struct State;
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  explicit TlsContext(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace corliss::io
