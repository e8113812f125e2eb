#include "net/channel_state.h"
#include "net/deadline.h"
#include "net/http_upgrade.h"
#include "net/send_queue.h"
#include "net/websocket_frames.h"

#include <corliss/base/base64.h>
#include <corliss/base/endian.h>
#include <corliss/net/websocket.h>

#include <algorithm>

namespace corliss::net {
namespace {

using Phase = ChannelState::Phase;

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

}  // namespace

struct WebSocketChannel::Impl {
  ChannelOptions options;
  Rng* rng;
  WebSocketFrames frames;
  ChannelState state;

  bool is_client;
  std::string path;
  std::string key;  ///< client
  Buffer head;      ///< what came of the peer's HTTP head

  struct Record {
    std::size_t offset;  ///< of the message in `staged`
    std::size_t size;
  };
  SendQueue send;
  Buffer staged;  ///< messages that are not framed yet
  std::vector<Record> unframed;
  std::optional<Record> prepared;
  std::optional<WebSocketFrames::Control> pong;  ///< the answer to the last ping
  bool ping_due = false;
  bool close_due = false;

  TimePoint started;
  TimePoint last_received;
  TimePoint last_ping;
  TimePoint close_by = TimePoint::max();

  Impl(bool client, const ChannelOptions& given, Rng* random, TimePoint now)
      : options(given),
        rng(random),
        frames(client ? WebSocketFrames::Role::client : WebSocketFrames::Role::server,
               std::min(given.limits.message, max_frame_size), random),
        is_client(client),
        started(now),
        last_received(now),
        last_ping(now) {
    options.limits.message = std::min(options.limits.message, max_frame_size);
  }

  void finish(std::error_code reason, std::int32_t detail = 0) noexcept {
    if (state.is(Phase::closed)) {
      return;
    }
    state.finish(reason, detail);
    frames.wipe_rest();
    head.release();
    send.drop_unwritten();
    staged.release();
    unframed.clear();
    prepared.reset();
    pong.reset();
    ping_due = close_due = false;
  }
  Result<void> finish_with(std::error_code reason, std::int32_t detail = 0) noexcept {
    finish(reason, detail);
    return corliss::fail(state.reason());
  }

  void queue_text(std::string_view text, TimePoint now) {
    send.filling().append(bytes_of(text));
    send.note_queued(now);
  }

  /// A close frame as the last thing that goes out.
  Result<void> say_goodbye(std::uint16_t status) {
    std::array<std::uint8_t, 2> payload;
    store_be<std::uint16_t>(payload.data(), status);
    return frames.write(opcode_close, ConstBytes(payload).first(status == status_none ? 0 : 2),
                        send.filling());
  }

  Result<void> fail_frames(std::error_code reason) {
    finish(reason);
    (void)say_goodbye(static_cast<std::uint16_t>(
        reason == Errc::frame_too_large ? WebSocketStatus::too_big : WebSocketStatus::protocol_error));
    return corliss::fail(state.reason());
  }

  Result<void> start_client(const std::string& host, TimePoint now) {
    if (!is_plain_token(host) || !is_plain_token(path) || path[0] != '/') {
      return finish_with(Errc::bad_http);
    }
    std::array<std::uint8_t, 16> nonce;
    if (const auto filled = rng->fill(nonce); !filled) {
      return finish_with(filled.error());
    }
    key = to_base64(nonce);
    queue_text(upgrade_request(host, path, key), now);
    return {};
  }

