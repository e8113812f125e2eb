#pragma once

#include "io/read_buffers.h"

#include <corliss/io/connection.h>
#include <corliss/io/transport.h>
#include <corliss/net/channel.h>

#include <memory>
#include <optional>

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

namespace corliss::io {

/// Drives a channel: reads, feeds, tells events, writes what is outgoing, waits until the deadline. It reads
/// only when everything told before is drained, since messages lie in the buffer that was fed. Nothing is
/// handed to the system over a wait, so it may end at any moment.
class Connection::Pump final : public Waiter, public std::enable_shared_from_this<Pump> {
 public:
  Pump(const asio::any_io_executor& executor, std::unique_ptr<Transport> transport,
       std::unique_ptr<net::Channel> channel, Endpoint remote);

  /// Begins; once, when a shared_ptr holds it.
  void start();
  /// Nobody is interested any more.
  void abandon() noexcept;

  [[nodiscard]] std::optional<net::Event> poll_event();
  [[nodiscard]] Result<Bytes> prepare(std::size_t size) { return channel_->prepare(size); }
  [[nodiscard]] Result<void> commit();
  void start_close();

  [[nodiscard]] std::size_t queued() const noexcept { return channel_->queued(); }
  [[nodiscard]] bool connected() const noexcept { return channel_->connected(); }
  /// Closed, once it was told, or the pump was abandoned.
  [[nodiscard]] const std::optional<net::Closed>& closed() const noexcept { return closed_; }
  [[nodiscard]] const Endpoint& remote() const noexcept { return remote_; }
  [[nodiscard]] std::uint64_t bytes_in() const noexcept { return bytes_in_; }
  [[nodiscard]] std::uint64_t bytes_out() const noexcept { return bytes_out_; }

  /// A wait for a change of this pump: its waiters are resumed by `notify`, and look again.
  class Signal {
   public:
    explicit Signal(const asio::any_io_executor& executor) : timer_(executor, TimePoint::max()) {}
    [[nodiscard]] asio::steady_timer& wait() noexcept {
      waited_for_ = true;
      return timer_;
    }
    void notify() noexcept;

   private:
    asio::steady_timer timer_;
    bool waited_for_ = false;
  };
  Signal event_came;  ///< there is an event, or it is over
  Signal room_came;   ///< less is queued, or it is over

 private:
  void on_ready(Ready what, std::error_code error) override;
  void on_timer();

  bool peek();
  void want_read();
  void read(TimePoint now);
  void write(TimePoint now);
  void schedule_write();
  void settle(TimePoint now);
  void arm_timer();
  void moved(TimePoint now) noexcept {
    active_at_ = now;
    trimmed_ = false;
  }
  template <class Step>
  void guarded(Step step);
  void end() noexcept;

  asio::any_io_executor executor_;
  ReadBuffers& buffers_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<net::Channel> channel_;
  Endpoint remote_;

  ReadBuffers::Loan input_;
  std::optional<net::Event> next_;  ///< taken from the channel, not told yet
  std::optional<net::Closed> closed_;

  asio::steady_timer timer_;
  TimePoint armed_for_ = TimePoint::max();
  TimePoint active_at_;  ///< when bytes last moved

  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;

  bool told_ = false;        ///< a message was handed out and is perhaps in use
  bool reading_ = false;     ///< a wait for input is under way
  bool writing_ = false;     ///< a wait for room is under way
  bool more_input_ = false;  ///< the last read filled the buffer
  bool scheduled_ = false;   ///< `write` will be called
  bool trimmed_ = false;     ///< nothing moved since `trim`
  bool reset_ = false;       ///< writing met a reset
  bool over_ = false;        ///< the transport is closed
};

}  // namespace corliss::io
