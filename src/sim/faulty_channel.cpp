#include <corliss/base/endian.h>
#include <corliss/net/limits.h>
#include <corliss/net/tcp_frame.h>
#include <corliss/net/udp_packet.h>
#include <corliss/proto/emsg.h>
#include <corliss/proto/header.pb.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>
#include <corliss/sim/errc.h>
#include <corliss/sim/faulty_channel.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

namespace corliss::sim {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
/// Data messages of a UDP server before the first of the application: ChannelEncryptRequest and …Result.
constexpr std::uint64_t udp_handshake_messages = 2;
constexpr std::size_t tls_header_size = 5;  // RFC 8446, 5.1: type, version, length
constexpr std::size_t packets_in_msg_at = 24;
constexpr std::size_t msg_size_at = 32;

/// What is wanted of a connection, all its rules together.
struct Plan {
  bool refuse = false;
  bool split = false;
  Duration delay{};
  std::uint64_t stall_at = never;
  std::uint64_t reset_at = never;
  std::uint64_t half_close_at = never;
  unsigned drop_percent = 0;
  std::vector<std::uint64_t> garble;
  std::vector<std::uint64_t> wrong_mac;
  std::vector<std::uint64_t> replay;
  std::vector<std::uint64_t> duplicate;
  std::vector<std::uint64_t> oversized;
  std::vector<std::uint64_t> multi_bomb;

  /// Whether the rule is one of ours.
  bool take(const FaultRule& rule) {
    switch (rule.kind) {
      case FaultKind::refuse:
        refuse = true;
        return true;
      case FaultKind::split:
        split = true;
        return true;
      case FaultKind::delay:
        delay += rule.by;
        return true;
      case FaultKind::stall:
        stall_at = std::min(stall_at, rule.after_bytes);
        return true;
      case FaultKind::reset:
        reset_at = std::min(reset_at, rule.after_bytes);
        return true;
      case FaultKind::half_close:
        half_close_at = std::min(half_close_at, rule.after_bytes);
        return true;
      case FaultKind::drop:
        drop_percent = std::max(drop_percent, rule.percent);
        return true;
      case FaultKind::garble:
        garble.push_back(rule.after_bytes);
        return true;
      case FaultKind::wrong_mac:
        wrong_mac.push_back(rule.after_messages);
        return true;
      case FaultKind::replay:
        replay.push_back(rule.after_messages);
        return true;
      case FaultKind::duplicate:
        duplicate.push_back(rule.after_messages);
        return true;
      case FaultKind::oversized:
        oversized.push_back(rule.after_messages);
        return true;
      case FaultKind::multi_bomb:
        multi_bomb.push_back(rule.after_messages);
        return true;
      case FaultKind::result:
      case FaultKind::late:
      case FaultKind::try_another_cm:
        break;
    }
    return false;
  }
};

bool has(const std::vector<std::uint64_t>& numbers, std::uint64_t one) {
  return std::find(numbers.begin(), numbers.end(), one) != numbers.end();
}

/// A gzip stream of 1 KiB in a Multi that claims to unpack to 2 GiB.
std::vector<std::uint8_t> multi_bomb() {
  const std::vector<std::uint8_t> filler(1024, 0);
  const std::array<ConstBytes, 1> parts{ConstBytes(filler)};
  proto::CMsgMulti body;
  if (const auto honest = proto::make_multi(parts, proto::MultiPacking::gzip)) {
    if (const auto split = proto::split_message(*honest)) {
      body.ParseFromArray(split->body.data(), static_cast<int>(split->body.size()));
    }
  }
  body.set_size_unzipped(std::uint32_t{1} << 31);
  const proto::CMsgProtoBufHeader header;
  std::vector<std::uint8_t> out(proto::message_size(header, body));
  (void)proto::write_message(proto::EMsg::Multi, header, body, out);
  return out;
}

/// The start of a frame that is too long, on a stream.
std::vector<std::uint8_t> oversized_header(Scheme transport) {
  constexpr std::size_t size = net::max_frame_size + 1;
  if (transport == Scheme::tcp) {
    std::vector<std::uint8_t> frame(net::tcp_frame_header_size);
    net::write_tcp_frame_header(std::span<std::uint8_t, net::tcp_frame_header_size>(frame),
                                static_cast<std::uint32_t>(size));
    return frame;
  }
  std::vector<std::uint8_t> frame{0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0};  // RFC 6455, 5.2: FIN, binary, 64 bits
  store_be<std::uint64_t>(frame.data() + 2, size);
  return frame;
}

/// Says no to a UDP client by ending a session that it does not have yet.
std::vector<std::uint8_t> udp_refusal(const net::UdpHeader& request) {
  std::vector<std::uint8_t> datagram(net::udp_header_size);
  net::UdpHeader header;
  header.type = net::UdpPacketType::Disconnect;
  header.source_id = 1;
  header.dest_id = request.source_id;
  header.seq_this = header.packets_in_msg = header.msg_start_seq = 1;
  net::write_udp_header(std::span<std::uint8_t, net::udp_header_size>(datagram), header);
  return datagram;
}

}  // namespace

