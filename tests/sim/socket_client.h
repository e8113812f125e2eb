#pragma once

#include "sim/client_probe.h"

#include <corliss/io/connection.h>

#include <asio/awaitable.hpp>

namespace corliss::sim::test {

/// Sends messages in one go.
inline void send_all(io::Connection& connection, const std::vector<std::vector<std::uint8_t>>& messages) {
  for (const auto& message : messages) {
    if (const auto room = connection.prepare(message.size())) {
      std::copy(message.begin(), message.end(), room->begin());
      (void)connection.commit();
    }
  }
}

/// A ClientProbe over a socket, until its connection has ended; what `connect` says counts as the end, too.
inline asio::awaitable<void> run_client(io::Endpoint at, io::ConnectOptions options, ClientProbe& probe) {
  std::int32_t detail = 0;
  options.on_step = [&detail](const io::ConnectTrace& trace) {
    if (trace.step == io::ConnectStep::failed) {
      detail = trace.detail;
    }
  };
  auto connection = co_await io::Connection::connect(std::move(at), std::move(options));
  if (!connection) {
    probe.outcome.closed = net::Closed{connection.error(), detail};
    co_return;
  }
  send_all(*connection, probe.on_connected());
  while (const auto event = co_await connection->receive()) {
    if (const auto* received = std::get_if<net::Received>(&*event)) {
      send_all(*connection, probe.on_message(received->message));
      if (probe.outcome.broken) {
        connection->start_close();
      }
    } else if (const auto* closed = std::get_if<net::Closed>(&*event)) {
      probe.outcome.closed = *closed;
    }
  }
}

}  // namespace corliss::sim::test
