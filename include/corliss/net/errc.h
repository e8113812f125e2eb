#pragma once

#include <corliss/base/fault.h>

#include <system_error>

namespace corliss::net {

/// Why a connection ended, or a call was refused. Reconnect after all but the last group, which is wrong use.
enum class Errc {
  // The end of a connection.
  closed_here = 1,    ///< The application asked for it. Fault::closed.
  closed_by_peer,     ///< End of stream between frames, UDP Disconnect, WebSocket close. Fault::closed.
  stream_truncated,   ///< The stream ended inside a frame or handshake. Fault::malformed.
  handshake_timeout,  ///< Not connected within Timeouts::handshake. Fault::timeout.
  idle_timeout,       ///< Nothing was received for too long. Fault::timeout.
  stall_timeout,      ///< A frame began and did not go on. Fault::timeout.
  write_timeout,      ///< The transport takes no bytes. Fault::timeout.

  // TCP frames.
  bad_magic,            ///< Not `VT01` (TCP) or `VS01` (UDP). Fault::malformed.
  frame_too_large,      ///< A frame or message above Limits::message. Fault::limit.
  handshake_too_large,  ///< A frame or message above `max_handshake_size` before encryption. Fault::limit.
  empty_message,        ///< A frame or message of 0 bytes. Fault::malformed.

  // The channel handshake.
  bad_handshake_message,   ///< Wrong length or fields. Fault::malformed.
  unexpected_message,      ///< A message that this state does not accept. Fault::malformed.
  wrong_protocol_version,  ///< Not 1. Fault::refused.
  wrong_universe,          ///< The server is of another universe than asked for. Fault::refused.
  unknown_universe,        ///< No public key is known for the universe. Fault::refused.
  bad_challenge,           ///< A challenge of 1 to 15 or more than 54 bytes. Fault::malformed.
  legacy_refused,          ///< The server asks for the legacy format, which is off. Fault::refused.
  bad_key_exchange,   ///< The client's key blob: wrong checksum, key or challenge. Fault::unauthenticated.
  handshake_refused,  ///< ChannelEncryptResult other than OK; Closed::detail is its EResult. Fault::refused.

  // UDP.
  truncated_datagram,    ///< Fewer bytes than header and payload need; the datagram is dropped.
                         ///< Fault::malformed.
  datagram_too_large,    ///< payloadSize above 1244; the datagram is dropped. Fault::limit.
  bad_packet_type,       ///< Type 0, or 8 and above; the datagram is dropped. Fault::malformed.
  bad_split,             ///< The parts of a message contradict each other. Fault::malformed.
  bad_challenge_answer,  ///< A UDP Connect that does not answer our Challenge. Fault::unauthenticated.
  sequence_exhausted,    ///< 2^32 packets were sent. Fault::limit: connect again.

  // WebSocket.
  bad_http,         ///< Not an HTTP message, or not the upgrade that RFC 6455 wants. Fault::malformed.
  http_too_large,   ///< The HTTP head is above `max_http_head_size`. Fault::limit.
  upgrade_refused,  ///< The server answered with another status; Closed::detail has it. Fault::refused.
  bad_accept_key,   ///< Sec-WebSocket-Accept does not fit our key. Fault::unauthenticated.
  bad_frame,        ///< Reserved bits or opcodes, wrong lengths, fragments out of order. Fault::malformed.
  bad_mask,         ///< A client's frame without mask, or a server's with one. Fault::malformed.

  // Wrong use, on this side.
  not_connected,      ///< Sending before `Connected` or after the end. Fault::local.
  message_too_large,  ///< The message to send is above Limits::message. Fault::limit: split it.
  queue_full,         ///< Limits::queued is reached. Fault::limit: wait until `outgoing` has drained.
  nothing_prepared,   ///< `commit` without `prepare`. Fault::local.
  not_drained,        ///< `feed` before the last input was drained. Fault::local.
};

std::error_code make_error_code(Errc errc) noexcept;

}  // namespace corliss::net

template <>
struct std::is_error_code_enum<corliss::net::Errc> : std::true_type {};
