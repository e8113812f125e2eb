#include "net/deadline.h"
#include "net/ring.h"

#include <corliss/base/buffer.h>
#include <corliss/base/endian.h>
#include <corliss/net/errc.h>
#include <corliss/net/udp_packet.h>
#include <corliss/net/udp_session.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace corliss::net {
namespace {

enum class State {
  listening,           ///< server: before ChallengeReq
  challenge_sent,      ///< server: before Connect
  challenge_req_sent,  ///< client: before Challenge
  connect_sent,        ///< client: before Accept
  connected,
  disconnecting,  ///< our Disconnect is queued; what is received is acknowledged and dropped
  disconnected,
};

/// Which sequenced packets a state accepts. Disconnect is accepted in any but `listening`.
bool accepts(State state, UdpPacketType type) noexcept {
  switch (state) {
    case State::listening:
    case State::disconnected:
      return false;
    case State::challenge_sent:
      return type == UdpPacketType::Connect;
    case State::challenge_req_sent:
      return type == UdpPacketType::Challenge;
    case State::connect_sent:
      return type == UdpPacketType::Accept;
    case State::connected:
    case State::disconnecting:
      return type == UdpPacketType::Data;
  }
  return false;
}

/// A packet on its way out: a message, sent in parts, or the payload of a handshake packet.
struct OutMessage {
  UdpPacketType type = UdpPacketType::Data;
  std::uint32_t start_seq = 0;
  std::uint32_t parts = 1;
  Buffer data;
};

/// A received packet that had to wait.
struct StoredPacket {
  UdpHeader header;
  std::array<std::uint8_t, max_udp_payload> payload;
};

constexpr std::size_t spare_buffers = 8;         // kept for reuse, per kind
constexpr std::size_t spare_capacity = 1 << 16;  // larger ones are given back at once

std::uint32_t parts_of(std::size_t size) noexcept {
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, (size + max_udp_payload - 1) / max_udp_payload));
}

}  // namespace

struct UdpSession::Impl {
  UdpSessionOptions options;
  State state;
  std::uint32_t remote_id = 0;
  TimePoint started;
  TimePoint last_heard;
  TimePoint next_resend = TimePoint::max();  ///< of ChallengeReq, or of sequenced packets
  TimePoint close_by = TimePoint::max();

  // Outgoing. Sequence numbers up to `acked` are acknowledged, up to `sent` were sent at least once.
  std::uint32_t next_seq = 1;
  std::uint32_t sent_seq = 0;
  std::uint32_t acked_seq = 0;
  Ring<OutMessage> out;
  std::size_t out_size = 0;
  Buffer prepared;
  bool is_prepared = false;
  std::array<std::uint32_t, udp_window> scheduled{};  ///< to be sent now, in this order
  std::size_t scheduled_count = 0;
  bool challenge_req_due = false;
  bool ack_due = false;
  bool farewell_due = false;
  std::array<std::uint8_t, max_udp_datagram> datagram{};
  std::size_t datagram_size = 0;

  // Incoming. Up to `in_seq` all was received; `reorder` holds what is ahead of that, sorted, and `ready`
  // Data that waits for the message before it to be taken.
  std::uint32_t in_seq = 0;
  std::vector<std::unique_ptr<StoredPacket>> reorder;
  Ring<std::unique_ptr<StoredPacket>> ready;
  std::vector<std::unique_ptr<StoredPacket>> spare_packets;
  Buffer assembly;
  UdpHeader first;               ///< header of the first part of the message in `assembly`
  std::uint32_t parts_left = 0;  ///< of that message; 0 between messages
  bool complete = false;         ///< `assembly` is a whole message that was not taken yet
  std::vector<Buffer> lent;      ///< messages handed out, until the next feed
  std::vector<Buffer> spare;

  bool connected_due = false;
  bool closed_due = false;
  std::error_code reason;

  Impl(const UdpSessionOptions& given, TimePoint now)
      : options(given),
        state(given.side == UdpSessionOptions::Side::client ? State::challenge_req_sent : State::listening),
        started(now),
        last_heard(now) {
    options.limits.message = std::min(options.limits.message, max_frame_size);
    if (state == State::challenge_req_sent) {
      challenge_req_due = true;
      next_resend = after(now, udp_resend_delay);
    }
  }

  [[nodiscard]] bool is_connected() const noexcept {
    return state == State::connected || state == State::disconnecting;
  }

  Buffer take_spare() {
    if (spare.empty()) {
      return {};
    }
    Buffer buffer = std::move(spare.back());
    spare.pop_back();
    buffer.clear();
    return buffer;
  }