struct FaultyChannel::Impl {
  /// Bytes of a stream, or a datagram, and when they may go.
  struct Piece {
    std::vector<std::uint8_t> bytes;
    TimePoint due;
  };

  std::unique_ptr<net::Channel> inner;
  Scheme transport;
  Plan plan;
  Rng* rng;
  TimePoint now;
  std::deque<Piece> pieces;
  std::size_t sent_of_first = 0;
  std::uint64_t written = 0;       ///< bytes that came to `push`
  std::uint64_t messages = 0;      ///< of the application, streams
  std::uint64_t udp_messages = 0;  ///< of any kind, by their first datagrams
  std::uint32_t udp_highest_seq = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> udp_struck;  ///< sequence numbers to harm again
  Cut cut = Cut::none;
  OnCut on_cut;
  bool silent = false;  ///< nothing goes out any more
  Bytes prepared;
  std::optional<net::Closed> held;  ///< waits until everything is written

  Impl(std::unique_ptr<net::Channel> channel, Scheme which, Rng& random, TimePoint start)
      : inner(std::move(channel)), transport(which), rng(&random), now(start) {}

  bool is_udp() const { return transport == Scheme::udp; }

  bool lost() {
    std::array<std::uint8_t, 4> random{};
    return plan.drop_percent > 0 && rng->fill(random) &&
           load_le<std::uint32_t>(random.data()) % 100 < plan.drop_percent;
  }

  /// Puts bytes into the queue, as far as stall, reset and half_close let them.
  void push(std::vector<std::uint8_t> bytes) {
    if (silent || bytes.empty()) {
      return;
    }
    const std::uint64_t end = std::min({plan.stall_at, plan.reset_at, plan.half_close_at});
    for (const auto at : plan.garble) {
      if (at >= written && at - written < bytes.size()) {
        bytes[static_cast<std::size_t>(at - written)] ^= 1;
      }
    }
    const std::uint64_t room = end - std::min(end, written);
    written += bytes.size();
    if (room < bytes.size()) {
      bytes.resize(is_udp() ? 0 : static_cast<std::size_t>(room));
    }
    if (!bytes.empty() && !lost()) {
      pieces.push_back({std::move(bytes), now + plan.delay});
    }
    check_end();
  }

  void check_end() {
    if (written < std::min({plan.stall_at, plan.reset_at, plan.half_close_at})) {
      return;
    }
    silent = true;
    if (plan.reset_at <= written && plan.reset_at <= plan.half_close_at) {
      cut = Cut::reset;
    } else if (plan.half_close_at <= written) {
      cut = Cut::half_close;
    }
    settle();
  }

  /// Once the bytes before the cut are out, it is told. A reset ends this side as well.
  void settle() {
    if (cut == Cut::none || !pieces.empty()) {
      return;
    }
    if (const auto tell = std::exchange(on_cut, nullptr)) {
      tell(cut);
    }
    if (cut == Cut::reset) {
      inner->fail(Errc::fault_injected);
    }
  }