  /// Takes input up to the end of the head; what follows it stays.
  Result<void> read_head(Bytes& input, TimePoint now) {
    const std::size_t before = head.size();
    head.append(input.first(std::min(input.size(), max_http_head_size - before)));
    const std::size_t search_from = before < head_end.size() ? 0 : before - (head_end.size() - 1);
    const auto end = text_of(head.bytes()).find(head_end, search_from);
    if (end == std::string_view::npos) {
      input = {};
      return head.size() < max_http_head_size ? Result<void>{} : finish_with(Errc::http_too_large);
    }
    head.truncate(end + head_end.size());
    input = input.subspan(head.size() - before);
    const std::string_view text = text_of(head.bytes());
    if (is_client) {
      std::int32_t status = 0;
      if (const auto checked = check_upgrade_response(text, key, status); !checked) {
        return finish_with(checked.error(), status);
      }
    } else {
      const auto answer = answer_upgrade(text, path);
      if (!answer.accepted) {
        finish(Errc::bad_http);
        queue_text(answer.text, now);
        return corliss::fail(state.reason());
      }
      queue_text(answer.text, now);
    }
    head.release();
    last_ping = now;
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
    const bool answered = state.is(Phase::closing) && !close_due;
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
          pong = control;
          send.note_queued(now);
        }
        return {};
      default:
        return {};
    }
  }

  void deliver() {
    frames.messages([this](Bytes message) {
      if (!state.is(Phase::closing)) {
        state.add_message(message);
      }
    });
  }

  Result<void> read_frames(ConstBytes input, TimePoint now) {
    frames.feed(input);
    for (;;) {
      const auto control = frames.next();
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
    for (const Record& record : unframed) {
      CORLISS_CHECK(frames.write(opcode_binary, staged.bytes().subspan(record.offset, record.size), out));
    }
    unframed.clear();
    staged.clear();
    if (pong) {
      CORLISS_CHECK(frames.write(opcode_pong, pong->bytes(), out));
      pong.reset();
    }
    if (std::exchange(ping_due, false)) {
      CORLISS_CHECK(frames.write(opcode_ping, {}, out));
    }
    if (std::exchange(close_due, false)) {
      CORLISS_CHECK(say_goodbye(static_cast<std::uint16_t>(WebSocketStatus::normal)));
    }
    return {};
  }

  [[nodiscard]] bool has_unframed() const noexcept {
    return !unframed.empty() || pong || ping_due || close_due;
  }
  [[nodiscard]] TimePoint ping_at() const noexcept {
    return after(std::max(last_received, last_ping), options.timeouts.ping);
  }
};