  void give_back(Buffer&& buffer) {
    if (spare.size() < spare_buffers && buffer.capacity() <= spare_capacity) {
      spare.push_back(std::move(buffer));
    } else {
      buffer.release();
    }
  }

  // The end.

  void finish(std::error_code why) noexcept {
    if (state == State::disconnected) {
      return;
    }
    farewell_due = remote_id != 0 && why != Errc::closed_by_peer && state != State::disconnecting;
    state = State::disconnected;
    reason = why;
    closed_due = true;
    scheduled_count = 0;
    challenge_req_due = false;
    out.release();
    out_size = 0;
  }

  void drop_received() noexcept {
    reorder.clear();
    ready.release();
    assembly.release();
    complete = false;
    parts_left = 0;
  }

  Result<void> finish_with(std::error_code why) noexcept {
    finish(why);
    drop_received();
    return corliss::fail(reason);
  }

  // Outgoing.

  void queue(UdpPacketType type, Buffer&& data) {
    const std::uint32_t parts = parts_of(data.size());
    out_size += data.size();
    out.push({type, next_seq, parts, std::move(data)});
    next_seq += parts;
  }

  void queue_control(UdpPacketType type, ConstBytes payload) {
    Buffer data = take_spare();
    data.append(payload);
    queue(type, std::move(data));
  }

  void schedule(std::uint32_t seq) noexcept {
    const auto* end = scheduled.data() + scheduled_count;
    if (std::find(static_cast<const std::uint32_t*>(scheduled.data()), end, seq) == end) {
      scheduled[scheduled_count++] = seq;  // only numbers in flight, so never more than the window
    }
  }

