#pragma once

#include <corliss/io/endpoint.h>
#include <corliss/io/transport.h>

#include <memory>
#include <system_error>

#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>

namespace corliss::io {

/// A connected TCP socket.
std::unique_ptr<Transport> make_transport(asio::ip::tcp::socket socket);
/// A UDP socket that is connected to its peer.
std::unique_ptr<Transport> make_transport(asio::ip::udp::socket socket);

/// Of an address.
template <class Protocol>
Endpoint endpoint_of(Scheme scheme, const asio::ip::basic_endpoint<Protocol>& at) {
  return {scheme, at.address().to_string(), at.port()};
}

[[nodiscard]] inline bool is_would_block(const std::error_code& error) noexcept {
  return error == asio::error::would_block || error == asio::error::try_again ||
         error == std::errc::operation_would_block || error == std::errc::resource_unavailable_try_again;
}

/// Asks a socket to be waited for; the waiter is called once.
template <class Socket>
void wait_for(Socket& socket, Ready what, std::shared_ptr<Waiter> waiter) {
  socket.async_wait(
      what == Ready::read ? Socket::wait_read : Socket::wait_write,
      [what, held = std::move(waiter)](const std::error_code& error) { held->on_ready(what, error); });
}

}  // namespace corliss::io
