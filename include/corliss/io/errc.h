#pragma once

#include <corliss/base/fault.h>

#include <system_error>

namespace corliss::io {

/// Why a connection could not be made or ended, where it is the network of this machine that says so; what
/// peer and protocol have to say is in net::Errc. Every error of a socket, the resolver or TLS becomes one of
/// these, so that `Fault` tells what to do.
enum class Errc {
  bad_endpoint = 1,     ///< Not `tcp|udp|ws|wss://HOST:PORT`. Fault::malformed.
  name_not_found,       ///< The resolver knows no such host. Fault::closed: try another server.
  resolver_failed,      ///< The resolver could not ask. Fault::closed: try again.
  connection_refused,   ///< Nobody listens there. Fault::closed: try another server.
  unreachable,          ///< No route to host or network. Fault::closed: try another server.
  connection_reset,     ///< The peer, or something between, cut it. Fault::closed: connect again.
  connect_timeout,      ///< Not connected within ConnectOptions::timeout. Fault::timeout: try another server.
  cancelled,            ///< The awaiting coroutine was cancelled; nothing is lost. Fault::local.
  bad_certificate,      ///< The server's certificate does not verify; `Closed::detail` has the X509_V_ERR
                        ///< number. Fault::unauthenticated: do not go on.
  tls_failed,           ///< TLS with the peer failed otherwise. Fault::malformed.
  bad_tls_material,     ///< A certificate or key for this side cannot be used. Fault::local.
  address_unavailable,  ///< The address to listen at is in use, or not of this machine. Fault::local.
  no_descriptors,   ///< Too many open files or no buffers: close some, or raise RLIMIT_NOFILE. Fault::local.
  no_memory,        ///< Memory ran out while the connection was served. Fault::local.
  listener_closed,  ///< `accept` after `close`. Fault::closed.
  socket_failed,    ///< Anything else that a socket may say. Fault::local.
};

std::error_code make_error_code(Errc errc) noexcept;

/// The Errc for an error of asio, the system or the resolver; those of Corliss stay as they are.
std::error_code from_system(const std::error_code& error) noexcept;

}  // namespace corliss::io

template <>
struct std::is_error_code_enum<corliss::io::Errc> : std::true_type {};
