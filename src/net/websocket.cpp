#include "net/http_upgrade.h"
#include "net/machine.h"
#include "net/websocket_frames.h"

#include <corliss/base/base64.h>
#include <corliss/base/endian.h>
#include <corliss/net/websocket.h>

#include <algorithm>
#include <array>
#include <vector>

namespace corliss::net {
namespace {

constexpr std::uint8_t opcode_binary = 2;
constexpr std::uint8_t opcode_close = 8;
constexpr std::uint8_t opcode_ping = 9;
constexpr std::uint8_t opcode_pong = 10;
constexpr std::uint16_t status_none = 1005;  // stands for a close frame without one; never on the wire
constexpr std::string_view head_end = "\r\n\r\n";

/// Which status codes may stand in a close frame (RFC 6455, 7.4, and the registry).
bool is_status(std::uint16_t status) noexcept {
  return (status >= 1000 && status <= 1003) || (status >= 1007 && status <= 1014) ||
         (status >= 3000 && status <= 4999);
}

class WebSocketMachine final : public StreamMachine {
 public:
  WebSocketMachine(bool client, const ChannelOptions& given, Rng* random, TimePoint now,
                   const std::string& own_path)
      : StreamMachine(given, now),
        rng_(random),
        frames_(client ? WebSocketFrames::Role::client : WebSocketFrames::Role::server,
                options.limits.message, random),
        is_client_(client),
        path_(own_path),
        last_ping_(now) {}

  Result<void> start_client(const std::string& host, TimePoint now) {
    if (!is_plain_token(host) || !is_plain_token(path_) || path_[0] != '/') {
      return finish_with(Errc::bad_http);
    }
    std::array<std::uint8_t, 16> nonce;
    if (const auto filled = rng_->fill(nonce); !filled) {
      return finish_with(filled.error());
    }
    key_ = to_base64(nonce);
    queue_text(upgrade_request(host, path_, key_), now);
    return {};
  }

  Result<void> feed(Bytes input, TimePoint now) override {
    state.start_feed();
    if (state.is(Phase::closed)) {
      return corliss::fail(state.reason());
    }
    if (!input.empty()) {
      last_received = now;
    }
    if (state.is(Phase::handshaking)) {
      CORLISS_CHECK(read_head(input, now));
    }
    return state.is(Phase::handshaking) ? Result<void>{} : read_frames(input, now);
  }

  Result<void> end_of_input(TimePoint now) override {
    return head_.empty() ? StreamMachine::end_of_input(now) : finish_with(Errc::stream_truncated);
  }

  ConstBytes outgoing() override {
    if (send.outgoing().empty() && !prepared && (has_unframed() || !send.filling().empty())) {
      if (const auto framed = frame_all(); !framed) {
        finish(framed.error());
        return {};
      }
      send.turn();
    }
    return send.outgoing();
  }

  void sent(std::size_t count, TimePoint now) override {
    send.sent(count, now);
    if (has_unframed()) {
      send.note_queued(now);
    }
  }

  std::optional<TimePoint> deadline() const noexcept override {
    const auto due = StreamMachine::deadline();
    return connected() ? std::min(*due, ping_at()) : due;
  }

  Result<void> on_deadline(TimePoint now) override {
    CORLISS_CHECK(StreamMachine::on_deadline(now));
    if (connected() && now >= ping_at()) {
      ping_due_ = true;
      last_ping_ = now;
      send.note_queued(now);
    }
    return {};
  }

  std::size_t queued() const noexcept override { return staged_.size() + send.size(); }

  void trim() noexcept override {
    state.drop_messages();
    state.trim();
    frames_.trim();
    send.trim();
    if (staged_.empty()) {
      staged_.release();
      std::vector<Record>().swap(unframed_);
    }
  }

 private:
  struct Record {
    std::size_t offset;  ///< of the message in `staged_`
    std::size_t size;
  };

  std::size_t max_message() const noexcept override { return options.limits.message; }

  Result<Bytes> make_room(std::size_t size) override {
    if (queued() + size > options.limits.queued) {
      return corliss::fail(Errc::queue_full);
    }
    const Record record{staged_.size(), size};
    const Bytes room = staged_.extend(size);
    pending_ = record;
    return room;
  }
  void take_back() noexcept override { staged_.truncate(pending_.offset); }

  Result<void> queue_prepared(TimePoint now) override {
    unframed_.push_back(pending_);
    send.note_queued(now);
    return {};
  }

  void start_closing(TimePoint now) override {
    pong_.reset();
    ping_due_ = false;
    close_due_ = true;
    send.note_queued(now);
    close_by = after(now, options.timeouts.close);
  }

  void forget() noexcept override {
    frames_.wipe_rest();
    head_.release();
    send.drop_unwritten();
    staged_.release();
    unframed_.clear();
    pong_.reset();
    ping_due_ = close_due_ = false;
  }

  bool inside_message() const noexcept override { return frames_.inside_message(); }

  void queue_text(std::string_view text, TimePoint now) {
    send.filling().append(bytes_of(text));
    send.note_queued(now);
  }

  /// A close frame as the last thing that goes out.
  Result<void> say_goodbye(std::uint16_t status) {
    std::array<std::uint8_t, 2> payload;
    store_be<std::uint16_t>(payload.data(), status);
    return frames_.write(opcode_close, ConstBytes(payload).first(status == status_none ? 0 : 2),
                         send.filling());
  }

