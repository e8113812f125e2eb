#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/time.h>
#include <corliss/net/event.h>
#include <corliss/net/limits.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace corliss::net {

inline constexpr std::uint32_t udp_window = 5;          ///< Packets in flight, at most.
inline constexpr std::uint32_t udp_resend_burst = 3;    ///< Packets sent again at once, at most.
inline constexpr std::uint32_t udp_max_reorder = 1024;  ///< Packets kept ahead of the first missing one.
inline constexpr Duration udp_resend_delay = std::chrono::seconds(3);
/// Without a valid datagram for this long the session is dead.
inline constexpr Duration udp_dead_after = std::chrono::seconds(60);
/// Connection ids of a process: the first, and from one connection to the next. Source: SteamKit2
/// UdpConnection.
inline constexpr std::uint32_t udp_first_client_id = 512;
inline constexpr std::uint32_t udp_client_id_step = 256;

/// UDP sessions time out by `udp_dead_after`, as every peer does: their handshake may need several resends.
inline constexpr Timeouts udp_timeouts{.handshake = udp_dead_after, .idle = udp_dead_after};

/// What a session needs to know of its side.
struct UdpSessionOptions {
  enum class Side { client, server };
  Side side = Side::client;
  std::uint32_t connection_id = udp_first_client_id;  ///< Ours; a server's must not be 0.
  std::uint32_t challenge = 0;                        ///< Server: a random number.
  std::uint32_t server_load = 0;                      ///< Server: told with the challenge.
  Limits limits{};
  Timeouts timeouts = udp_timeouts;
};

/// One side of a Steam UDP connection, without encryption: challenge, accept, sequencing, acknowledgement,
/// resend, window, split messages, disconnect. Owns no socket and no clock; one datagram goes in and comes
/// out at a time. The caller feeds only datagrams from the address of its peer. Not thread-safe. In a steady
/// exchange it allocates nothing per message; it may throw std::bad_alloc.
///
///     UdpSession session({}, now);
///     loop:
///       while (!session.outgoing().empty()) { send(session.outgoing()); session.sent(now); }
///       wait for a datagram until *session.deadline()
///       datagram ? session.feed(datagram, now) : session.on_deadline(now)   // an error is also an event
///       while (auto event = session.poll_event()) { … }
///
/// Datagrams that are malformed, foreign, repeated, too far ahead, or of a type that the state does not
/// accept, are dropped and change nothing. Source: SteamKit2 UdpConnection; docs/wire/udp.md says where we
/// differ.
class UdpSession {
 public:
  UdpSession(const UdpSessionOptions& options, TimePoint now);
  UdpSession(UdpSession&&) noexcept;
  UdpSession& operator=(UdpSession&&) noexcept;
  ~UdpSession();

  /// Takes one datagram. Errors: Errc::bad_split, Errc::bad_challenge_answer, Errc::sequence_exhausted,
  /// Errc::closed_by_peer; all final, and the reason of `Closed`.
  [[nodiscard]] Result<void> feed(ConstBytes datagram, TimePoint now);
  /// Ends the session because the socket failed. The first reason counts.
  void fail(std::error_code reason) noexcept;

  [[nodiscard]] std::optional<Event> poll_event();

  /// Room for a message of `size` bytes, to be filled and then passed to `commit`. It stays where it is until
  /// the datagrams were made from it, `outgoing` does that, so it may be filled or changed up to then.
  /// Errors: Errc::not_connected, Errc::message_too_large, Errc::queue_full.
  [[nodiscard]] Result<Bytes> prepare(std::size_t size);
  /// Queues the prepared message. Errors: Errc::nothing_prepared, Errc::sequence_exhausted, the final error.
  [[nodiscard]] Result<void> commit(TimePoint now);

  /// Sends a Disconnect when all before it is acknowledged; `Closed` comes when it is acknowledged itself or
  /// Timeouts::close has passed. No message is received from now on.
  [[nodiscard]] Result<void> close(TimePoint now);

  /// The next datagram to send, or nothing; the same until `sent`. After `Closed` there may be a last one.
  [[nodiscard]] ConstBytes outgoing();
  /// The datagram of `outgoing` was sent, or could not be and counts as lost.
  void sent() noexcept;

  /// When `on_deadline` is due; nothing after the end.
  [[nodiscard]] std::optional<TimePoint> deadline() const noexcept;
  /// Errors: Errc::handshake_timeout, Errc::idle_timeout; final, and the reason of `Closed`.
  [[nodiscard]] Result<void> on_deadline(TimePoint now);

  /// Gives back memory that holds nothing at the moment; received messages end.
  void trim() noexcept;
  /// Bytes of messages that are not acknowledged yet.
  [[nodiscard]] std::size_t queued() const noexcept;
  /// Allows larger messages from now on, or fewer; a channel does when its handshake is done.
  void set_message_limit(std::size_t limit) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace corliss::net
