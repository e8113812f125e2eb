#pragma once

#include <corliss/base/rng.h>
#include <corliss/net/channel.h>
#include <corliss/sim/faults.h>

#include <functional>
#include <memory>

namespace corliss::sim {

/// What has to be done to the socket of a channel, which no bytes can say.
enum class Cut : std::uint8_t {
  none,
  half_close,  ///< Shut the sending direction down, now; go on reading.
  reset,       ///< When it is closed, which is next, the peer is to see a reset (SO_LINGER 0).
};
/// Told once, from within a call of the channel or its constructor, when the bytes before the cut are sent.
using OnCut = std::function<void(Cut)>;

/// A channel of a server that does wrong as told: a decorator that changes what comes out of another, drops
/// what goes in, or ends it. For wss it stands outside of TLS. It does all faults of FaultKind but `result`,
/// `late` and `try_another_cm`, which the handshake and `CmSession` do. Owns no socket: a test drives it in
/// memory, `Server` over its sockets.
///
/// The bytes of the inner channel are taken as soon as they exist, so its write timeout never strikes. Where
/// a fault ends the connection, `Closed` says Errc::fault_injected on this side.
class FaultyChannel final : public net::Channel {
 public:
  /// `rng` picks the datagrams to lose and must live as long as the channel. Rules that are of no concern
  /// here or to `transport` are ignored; FaultKind::oversized is to wss, which needs a second one of these
  /// inside of TLS, as for ws.
  FaultyChannel(std::unique_ptr<net::Channel> inner, Scheme transport, const FaultRules& rules, Rng& rng,
                TimePoint now, OnCut on_cut = nullptr);
  ~FaultyChannel() override;

  /// Whether any of `rules` needs this class.
  [[nodiscard]] static bool wanted(const FaultRules& rules) noexcept;

  [[nodiscard]] Result<void> feed(Bytes input, TimePoint now) override;
  [[nodiscard]] Result<void> end_of_input(TimePoint now) override;
  void fail(std::error_code reason) noexcept override;
  [[nodiscard]] std::optional<net::Event> poll_event() override;
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
  std::unique_ptr<Impl> impl_;
};

}  // namespace corliss::sim