  /// Changes a datagram as told by the message that it begins.
  void strike_datagram(std::vector<std::uint8_t>& datagram, bool& twice) {
    const auto packet = net::parse_udp_packet(datagram);
    if (!packet || packet->header.type != net::UdpPacketType::Data ||
        packet->header.seq_this != packet->header.msg_start_seq) {
      return;
    }
    const std::uint32_t seq = packet->header.seq_this;
    const bool first_time = seq > udp_highest_seq;
    if (first_time) {
      udp_highest_seq = seq;
      ++udp_messages;
      if (udp_messages > udp_handshake_messages) {
        const std::uint64_t number = udp_messages - udp_handshake_messages - 1;
        if (has(plan.wrong_mac, number) || has(plan.oversized, number)) {
          udp_struck.emplace_back(seq, number);
        }
        twice = has(plan.replay, number);
      }
    }
    for (const auto& [struck, number] : udp_struck) {
      if (struck != seq) {
        continue;
      }
      if (has(plan.wrong_mac, number) && datagram.size() > net::udp_header_size) {
        datagram[net::udp_header_size] ^= 1;
      }
      if (has(plan.oversized, number)) {
        constexpr std::uint32_t size = net::max_frame_size + 1;
        store_le<std::uint32_t>(datagram.data() + msg_size_at, size);
        store_le<std::uint32_t>(datagram.data() + packets_in_msg_at,
                                size / static_cast<std::uint32_t>(net::max_udp_payload) + 1);
      }
    }
  }

  /// Takes all that the inner channel wants to write.
  void pull() {
    for (auto out = inner->outgoing(); !out.empty(); out = inner->outgoing()) {
      std::vector<std::uint8_t> bytes(out.begin(), out.end());
      inner->sent(out.size(), now);
      bool twice = false;
      if (is_udp()) {
        strike_datagram(bytes, twice);
      }
      if (twice) {
        push(bytes);
      }
      push(std::move(bytes));
    }
  }

  /// Takes the bytes of the message that was just committed on a stream, which are the only ones.
  void pull_message(std::uint64_t number) {
    std::vector<std::uint8_t> bytes;
    for (auto out = inner->outgoing(); !out.empty(); out = inner->outgoing()) {
      bytes.insert(bytes.end(), out.begin(), out.end());
      inner->sent(out.size(), now);
    }
    if (has(plan.oversized, number)) {
      push(oversized_header(transport));
      return;
    }
    const std::size_t sealed_from = transport == Scheme::tcp ? net::tcp_frame_header_size : tls_header_size;
    if (has(plan.wrong_mac, number) && bytes.size() > sealed_from) {
      bytes[sealed_from] ^= 1;
    }
    if (has(plan.replay, number)) {
      push(bytes);
    }
    push(std::move(bytes));
  }

  Result<void> commit_one() {
    const std::uint64_t number = messages++;
    if (has(plan.multi_bomb, number)) {
      // A second prepare forgets the first, so the message that is ready waits in a copy.
      const std::vector<std::uint8_t> waiting(prepared.begin(), prepared.end());
      CORLISS_CHECK(inner->send(multi_bomb(), now));
      pull();
      CORLISS_TRY(const Bytes room, inner->prepare(waiting.size()));
      std::copy(waiting.begin(), waiting.end(), room.begin());
    }
    CORLISS_CHECK(inner->commit(now));
    if (is_udp()) {
      pull();
    } else {
      pull_message(number);
    }
    return {};
  }
};

FaultyChannel::FaultyChannel(std::unique_ptr<net::Channel> inner, Scheme transport, const FaultRules& rules,
                             Rng& rng, TimePoint now, OnCut on_cut)
    : impl_(std::make_unique<Impl>(std::move(inner), transport, rng, now)) {
  impl_->on_cut = std::move(on_cut);
  for (const auto& rule : rules) {
    const bool elsewhere = rule.kind == FaultKind::oversized && transport == Scheme::wss;
    if (schemes_of(rule.kind).has(transport) && !elsewhere) {
      impl_->plan.take(rule);
    }
  }
  if (impl_->plan.refuse && !impl_->is_udp()) {
    impl_->plan.reset_at = 0;
  }
  impl_->pull();
  impl_->check_end();
}

FaultyChannel::~FaultyChannel() = default;

bool FaultyChannel::wanted(const FaultRules& rules) noexcept {
  return std::any_of(rules.begin(), rules.end(), [](const FaultRule& rule) {
    return rule.kind != FaultKind::result && rule.kind != FaultKind::late &&
           rule.kind != FaultKind::try_another_cm;
  });
}

