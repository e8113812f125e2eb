#pragma once

#include <corliss/net/channel.h>
#include <corliss/net/handshake.h>

#include <memory>

namespace corliss::net {

/// A Steam connection over TCP: frames, the channel handshake, then encrypted packets.
///
///     auto channel = TcpChannel::client({}, {}, crypto::system_rng(), now);   // then as in `Channel`
///
/// Errors that end it: of the frames, Errc::bad_magic, frame_too_large, handshake_too_large, empty_message,
/// stream_truncated; of the handshake, everything under that heading in errc.h; of a packet,
/// crypto::Errc::unauthenticated, whatever is wrong with it: it and all that follows is wiped, nothing of it
/// is delivered and nothing is sent; the timeouts.
class TcpChannel final : public Channel {
 public:
  /// `rng` gives session key, challenge and nonces, and must live as long as the channel.
  static TcpChannel client(ClientHandshake handshake, const ChannelOptions& options, Rng& rng, TimePoint now);
  static TcpChannel server(ServerHandshake handshake, const ChannelOptions& options, Rng& rng, TimePoint now);
  /// Frames alone, without handshake and encryption: to measure what encryption costs. No Steam server takes
  /// it.
  static TcpChannel plain(const ChannelOptions& options, TimePoint now);

  TcpChannel(TcpChannel&&) noexcept;
  TcpChannel& operator=(TcpChannel&&) noexcept;
  ~TcpChannel() override;

  [[nodiscard]] Result<void> feed(Bytes input, TimePoint now) override;
  [[nodiscard]] Result<void> end_of_input(TimePoint now) override;
  void fail(std::error_code reason) noexcept override;
  [[nodiscard]] std::optional<Event> poll_event() override;
  [[nodiscard]] Result<Bytes> prepare(std::size_t size) override;
  [[nodiscard]] Result<void> commit(TimePoint now) override;
  [[nodiscard]] Result<void> close(TimePoint now) override;
  [[nodiscard]] ConstBytes outgoing() override;
  void sent(std::size_t count, TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> deadline() const noexcept override;
  [[nodiscard]] Result<void> on_deadline(TimePoint now) override;
  [[nodiscard]] bool connected() const noexcept override;
  [[nodiscard]] std::size_t queued() const noexcept override;
  void trim() noexcept override;

 private:
  struct Impl;
  explicit TcpChannel(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace corliss::net
