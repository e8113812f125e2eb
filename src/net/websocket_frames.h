#pragma once

#include <corliss/base/buffer.h>
#include <corliss/base/result.h>
#include <corliss/base/rng.h>
#include <corliss/base/secret.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

struct wslay_frame_context;
struct wslay_frame_iocb;

namespace corliss::net {

inline constexpr std::size_t max_control_payload = 125;

/// WebSocket frames on wslay: puts messages together, keeps the rules of RFC 6455 that wslay leaves to its
/// user, and writes frames. Knows no HTTP, no time and no state of the connection.
class WebSocketFrames {
 public:
  enum class Role { client, server };

  struct Control {
    std::uint8_t opcode = 0;  ///< 8 close, 9 ping, 10 pong
    std::uint8_t size = 0;
    std::array<std::uint8_t, max_control_payload> payload{};
    [[nodiscard]] ConstBytes bytes() const noexcept { return ConstBytes(payload).first(size); }
  };

  /// `rng` gives the masks of a client's frames.
  WebSocketFrames(Role role, std::size_t message_limit, Rng* rng);
  WebSocketFrames(const WebSocketFrames&) = delete;
  WebSocketFrames& operator=(const WebSocketFrames&) = delete;
  ~WebSocketFrames();

  /// Takes a piece of the stream. Ends what `messages` gave.
  void feed(ConstBytes piece);
  /// Goes on to the next control frame, which it returns, or to the end of the piece: nothing.
  /// Errors, final: Errc::bad_frame, Errc::bad_mask, Errc::frame_too_large.
  [[nodiscard]] Result<std::optional<Control>> next();
  /// The binary messages that are whole by now and were not given before, empty ones left out.
  template <class Take>
  void messages(Take take) {
    for (; given_ < whole_.size(); ++given_) {
      take(inbox_.bytes().subspan(whole_[given_].offset, whole_[given_].size));
    }
  }
  /// Whether a frame or message began and is not whole.
  [[nodiscard]] bool inside_message() const noexcept { return taken_ != finished_ || opcode_ != 0; }

  /// Appends a whole frame to `out`. Errors: BaseErrc::random_unavailable.
  [[nodiscard]] Result<void> write(std::uint8_t opcode, ConstBytes payload, Buffer& out);

  /// Wipes the message that is not whole.
  void wipe_rest() noexcept;
  void trim() noexcept;

 private:
  struct Place {
    std::size_t offset;
    std::size_t size;
  };
  struct FreeContext {
    void operator()(wslay_frame_context* context) const noexcept;
  };

  Result<void> start_frame(const wslay_frame_iocb& frame);
  void end_message();

  Role role_;
  std::size_t limit_;
  Rng* rng_;
  std::unique_ptr<wslay_frame_context, FreeContext> context_;

  ConstBytes input_;
  std::uint64_t taken_ = 0;     ///< bytes that wslay has
  std::uint64_t finished_ = 0;  ///< bytes of frames that are whole
  bool in_frame_ = false;
  std::uint64_t frame_left_ = 0;
  std::uint8_t opcode_ = 0;  ///< of the data message that began: 1 text, 2 binary, 0 between messages
  bool last_fragment_ = false;
  std::uint64_t message_size_ = 0;  ///< announced so far, text included
  Control control_;
  bool is_control_ = false;

  Buffer inbox_;  ///< whole messages of this piece, then what is there of the next
  std::size_t start_ = 0;
  std::vector<Place> whole_;
  std::size_t given_ = 0;

  Buffer* out_ = nullptr;  ///< where wslay's send callback writes
  bool mask_failed_ = false;
};

}  // namespace corliss::net