  Result<void> fail_frames(std::error_code reason) {
    finish(reason);
    (void)say_goodbye(static_cast<std::uint16_t>(
        reason == Errc::frame_too_large ? WebSocketStatus::too_big : WebSocketStatus::protocol_error));
    return corliss::fail(state.reason());
  }

  /// Takes input up to the end of the head; what follows it stays.
  Result<void> read_head(Bytes& input, TimePoint now) {
    const std::size_t before = head_.size();
    head_.append(input.first(std::min(input.size(), max_http_head_size - before)));
    const std::size_t search_from = before < head_end.size() ? 0 : before - (head_end.size() - 1);
    const auto end = text_of(head_.bytes()).find(head_end, search_from);
    if (end == std::string_view::npos) {
      input = {};
      return head_.size() < max_http_head_size ? Result<void>{} : finish_with(Errc::http_too_large);
    }
    head_.truncate(end + head_end.size());
    input = input.subspan(head_.size() - before);
    const std::string_view text = text_of(head_.bytes());
    if (is_client_) {
      std::int32_t status = 0;
      if (const auto checked = check_upgrade_response(text, key_, status); !checked) {
        return finish_with(checked.error(), status);
      }
    } else {
      const auto answer = answer_upgrade(text, path_);
      if (!answer.accepted) {
        finish(Errc::bad_http);
        queue_text(answer.text, now);
        return corliss::fail(state.reason());
      }
      queue_text(answer.text, now);
    }
    head_.release();
    last_ping_ = now;
    state.connect();
    return {};
  }

  Result<void> on_close_frame(ConstBytes payload) {
    if (payload.size() == 1) {
      return fail_frames(Errc::bad_frame);
    }
    const std::uint16_t status = payload.empty() ? status_none : load_be<std::uint16_t>(payload.data());
    if (!payload.empty() && !is_status(status)) {
      return fail_frames(Errc::bad_frame);
    }
    const bool answered = state.is(Phase::closing) && !close_due_;
    finish(Errc::closed_by_peer, status);
    if (!answered) {
      (void)say_goodbye(status);
    }
    return corliss::fail(state.reason());
  }

  Result<void> on_control(const WebSocketFrames::Control& control, TimePoint now) {
    switch (control.opcode) {
      case opcode_close:
        return on_close_frame(control.bytes());
      case opcode_ping:
        // "If an endpoint receives a Ping frame and has not yet sent Pong frame(s) in response to previous
        // Ping frame(s), the endpoint MAY elect to send a Pong frame for only the most recently processed"
        // (5.5.3)
        if (state.is(Phase::connected)) {
          pong_ = control;
          send.note_queued(now);
        }
        return {};
      default:
        return {};
    }
  }

  void deliver() {
    frames_.messages([this](Bytes message) {
      if (!state.is(Phase::closing)) {
        state.add_message(message);
      }
    });
  }

  Result<void> read_frames(ConstBytes input, TimePoint now) {
    frames_.feed(input);
    for (;;) {
      const auto control = frames_.next();
      if (!control) {
        deliver();
        return fail_frames(control.error());
      }
      if (!*control) {
        deliver();
        return {};
      }
      if ((*control)->opcode == opcode_close) {
        deliver();
      }
      CORLISS_CHECK(on_control(**control, now));
    }
  }

  /// Frames what is to be sent, in order: messages, then control frames.
  Result<void> frame_all() {
    Buffer& out = send.filling();
    for (const Record& record : unframed_) {
      CORLISS_CHECK(frames_.write(opcode_binary, staged_.bytes().subspan(record.offset, record.size), out));
    }
    unframed_.clear();
    staged_.clear();
    if (pong_) {
      CORLISS_CHECK(frames_.write(opcode_pong, pong_->bytes(), out));
      pong_.reset();
    }
    if (std::exchange(ping_due_, false)) {
      CORLISS_CHECK(frames_.write(opcode_ping, {}, out));
    }
    if (std::exchange(close_due_, false)) {
      CORLISS_CHECK(say_goodbye(static_cast<std::uint16_t>(WebSocketStatus::normal)));
    }
    return {};
  }

  [[nodiscard]] bool has_unframed() const noexcept {
    return !unframed_.empty() || pong_ || ping_due_ || close_due_;
  }
  [[nodiscard]] TimePoint ping_at() const noexcept {
    return after(std::max(last_received, last_ping_), options.timeouts.ping);
  }

  Rng* rng_;
  WebSocketFrames frames_;

  bool is_client_;
  std::string path_;
  std::string key_;  ///< client
  Buffer head_;      ///< what came of the peer's HTTP head

  Buffer staged_;  ///< messages that are not framed yet
  std::vector<Record> unframed_;
  Record pending_{};                              ///< prepared
  std::optional<WebSocketFrames::Control> pong_;  ///< the answer to the last ping
  bool ping_due_ = false;
  bool close_due_ = false;
  TimePoint last_ping_;
};

}  // namespace

WebSocketChannel WebSocketChannel::client(const std::string& host, const ChannelOptions& options, Rng& rng,
                                          TimePoint now, const std::string& path) {
  auto machine = std::make_unique<WebSocketMachine>(true, options, &rng, now, path);
  (void)machine->start_client(host, now);  // an error is an event
  return WebSocketChannel(std::move(machine));
}

WebSocketChannel WebSocketChannel::server(const ChannelOptions& options, TimePoint now,
                                          const std::string& path) {
  return WebSocketChannel(std::make_unique<WebSocketMachine>(false, options, nullptr, now, path));
}

}  // namespace corliss::net
