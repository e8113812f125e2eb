#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/time.h>
#include <corliss/net/errc.h>
#include <corliss/net/event.h>
#include <corliss/net/limits.h>

#include <memory>
#include <optional>

namespace corliss::net {

/// One side of a connection that carries whole messages: `TcpChannel`, `UdpChannel`, `WebSocketChannel`. It
/// owns no socket, thread, clock or lock. Bytes go in and come out, events and a deadline tell the rest:
///
///     for (;;) {
///       while (!channel.outgoing().empty()) {              // UDP: exactly one datagram
///         const std::size_t n = write(channel.outgoing());
///         channel.sent(n, now);
///       }
///       wait for input until channel.deadline()
///       (void)channel.feed(input, now);                    // or on_deadline(now), end_of_input(now),
///       fail(why) while (auto event = channel.poll_event()) { … }    // an error of feed comes as Closed,
///       too
///     }
///
/// Any split of a stream gives the same events. After the first error every call returns that error. Every
/// connection ends with exactly one `Closed`; what `outgoing` still has then (a refusal, a goodbye) may be
/// written if that needs no waiting, and the socket is closed. One thread at a time; different channels in
/// different threads. In a steady exchange nothing is allocated per message; std::bad_alloc may be thrown.
class Channel {
 public:
  virtual ~Channel() = default;

  // Bytes in.

  /// Takes input: any piece of a stream, or exactly one datagram. Messages are decrypted in `input` and
  /// handed out from it where possible, so it must stay until the next `feed`; it may be shared by channels
  /// that are fed and drained one after the other. Several packets in one input are opened as one batch.
  /// Errors: the reason of `Closed`. Messages before the offending one are still events.
  [[nodiscard]] virtual Result<void> feed(Bytes input, TimePoint now) = 0;
  /// The peer ended the stream. Never for datagrams. Errors: the reason of `Closed`.
  [[nodiscard]] virtual Result<void> end_of_input(TimePoint now) = 0;
  /// The transport failed: reset, TLS, no route. The first reason counts.
  virtual void fail(std::error_code reason) noexcept = 0;

  // Events, in order; drain them after each call that took a time.

  [[nodiscard]] virtual std::optional<Event> poll_event() = 0;

  // Messages out.

  /// Room for a message of exactly `size` bytes, to be written in place and then passed to `commit`: it lies
  /// where it will be sealed and framed, nothing is copied. Valid until the next call of this object but
  /// `deadline`. A second `prepare` forgets the first.
  /// Errors: Errc::not_connected, Errc::empty_message, Errc::message_too_large, Errc::queue_full.
  [[nodiscard]] virtual Result<Bytes> prepare(std::size_t size) = 0;
  /// Queues the prepared message. What is queued by the time of `outgoing` is sealed as one batch.
  /// Errors: Errc::nothing_prepared, the reason of `Closed`.
  [[nodiscard]] virtual Result<void> commit(TimePoint now) = 0;
  /// `prepare`, copy, `commit`.
  [[nodiscard]] Result<void> send(ConstBytes message, TimePoint now);

  /// Ends it in order: what is queued goes out first, then what the transport has for a goodbye. No message
  /// is received from now on; `Closed` comes when all is done, or Timeouts::close has passed. Errors: the
  /// reason of `Closed`, when it is over already.
  [[nodiscard]] virtual Result<void> close(TimePoint now) = 0;

  // Bytes out.

  /// What is to be written next: bytes of the stream, or one datagram; empty for now. Stays as it is and
  /// where it is until `sent` has taken all of it, whatever else is called, so a write may be under way
  /// meanwhile. Between `prepare` and `commit` nothing new appears.
  [[nodiscard]] virtual ConstBytes outgoing() = 0;
  /// So many bytes of `outgoing` were written. A datagram is sent whole, or lost whole.
  virtual void sent(std::size_t count, TimePoint now) = 0;

  // Time.

  /// When `on_deadline` is due; nothing when it is over. Changes with every call that takes a time.
  [[nodiscard]] virtual std::optional<TimePoint> deadline() const noexcept = 0;
  /// Does what is due by `now`; harmless when nothing is. Errors: the reason of `Closed`.
  [[nodiscard]] virtual Result<void> on_deadline(TimePoint now) = 0;

  // State.

  /// Whether messages may be sent: after `Connected`, before `close` and the end.
  [[nodiscard]] virtual bool connected() const noexcept = 0;
  /// Bytes that wait to be sent, sealed and framed; for back-pressure.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
  /// Gives back memory that holds nothing at the moment, for connections that are idle. Received messages
  /// end.
  virtual void trim() noexcept = 0;

 protected:
  Channel() = default;
  Channel(const Channel&) = default;
  Channel& operator=(const Channel&) = default;
};

/// A channel by value: what `TcpChannel`, `UdpChannel` and `WebSocketChannel` have in common. It owns the
/// machine of its transport and passes every call on. After a move only assignment and destruction are
/// allowed.
class OwningChannel : public Channel {
 public:
  [[nodiscard]] Result<void> feed(Bytes input, TimePoint now) final;
  [[nodiscard]] Result<void> end_of_input(TimePoint now) final;
  void fail(std::error_code reason) noexcept final;
  [[nodiscard]] std::optional<Event> poll_event() final;
  [[nodiscard]] Result<Bytes> prepare(std::size_t size) final;
  [[nodiscard]] Result<void> commit(TimePoint now) final;
  [[nodiscard]] Result<void> close(TimePoint now) final;
  [[nodiscard]] ConstBytes outgoing() final;
  void sent(std::size_t count, TimePoint now) final;
  [[nodiscard]] std::optional<TimePoint> deadline() const noexcept final;
  [[nodiscard]] Result<void> on_deadline(TimePoint now) final;
  [[nodiscard]] bool connected() const noexcept final;
  [[nodiscard]] std::size_t queued() const noexcept final;
  void trim() noexcept final;

 protected:
  explicit OwningChannel(std::unique_ptr<Channel> machine) noexcept : machine_(std::move(machine)) {}

 private:
  std::unique_ptr<Channel> machine_;
};

}  // namespace corliss::net