  [[nodiscard]] const OutMessage* message_of(std::uint32_t seq) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {  // in flight are few, all at the front
      if (seq - out[i].start_seq < out[i].parts) {
        return &out[i];
      }
    }
    return nullptr;
  }

  /// Decides what is to be sent now: what is overdue, then what the window has room for.
  void pump(TimePoint now) noexcept {
    if (sent_seq != acked_seq && now >= next_resend) {
      for (std::uint32_t seq = acked_seq + 1; seq <= sent_seq && seq - acked_seq <= udp_resend_burst; ++seq) {
        schedule(seq);
      }
      next_resend = after(now, udp_resend_delay);
    }
    while (sent_seq - acked_seq < udp_window && sent_seq + 1 != next_seq) {
      const auto* message = message_of(sent_seq + 1);
      if (message->type == UdpPacketType::Disconnect && sent_seq != acked_seq) {
        break;  // it must not overtake the data before it: the peer forgets the session when it comes
      }
      if (sent_seq == acked_seq) {
        next_resend = after(now, udp_resend_delay);
      }
      schedule(++sent_seq);
    }
  }

  void acknowledge(std::uint32_t ack, TimePoint now) {
    // A number that was never sent is nothing that the peer can have received.
    if (ack <= acked_seq || ack > sent_seq) {
      return;
    }
    acked_seq = ack;
    next_resend = after(now, udp_resend_delay);
    while (!out.empty() && out.front().start_seq + (out.front().parts - 1) <= acked_seq) {
      OutMessage message = out.pop();
      out_size -= message.data.size();
      give_back(std::move(message.data));
    }
    // Numbers that wait to be sent again and are acknowledged now.
    const auto kept = std::remove_if(scheduled.begin(), scheduled.begin() + scheduled_count,
                                     [this](std::uint32_t seq) { return seq <= acked_seq; });
    scheduled_count = static_cast<std::size_t>(kept - scheduled.begin());
  }

  ConstBytes build(UdpHeader header, ConstBytes payload) noexcept {
    header.source_id = options.connection_id;
    header.seq_ack = in_seq;
    header.payload_size = static_cast<std::uint16_t>(payload.size());
    write_udp_header(std::span(datagram).first<udp_header_size>(), header);
    std::copy(payload.begin(), payload.end(), datagram.begin() + udp_header_size);
    datagram_size = udp_header_size + payload.size();
    ack_due = false;
    return {datagram.data(), datagram_size};
  }

  ConstBytes next_datagram() noexcept {
    UdpHeader header;
    header.dest_id = remote_id;
    if (challenge_req_due) {
      challenge_req_due = false;
      header.type = UdpPacketType::ChallengeReq;
      return build(header, {});
    }
    if (scheduled_count > 0) {
      const std::uint32_t seq = scheduled[0];
      std::copy(scheduled.begin() + 1, scheduled.begin() + scheduled_count, scheduled.begin());
      --scheduled_count;
      const OutMessage& message = *message_of(seq);
      const std::size_t offset = std::size_t{seq - message.start_seq} * max_udp_payload;
      header.type = message.type;
      header.seq_this = seq;
      header.packets_in_msg = message.parts;
      header.msg_start_seq = message.start_seq;
      header.msg_size = static_cast<std::uint32_t>(message.data.size());
      if (message.type == UdpPacketType::Connect) {
        header.dest_id = 0;  // the server's id comes with Accept
      }
      const ConstBytes data = message.data.bytes();
      return build(header, data.subspan(offset, std::min(max_udp_payload, data.size() - offset)));
    }
    if (farewell_due) {
      farewell_due = false;
      header.type = UdpPacketType::Disconnect;
      header.seq_this = header.msg_start_seq = next_seq;
      header.packets_in_msg = 1;
      return build(header, {});
    }
    if (ack_due) {
      header.type = UdpPacketType::Datagram;
      return build(header, {});
    }
    return {};
  }

  // Incoming.

  std::unique_ptr<StoredPacket> store(const UdpPacket& packet) {
    std::unique_ptr<StoredPacket> stored;
    if (spare_packets.empty()) {
      stored = std::make_unique_for_overwrite<StoredPacket>();
    } else {
      stored = std::move(spare_packets.back());
      spare_packets.pop_back();
    }
    stored->header = packet.header;
    std::copy(packet.payload.begin(), packet.payload.end(), stored->payload.begin());
    return stored;
  }

  void give_back(std::unique_ptr<StoredPacket> stored) {
    if (spare_packets.size() < spare_buffers) {
      spare_packets.push_back(std::move(stored));
    }
  }

  static UdpPacket view(const StoredPacket& stored) noexcept {
    return {stored.header, ConstBytes(stored.payload).first(stored.header.payload_size)};
  }

  Result<void> receive(const UdpPacket& packet, TimePoint now) {
    const UdpHeader& header = packet.header;
    switch (header.type) {
      case UdpPacketType::ChallengeReq:
        on_challenge_req(header);
        return {};
      case UdpPacketType::Datagram:
        return {};
      default:
        break;
    }
    if (state == State::listening || header.seq_this == 0) {
      return {};
    }
    if (header.seq_this <= in_seq) {
      ack_due = true;  // our acknowledgement was lost; the peers do not repeat it for the very last packet
      return {};
    }
    if (header.seq_this - in_seq > udp_max_reorder || ready.size() >= udp_max_reorder) {
      return {};
    }
    if (header.type == UdpPacketType::Disconnect) {
      // At once, gap or not: the peer has forgotten what is missing.
      in_seq = header.seq_this == in_seq + 1 ? header.seq_this : in_seq;
      ack_due = true;
      finish(state == State::disconnecting ? Errc::closed_here : Errc::closed_by_peer);
      return {};
    }
    if (header.seq_this != in_seq + 1) {
      keep_for_later(packet);
      return {};
    }
    CORLISS_CHECK(take(packet, now));
    while (!reorder.empty() && reorder.front()->header.seq_this <= in_seq + 1) {
      auto stored = std::move(reorder.front());
      reorder.erase(reorder.begin());
      if (stored->header.seq_this == in_seq + 1) {
        CORLISS_CHECK(take(view(*stored), now));
      }
      give_back(std::move(stored));
    }
    return {};
  }

  void keep_for_later(const UdpPacket& packet) {
    const auto at =
        std::lower_bound(reorder.begin(), reorder.end(), packet.header.seq_this,
                         [](const auto& stored, std::uint32_t seq) { return stored->header.seq_this < seq; });
    if (at == reorder.end() || (*at)->header.seq_this != packet.header.seq_this) {
      reorder.insert(at, store(packet));
    }
  }

  void on_challenge_req(const UdpHeader& header) {
    if (state == State::listening) {
      remote_id = header.source_id;
      state = State::challenge_sent;
      std::array<std::uint8_t, 8> payload;
      store_le<std::uint32_t>(payload.data(), options.challenge);
      store_le<std::uint32_t>(payload.data() + 4, options.server_load);
      queue_control(UdpPacketType::Challenge, payload);
    } else if (state == State::challenge_sent && sent_seq == 1 && acked_seq == 0) {
      schedule(1);  // the client asks again: the answer was lost
    }
  }

  /// The next packet in order. One that the state does not accept is not acknowledged and changes nothing.
  Result<void> take(const UdpPacket& packet, TimePoint now) {
    if (!accepts(state, packet.header.type)) {
      return {};
    }
    switch (packet.header.type) {
      case UdpPacketType::Challenge: {
        if (packet.payload.size() != 8) {
          return {};
        }
        std::array<std::uint8_t, 4> answer;
        store_le<std::uint32_t>(answer.data(),
                                load_le<std::uint32_t>(packet.payload.data()) ^ udp_challenge_mask);
        queue_control(UdpPacketType::Connect, answer);
        state = State::connect_sent;
        challenge_req_due = false;
        break;
      }
      case UdpPacketType::Connect:
        if (packet.payload.size() != 4 ||
            load_le<std::uint32_t>(packet.payload.data()) != (options.challenge ^ udp_challenge_mask)) {
          return finish_with(Errc::bad_challenge_answer);
        }
        queue_control(UdpPacketType::Accept, {});
        state = State::connected;
        connected_due = true;
        break;
      case UdpPacketType::Accept:
        remote_id = packet.header.source_id;
        state = State::connected;
        connected_due = true;
        break;
      default:  // Data
        if (state == State::connected) {
          if (complete || !ready.empty()) {
            ready.push(store(packet));
          } else {
            CORLISS_CHECK(assemble(packet));
          }
        }
        break;
    }
    in_seq = packet.header.seq_this;
    ack_due = true;
    pump(now);
    return {};
  }

  Result<void> assemble(const UdpPacket& packet) {
    const UdpHeader& header = packet.header;
    if (parts_left == 0) {
      if (header.packets_in_msg == 0 || header.msg_start_seq != header.seq_this) {
        return finish_with(Errc::bad_split);
      }
      // SteamKit2 sends an empty last part where the size is a multiple of a part's: one part more is
      // allowed.
      if (header.msg_size > options.limits.message ||
          header.packets_in_msg - 1 > options.limits.message / max_udp_payload) {
        return finish_with(Errc::frame_too_large);
      }
      first = header;
      parts_left = header.packets_in_msg;
      if (assembly.capacity() == 0) {
        assembly = take_spare();
      }
      assembly.clear();
    } else if (header.packets_in_msg != first.packets_in_msg || header.msg_start_seq != first.msg_start_seq ||
               header.msg_size != first.msg_size) {
      return finish_with(Errc::bad_split);
    }
    if (packet.payload.size() > first.msg_size - assembly.size()) {
      return finish_with(Errc::bad_split);
    }
    assembly.append(packet.payload);
    if (--parts_left == 0) {
      if (assembly.size() != first.msg_size) {
        return finish_with(Errc::bad_split);
      }
      complete = true;
    }
    return {};
  }

  std::optional<Event> next_message() {
    while (!complete && !ready.empty()) {
      auto stored = ready.pop();
      const bool good = assemble(view(*stored)).has_value();
      give_back(std::move(stored));
      if (!good) {
        return std::nullopt;
      }
    }
    if (!complete) {
      return std::nullopt;
    }
    complete = false;
    lent.push_back(std::move(assembly));
    assembly = Buffer();
    return Received{lent.back().bytes()};
  }
};

