#include <corliss/io/errc.h>

#include <array>
#include <cerrno>

#include <asio/error.hpp>

namespace corliss::io {
namespace {

constexpr auto rows = std::to_array<ErrcRow>({
    {},
    {"not an endpoint; write tcp|udp|ws|wss://HOST:PORT", Fault::malformed},
    {"no such host", Fault::closed},
    {"the host's name could not be looked up", Fault::closed},
    {"connection refused: nobody listens there", Fault::closed},
    {"no route to the host", Fault::closed},
    {"the connection was cut", Fault::closed},
    {"not connected in time", Fault::timeout},
    {"cancelled", Fault::local},
    {"the server's certificate does not verify", Fault::unauthenticated},
    {"TLS failed", Fault::malformed},
    {"a certificate or key of this side cannot be used", Fault::local},
    {"the address to listen at is in use or not of this machine", Fault::local},
    {"too many open files or no buffers; close some or raise the limit", Fault::local},
    {"not enough memory", Fault::local},
    {"the listener is closed", Fault::closed},
    {"a socket failed", Fault::local},
});

Errc of_errno(int number) noexcept {
  switch (number) {
    case ECONNREFUSED:
      return Errc::connection_refused;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
      return Errc::unreachable;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
    case ENOTCONN:
      return Errc::connection_reset;
    case ETIMEDOUT:
      return Errc::connect_timeout;
    case ECANCELED:
      return Errc::cancelled;
    case EADDRINUSE:
    case EADDRNOTAVAIL:
    case EACCES:
      return Errc::address_unavailable;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
      return Errc::no_descriptors;
    case ENOMEM:
      return Errc::no_memory;
    default:
      return Errc::socket_failed;
  }
}

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.io", rows);
  return {static_cast<int>(errc), category};
}

std::error_code from_system(const std::error_code& error) noexcept {
  if (!error) {
    return error;
  }
  // asio has a category of its own for errno.
  if (error.category() == asio::error::get_system_category() || error.category() == std::system_category() ||
      error.category() == std::generic_category()) {
    return of_errno(error.value());
  }
  if (error.category() == asio::error::get_netdb_category()) {
    const bool unknown = error == asio::error::host_not_found || error == asio::error::no_data;
    return unknown ? Errc::name_not_found : Errc::resolver_failed;
  }
  if (error.category() == asio::error::get_addrinfo_category()) {
    return Errc::name_not_found;
  }
  if (error.category() == asio::error::get_misc_category()) {
    return error == asio::error::eof ? Errc::connection_reset : Errc::socket_failed;
  }
  return error;
}

}  // namespace corliss::io
