#pragma once

#include <corliss/base/time.h>

#include <cstddef>
#include <cstdint>

namespace corliss::net {

/// Steam publishes no limits; these are ours. Nothing is allocated for a length before it was checked against
/// one of them, and then only as the bytes arrive.

/// Largest TCP frame payload, reassembled UDP message and WebSocket message: 64 MiB. The largest that Steam
/// is known to send, Multi and product info, are a few MiB.
inline constexpr std::size_t max_frame_size = std::size_t{64} << 20;
/// The same before encryption stands (TCP, UDP). Handshake messages have at most 164 bytes.
inline constexpr std::size_t max_handshake_size = 4096;
/// The longest HTTP head of a WebSocket upgrade, its empty line included.
inline constexpr std::size_t max_http_head_size = 8192;
/// Bytes that may wait in one channel to be sent, sealed and framed; `prepare` refuses more.
inline constexpr std::size_t max_queued_size = 2 * max_frame_size;

/// What one side of a channel allows. Raising these costs memory only when the peer makes use of it.
struct Limits {
  std::size_t message = max_frame_size;  ///< A frame payload or message, sealed; at most `max_frame_size`.
  std::size_t queued = max_queued_size;  ///< Bytes waiting in the send queue.
};

/// When a side gives up. Each passes through `deadline()`; zero or less means at once, Duration::max() never.
struct Timeouts {
  /// From the start of the machine until messages may flow: encryption handshake, UDP connect, HTTP upgrade.
  Duration handshake = std::chrono::seconds(5);
  /// Nothing was received for this long. On TCP the peer has nothing to say by itself: ask for heartbeat
  /// replies (CMsgClientHeartBeat.send_reply) more often than this.
  Duration idle = std::chrono::seconds(120);
  /// A frame began and nothing more of it came (TCP, WebSocket).
  Duration stall = std::chrono::seconds(30);
  /// Bytes wait to be written and the transport takes none (TCP, WebSocket).
  Duration write = std::chrono::seconds(30);
  /// A WebSocket ping is sent when nothing was received for this long, so that a living peer is not idle.
  Duration ping = std::chrono::seconds(30);
  /// From `close` until `Closed`, when the peer does not answer.
  Duration close = std::chrono::seconds(3);
};

}  // namespace corliss::net