UdpSession::UdpSession(const UdpSessionOptions& options, TimePoint now)
    : impl_(std::make_unique<Impl>(options, now)) {}
UdpSession::UdpSession(UdpSession&&) noexcept = default;
UdpSession& UdpSession::operator=(UdpSession&&) noexcept = default;
UdpSession::~UdpSession() = default;

Result<void> UdpSession::feed(ConstBytes datagram, TimePoint now) {
  auto& s = *impl_;
  for (auto& buffer : s.lent) {
    s.give_back(std::move(buffer));
  }
  s.lent.clear();
  if (s.state == State::disconnected) {
    return corliss::fail(s.reason);
  }
  const auto packet = parse_udp_packet(datagram);
  if (!packet) {
    return {};
  }
  const UdpHeader& header = packet->header;
  if ((s.remote_id != 0 && header.source_id != s.remote_id) ||
      (header.dest_id != 0 && header.dest_id != s.options.connection_id)) {
    return {};
  }
  s.last_heard = now;
  s.acknowledge(header.seq_ack, now);
  CORLISS_CHECK(s.receive(*packet, now));
  if (s.state == State::disconnecting && s.out.empty()) {
    s.finish(Errc::closed_here);
  }
  if (s.state == State::disconnected) {
    return corliss::fail(s.reason);
  }
  s.pump(now);
  return {};
}

void UdpSession::fail(std::error_code reason) noexcept {
  impl_->finish(reason);
  impl_->drop_received();
}

