#include "net/websocket_frames.h"

#include <corliss/net/errc.h>

#include <algorithm>
#include <new>

#include <wslay/wslay.h>

namespace corliss::net {
namespace {

constexpr std::size_t keep_capacity = std::size_t{1} << 20;  // a larger inbox is given back when it is empty

/// Bytes in front of the payload; wslay refuses lengths that are not written the shortest way.
std::uint64_t header_size(const wslay_frame_iocb& frame) noexcept {
  const unsigned length = frame.payload_length < 126 ? 0 : frame.payload_length < 65536 ? 2 : 8;
  return 2 + length + (frame.mask != 0 ? 4 : 0);
}

}  // namespace

void WebSocketFrames::FreeContext::operator()(wslay_frame_context* context) const noexcept {
  wslay_frame_context_free(context);
}

WebSocketFrames::WebSocketFrames(Role role, std::size_t message_limit, Rng* rng)
    : role_(role), limit_(message_limit), rng_(rng) {
  wslay_frame_callbacks callbacks{};
  callbacks.recv_callback = [](std::uint8_t* to, std::size_t size, int, void* self) -> ssize_t {
    auto& frames = *static_cast<WebSocketFrames*>(self);
    auto& input = frames.input_;
    const std::size_t count = std::min(size, input.size());
    if (count == 0) {
      return -1;
    }
    std::copy_n(input.begin(), count, to);
    input = input.subspan(count);
    frames.taken_ += count;
    return static_cast<ssize_t>(count);
  };
  callbacks.send_callback = [](const std::uint8_t* from, std::size_t size, int, void* self) -> ssize_t {
    // wslay is C: an exception must not pass through it.
    try {
      static_cast<WebSocketFrames*>(self)->out_->append({from, size});
    } catch (const std::bad_alloc&) {
      return -1;
    }
    return static_cast<ssize_t>(size);
  };
  callbacks.genmask_callback = [](std::uint8_t* to, std::size_t size, void* self) -> int {
    auto& frames = *static_cast<WebSocketFrames*>(self);
    frames.mask_failed_ = !frames.rng_->fill({to, size});
    return frames.mask_failed_ ? -1 : 0;
  };
  wslay_frame_context* context = nullptr;
  if (wslay_frame_context_init(&context, &callbacks, this) != 0) {
    throw std::bad_alloc();
  }
  context_.reset(context);
}

WebSocketFrames::~WebSocketFrames() = default;

void WebSocketFrames::feed(ConstBytes piece) {
  input_ = piece;
  // What is left of an unfinished message moves to the front.
  const auto rest = inbox_.bytes().subspan(start_);
  if (start_ > 0) {
    std::copy(rest.begin(), rest.end(), inbox_.bytes().begin());
    inbox_.truncate(rest.size());
    start_ = 0;
  }
  if (inbox_.empty() && inbox_.capacity() > keep_capacity) {
    inbox_.release();
  }
  whole_.clear();
  given_ = 0;
}

Result<void> WebSocketFrames::start_frame(const wslay_frame_iocb& frame) {
  // "a server MUST NOT mask any frames that it sends to the client", "a client MUST mask all frames" (5.1)
  if ((frame.mask != 0) != (role_ == Role::server)) {
    return fail(Errc::bad_mask);
  }
  is_control_ = wslay_is_ctrl_frame(frame.opcode) != 0;
  const bool known = frame.opcode <= WSLAY_BINARY_FRAME ||
                     (frame.opcode >= WSLAY_CONNECTION_CLOSE && frame.opcode <= WSLAY_PONG);
  const bool continues = frame.opcode == WSLAY_CONTINUATION_FRAME;
  if (frame.rsv != 0 || !known || (!is_control_ && continues != (opcode_ != 0))) {
    return fail(Errc::bad_frame);
  }
  in_frame_ = true;
  frame_left_ = frame.payload_length;
  if (is_control_) {  // wslay refuses control frames that are long or fragmented
    control_.opcode = frame.opcode;
    control_.size = 0;
    return {};
  }
  if (!continues) {
    opcode_ = frame.opcode;
    message_size_ = 0;
  }
  if (frame.payload_length > limit_ || message_size_ > limit_ - frame.payload_length) {
    return fail(Errc::frame_too_large);
  }
  message_size_ += frame.payload_length;
  last_fragment_ = frame.fin != 0;
  return {};
}

void WebSocketFrames::end_message() {
  const std::size_t size = inbox_.size() - start_;
  if (size > 0) {
    whole_.push_back({start_, size});
  }
  start_ = inbox_.size();
  opcode_ = 0;
}

Result<std::optional<WebSocketFrames::Control>> WebSocketFrames::next() {
  for (;;) {
    wslay_frame_iocb frame{};
    const ssize_t got = wslay_frame_recv(context_.get(), &frame);
    if (got == WSLAY_ERR_WANT_READ) {
      return std::nullopt;
    }
    if (got < 0) {
      return fail(Errc::bad_frame);
    }
    if (!in_frame_) {
      CORLISS_CHECK(start_frame(frame));
    }
    const ConstBytes data{frame.data, frame.data_length};
    frame_left_ -= data.size();
    if (is_control_) {
      std::copy(data.begin(), data.end(), control_.payload.begin() + control_.size);
      control_.size = static_cast<std::uint8_t>(control_.size + data.size());
    } else if (opcode_ == WSLAY_BINARY_FRAME) {
      inbox_.append(data);
    }
    if (frame_left_ > 0) {
      continue;
    }
    in_frame_ = false;
    finished_ += header_size(frame) + frame.payload_length;
    if (is_control_) {
      return control_;
    }
    if (last_fragment_) {
      end_message();
    }
  }
}

Result<void> WebSocketFrames::write(std::uint8_t opcode, ConstBytes payload, Buffer& out) {
  wslay_frame_iocb frame{};
  frame.fin = 1;
  frame.opcode = opcode;
  frame.payload_length = payload.size();
  frame.mask = role_ == Role::client ? 1 : 0;
  frame.data = payload.data();
  frame.data_length = payload.size();
  out_ = &out;
  mask_failed_ = false;
  // The callback takes everything, so a frame is written whole or not at all.
  const ssize_t written = wslay_frame_send(context_.get(), &frame);
  out_ = nullptr;
  if (mask_failed_) {
    return fail(BaseErrc::random_unavailable);
  }
  if (written < 0 || static_cast<std::size_t>(written) != payload.size()) {
    throw std::bad_alloc();
  }
  return {};
}

void WebSocketFrames::wipe_rest() noexcept {
  input_ = {};
  if (start_ < inbox_.size()) {
    wipe(inbox_.bytes().subspan(start_));
    inbox_.truncate(start_);
  }
}

void WebSocketFrames::trim() noexcept {
  if (start_ == inbox_.size()) {
    inbox_.release();
    start_ = 0;
    std::vector<Place>().swap(whole_);
    given_ = 0;
  }
}

}  // namespace corliss::net
