#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

#include <cstddef>
#include <memory>
#include <system_error>

namespace corliss::io {

/// What a `Transport` may be waited for.
enum class Ready : unsigned char { read, write };

/// Who waits. The transport holds it until it has called.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// The wait is over: try again. Called from the executor, never from within `wait`. After
  /// `Transport::close` it comes with an error or not at all.
  virtual void on_ready(Ready what, std::error_code error) = 0;

 protected:
  Waiter() = default;
  Waiter(const Waiter&) = default;
  Waiter& operator=(const Waiter&) = default;
};

/// A connected socket, as a connection sees it: bytes of a stream (TCP), or datagrams (UDP). Nothing blocks
/// and no buffer is held over a wait. Applications need it only to stand in between, as the faults of tests
/// do, by ConnectOptions::wrap and ListenOptions::on_accept.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Bytes of the stream, or one datagram; 0 is the end of the stream. Errors:
  /// std::errc::operation_would_block, when there is nothing now; anything else ends the connection.
  [[nodiscard]] virtual Result<std::size_t> read(Bytes room) = 0;
  /// Takes a front part of a stream, or one datagram whole. Errors: as `read`.
  [[nodiscard]] virtual Result<std::size_t> write(ConstBytes bytes) = 0;
  /// Calls `waiter` once when it is worth trying again; one wait for each of read and write at a time.
  virtual void wait(Ready what, std::shared_ptr<Waiter> waiter) = 0;
  /// Ends it: what was written still goes out, waits end. Again is harmless.
  virtual void close() noexcept = 0;
  /// Ends our direction of a stream; reading goes on. Datagrams have no such thing.
  virtual void end_output() noexcept {}
  /// `close`, where the peer of a stream sees a reset and what is on its way is lost.
  virtual void close_with_reset() noexcept { close(); }

 protected:
  Transport() = default;
  Transport(const Transport&) = default;
  Transport& operator=(const Transport&) = default;
};

}  // namespace corliss::io