std::optional<Event> UdpSession::poll_event() {
  auto& s = *impl_;
  if (s.connected_due) {
    s.connected_due = false;
    return Connected{};
  }
  if (auto message = s.next_message()) {
    return message;
  }
  if (s.closed_due) {
    s.closed_due = false;
    return Closed{s.reason};
  }
  return std::nullopt;
}

Result<Bytes> UdpSession::prepare(std::size_t size) {
  auto& s = *impl_;
  if (s.state != State::connected) {
    return corliss::fail(Errc::not_connected);
  }
  if (size > s.options.limits.message) {
    return corliss::fail(Errc::message_too_large);
  }
  if (s.out_size + size > s.options.limits.queued) {
    return corliss::fail(Errc::queue_full);
  }
  if (s.prepared.capacity() == 0) {
    s.prepared = s.take_spare();
  }
  s.prepared.clear();
  s.is_prepared = true;
  return s.prepared.extend(size);
}

Result<void> UdpSession::commit(TimePoint now) {
  auto& s = *impl_;
  if (s.state == State::disconnected) {
    return corliss::fail(s.reason);
  }
  if (s.state != State::connected) {
    return corliss::fail(Errc::not_connected);
  }
  if (!std::exchange(s.is_prepared, false)) {
    return corliss::fail(Errc::nothing_prepared);
  }
  // One number is left for the Disconnect.
  if (parts_of(s.prepared.size()) >= std::numeric_limits<std::uint32_t>::max() - s.next_seq) {
    return s.finish_with(Errc::sequence_exhausted);
  }
  s.queue(UdpPacketType::Data, std::move(s.prepared));
  s.pump(now);
  return {};
}

Result<void> UdpSession::close(TimePoint now) {
  auto& s = *impl_;
  if (s.state == State::disconnected) {
    return corliss::fail(s.reason);
  }
  s.drop_received();
  if (s.state == State::disconnecting) {
    return {};
  }
  if (s.state != State::connected) {
    s.connected_due = false;
    s.finish(Errc::closed_here);
    return {};
  }
  s.queue_control(UdpPacketType::Disconnect, {});
  s.state = State::disconnecting;
  s.close_by = after(now, s.options.timeouts.close);
  s.pump(now);
  return {};
}

ConstBytes UdpSession::outgoing() {
  auto& s = *impl_;
  return s.datagram_size > 0 ? ConstBytes(s.datagram.data(), s.datagram_size) : s.next_datagram();
}

void UdpSession::sent() noexcept {
  impl_->datagram_size = 0;
}

std::optional<TimePoint> UdpSession::deadline() const noexcept {
  const auto& s = *impl_;
  if (s.state == State::disconnected) {
    return std::nullopt;
  }
  TimePoint due = after(s.last_heard, s.options.timeouts.idle);
  if (!s.is_connected()) {
    due = std::min(due, after(s.started, s.options.timeouts.handshake));
  }
  if (s.sent_seq != s.acked_seq || s.state == State::challenge_req_sent) {
    due = std::min(due, s.next_resend);
  }
  return std::min(due, s.close_by);
}

Result<void> UdpSession::on_deadline(TimePoint now) {
  auto& s = *impl_;
  if (s.state == State::disconnected) {
    return corliss::fail(s.reason);
  }
  if (now >= s.close_by) {
    s.finish(Errc::closed_here);
    return corliss::fail(s.reason);
  }
  if (!s.is_connected() && now >= after(s.started, s.options.timeouts.handshake)) {
    return s.finish_with(Errc::handshake_timeout);
  }
  if (now >= after(s.last_heard, s.options.timeouts.idle)) {
    return s.finish_with(s.state == State::disconnecting ? Errc::closed_here : Errc::idle_timeout);
  }
  if (s.state == State::challenge_req_sent && now >= s.next_resend) {
    s.challenge_req_due = true;
    s.next_resend = after(now, udp_resend_delay);
  }
  s.pump(now);
  return {};
}

void UdpSession::trim() noexcept {
  auto& s = *impl_;
  std::vector<Buffer>().swap(s.lent);
  std::vector<Buffer>().swap(s.spare);
  std::vector<std::unique_ptr<StoredPacket>>().swap(s.spare_packets);
  if (s.reorder.empty()) {
    s.reorder.shrink_to_fit();
  }
  if (s.ready.empty()) {
    s.ready.release();
  }
  if (s.out.empty()) {
    s.out.release();
  }
}

std::size_t UdpSession::queued() const noexcept {
  return impl_->out_size;
}

void UdpSession::set_message_limit(std::size_t limit) noexcept {
  impl_->options.limits.message = std::min(limit, max_frame_size);
}

}  // namespace corliss::net