WebSocketChannel::WebSocketChannel(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
WebSocketChannel::WebSocketChannel(WebSocketChannel&&) noexcept = default;
WebSocketChannel& WebSocketChannel::operator=(WebSocketChannel&&) noexcept = default;
WebSocketChannel::~WebSocketChannel() = default;

WebSocketChannel WebSocketChannel::client(const std::string& host, const ChannelOptions& options, Rng& rng,
                                          TimePoint now, const std::string& path) {
  auto impl = std::make_unique<Impl>(true, options, &rng, now);
  impl->path = path;
  (void)impl->start_client(host, now);  // an error is an event
  return WebSocketChannel(std::move(impl));
}

WebSocketChannel WebSocketChannel::server(const ChannelOptions& options, TimePoint now,
                                          const std::string& path) {
  auto impl = std::make_unique<Impl>(false, options, nullptr, now);
  impl->path = path;
  return WebSocketChannel(std::move(impl));
}

Result<void> WebSocketChannel::feed(Bytes input, TimePoint now) {
  auto& s = *impl_;
  s.state.start_feed();
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  if (!input.empty()) {
    s.last_received = now;
  }
  if (s.state.is(Phase::handshaking)) {
    CORLISS_CHECK(s.read_head(input, now));
  }
  return s.state.is(Phase::handshaking) ? Result<void>{} : s.read_frames(input, now);
}

Result<void> WebSocketChannel::end_of_input(TimePoint) {
  auto& s = *impl_;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  const bool inside = s.frames.inside_message() || !s.head.empty();
  return s.finish_with(inside ? Errc::stream_truncated : Errc::closed_by_peer);
}

void WebSocketChannel::fail(std::error_code reason) noexcept {
  impl_->finish(reason);
}

std::optional<Event> WebSocketChannel::poll_event() {
  return impl_->state.poll();
}

Result<Bytes> WebSocketChannel::prepare(std::size_t size) {
  auto& s = *impl_;
  if (!s.state.is(Phase::connected)) {
    return corliss::fail(Errc::not_connected);
  }
  if (size == 0) {
    return corliss::fail(Errc::empty_message);
  }
  if (size > s.options.limits.message) {
    return corliss::fail(Errc::message_too_large);
  }
  if (s.prepared) {
    s.staged.truncate(s.prepared->offset);
    s.prepared.reset();
  }
  if (queued() + size > s.options.limits.queued) {
    return corliss::fail(Errc::queue_full);
  }
  const Impl::Record record{s.staged.size(), size};
  const Bytes room = s.staged.extend(size);
  s.prepared = record;
  return room;
}

Result<void> WebSocketChannel::commit(TimePoint now) {
  auto& s = *impl_;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  if (!s.prepared) {
    return corliss::fail(Errc::nothing_prepared);
  }
  s.unframed.push_back(*s.prepared);
  s.prepared.reset();
  s.send.note_queued(now);
  return {};
}

Result<void> WebSocketChannel::close(TimePoint now) {
  auto& s = *impl_;
  switch (s.state.phase()) {
    case Phase::closed:
      return corliss::fail(s.state.reason());
    case Phase::closing:
      return {};
    case Phase::handshaking:
      s.finish(Errc::closed_here);
      return {};
    case Phase::connected:
      break;
  }
  if (s.prepared) {
    s.staged.truncate(s.prepared->offset);
    s.prepared.reset();
  }
  s.state.start_closing();
  s.pong.reset();
  s.ping_due = false;
  s.close_due = true;
  s.send.note_queued(now);
  s.close_by = after(now, s.options.timeouts.close);
  return {};
}

ConstBytes WebSocketChannel::outgoing() {
  auto& s = *impl_;
  if (s.send.outgoing().empty() && !s.prepared && (s.has_unframed() || !s.send.filling().empty())) {
    if (const auto framed = s.frame_all(); !framed) {
      s.finish(framed.error());
      return {};
    }
    s.send.turn();
  }
  return s.send.outgoing();
}

void WebSocketChannel::sent(std::size_t count, TimePoint now) {
  auto& s = *impl_;
  s.send.sent(count, now);
  if (s.has_unframed()) {
    s.send.note_queued(now);
  }
}

std::optional<TimePoint> WebSocketChannel::deadline() const noexcept {
  const auto& s = *impl_;
  const Timeouts& timeouts = s.options.timeouts;
  if (s.state.is(Phase::closed)) {
    return std::nullopt;
  }
  TimePoint due = std::min(s.close_by, after(s.last_received, timeouts.idle));
  if (s.state.is(Phase::handshaking)) {
    due = std::min(due, after(s.started, timeouts.handshake));
  }
  if (s.state.is(Phase::connected)) {
    due = std::min(due, s.ping_at());
  }
  if (s.frames.inside_message()) {
    due = std::min(due, after(s.last_received, timeouts.stall));
  }
  if (const auto since = s.send.waiting_since()) {
    due = std::min(due, after(*since, timeouts.write));
  }
  return due;
}

Result<void> WebSocketChannel::on_deadline(TimePoint now) {
  auto& s = *impl_;
  const Timeouts& timeouts = s.options.timeouts;
  if (s.state.is(Phase::closed)) {
    return corliss::fail(s.state.reason());
  }
  if (now >= s.close_by) {
    return s.finish_with(Errc::closed_here);
  }
  if (s.state.is(Phase::handshaking) && now >= after(s.started, timeouts.handshake)) {
    return s.finish_with(Errc::handshake_timeout);
  }
  if (const auto since = s.send.waiting_since(); since && now >= after(*since, timeouts.write)) {
    return s.finish_with(Errc::write_timeout);
  }
  if (s.frames.inside_message() && now >= after(s.last_received, timeouts.stall)) {
    return s.finish_with(Errc::stall_timeout);
  }
  if (now >= after(s.last_received, timeouts.idle)) {
    return s.finish_with(Errc::idle_timeout);
  }
  if (s.state.is(Phase::connected) && now >= s.ping_at()) {
    s.ping_due = true;
    s.last_ping = now;
    s.send.note_queued(now);
  }
  return {};
}

bool WebSocketChannel::connected() const noexcept {
  return impl_->state.is(Phase::connected);
}

std::size_t WebSocketChannel::queued() const noexcept {
  return impl_->staged.size() + impl_->send.size();
}

void WebSocketChannel::trim() noexcept {
  auto& s = *impl_;
  s.state.drop_messages();
  s.state.trim();
  s.frames.trim();
  s.send.trim();
  if (s.staged.empty()) {
    s.staged.release();
    std::vector<Impl::Record>().swap(s.unframed);
  }
}

}  // namespace corliss::net
