#pragma once

#include <corliss/base/buffer.h>
#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/net/limits.h>

#include <optional>
#include <span>

namespace corliss::net {

/// Wire: u32 LE length of the payload, then the four ASCII bytes `VT01`, then the payload; the same in both
/// directions, encrypted or not. Source: SteamKit2 TcpConnection; docs/wire/transport.md.
inline constexpr std::size_t tcp_frame_header_size = 8;

/// Writes the header of a frame with `payload` bytes of payload.
void write_tcp_frame_header(std::span<std::uint8_t, tcp_frame_header_size> out,
                            std::uint32_t payload) noexcept;

/// Cuts a byte stream into frames, whatever the pieces it comes in. Frames that lie whole in a piece are
/// handed out where they are, without a copy; one that is spread over pieces is put together in a buffer that
/// grows as its bytes arrive and is used again. Not thread-safe.
///
///     CORLISS_CHECK(reader.feed(piece));
///     for (;;) {
///       CORLISS_TRY(const auto payload, reader.next());
///       if (!payload) break;
///       use(*payload);
///     }
class TcpFrameReader {
 public:
  /// Refuses frames of more than `limit` bytes of payload.
  explicit TcpFrameReader(std::size_t limit = max_frame_size) noexcept : limit_(limit) {}

  /// For the frames whose header was not looked at yet: those that `next` did not come to.
  void set_limit(std::size_t limit) noexcept { limit_ = limit; }

  /// Takes the next piece of the stream, which must stay where it is until the next `feed`.
  /// Errors: the first error of this reader; Errc::not_drained (nothing taken) unless `next` came to the end.
  [[nodiscard]] Result<void> feed(Bytes piece) noexcept;

  /// The payload of the next frame, 0 bytes included, or nothing when more input is needed. It may be changed
  /// in place and lives until the next `feed`.
  /// Errors, final since the stream cannot be found again: Errc::bad_magic, Errc::frame_too_large.
  [[nodiscard]] Result<std::optional<Bytes>> next();

  /// Says that the stream ended. Errors: Errc::stream_truncated inside a frame; the first error.
  [[nodiscard]] Result<void> end_of_input() noexcept;

  /// Whether the start of a frame is here and the rest is not.
  [[nodiscard]] bool inside_frame() const noexcept { return !partial_.empty(); }

  /// Wipes and forgets what was not handed out: the rest of the piece, and a frame that is not whole yet.
  void wipe_rest() noexcept;
  /// Gives back memory that holds nothing at the moment; what was handed out ends.
  void trim() noexcept;

 private:
  /// Payload size of the frame that starts with `header`.
  Result<std::size_t> check(ConstBytes header) noexcept;
  /// Moves up to `upto - partial_.size()` bytes of input to `partial_`; whether it is then `upto` long.
  bool gather(std::size_t upto);

  std::size_t limit_;
  Bytes input_;
  Buffer partial_;   ///< header and payload so far of a frame that is spread over pieces
  Buffer complete_;  ///< such a frame when it is whole, while it is handed out
  std::error_code error_;
};

}  // namespace corliss::net