Result<void> FaultyChannel::feed(Bytes input, TimePoint now) {
  Impl& s = *impl_;
  s.now = now;
  if (s.is_udp() && s.plan.refuse) {
    if (const auto packet = net::parse_udp_packet(input)) {
      s.push(udp_refusal(packet->header));
      s.inner->fail(Errc::fault_injected);
    }
    return s.inner->feed({}, now);
  }
  if (s.lost()) {
    return {};
  }
  auto fed = s.inner->feed(input, now);
  s.pull();
  return fed;
}

Result<void> FaultyChannel::end_of_input(TimePoint now) {
  impl_->now = now;
  auto ended = impl_->inner->end_of_input(now);
  impl_->pull();
  return ended;
}

void FaultyChannel::fail(std::error_code reason) noexcept {
  impl_->inner->fail(reason);
}

std::optional<net::Event> FaultyChannel::poll_event() {
  Impl& s = *impl_;
  if (!s.held) {
    auto event = s.inner->poll_event();
    const auto* closed = event ? std::get_if<net::Closed>(&*event) : nullptr;
    if (closed == nullptr) {
      return event;
    }
    s.held = *closed;
  }
  // The inner channel thinks that everything is written; its end waits until that is so.
  if (!s.pieces.empty() && s.held->reason == net::Errc::closed_here) {
    return std::nullopt;
  }
  if (!s.held->reason) {
    return std::nullopt;
  }
  return std::exchange(*s.held, net::Closed{});
}

Result<Bytes> FaultyChannel::prepare(std::size_t size) {
  impl_->prepared = {};
  CORLISS_TRY(const Bytes room, impl_->inner->prepare(size));
  impl_->prepared = room;
  return room;
}

Result<void> FaultyChannel::commit(TimePoint now) {
  Impl& s = *impl_;
  s.now = now;
  std::vector<std::uint8_t> copy;
  if (has(s.plan.duplicate, s.messages)) {
    copy.assign(s.prepared.begin(), s.prepared.end());
  }
  CORLISS_CHECK(s.commit_one());
  s.prepared = {};
  if (!copy.empty()) {
    CORLISS_CHECK(s.inner->send(copy, now));
    s.pull();
  }
  return {};
}

Result<void> FaultyChannel::close(TimePoint now) {
  impl_->now = now;
  auto closed = impl_->inner->close(now);
  impl_->pull();
  return closed;
}

ConstBytes FaultyChannel::outgoing() {
  Impl& s = *impl_;
  if (s.pieces.empty() || s.pieces.front().due > s.now) {
    return {};
  }
  const auto rest = ConstBytes(s.pieces.front().bytes).subspan(s.sent_of_first);
  return s.plan.split && !s.is_udp() ? rest.first(1) : rest;
}

void FaultyChannel::sent(std::size_t count, TimePoint now) {
  Impl& s = *impl_;
  s.now = now;
  s.sent_of_first += count;
  if (!s.pieces.empty() && (s.is_udp() || s.sent_of_first >= s.pieces.front().bytes.size())) {
    s.pieces.pop_front();
    s.sent_of_first = 0;
  }
  s.settle();
}

std::optional<TimePoint> FaultyChannel::deadline() const noexcept {
  const Impl& s = *impl_;
  auto due = s.inner->deadline();
  if (!s.pieces.empty()) {
    due = std::min(due.value_or(TimePoint::max()), s.pieces.front().due);
  }
  return due;
}

Result<void> FaultyChannel::on_deadline(TimePoint now) {
  impl_->now = now;
  auto done = impl_->inner->on_deadline(now);
  impl_->pull();
  return done;
}

bool FaultyChannel::connected() const noexcept {
  return impl_->inner->connected();
}

std::size_t FaultyChannel::queued() const noexcept {
  std::size_t total = impl_->inner->queued();
  for (const auto& piece : impl_->pieces) {
    total += piece.bytes.size();
  }
  return total - std::min(total, impl_->sent_of_first);
}

void FaultyChannel::trim() noexcept {
  impl_->inner->trim();
}

}  // namespace corliss::sim
