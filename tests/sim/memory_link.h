#pragma once

#include "net/channel_pair.h"
#include "sim/client_probe.h"

#include <corliss/io/errc.h>
#include <corliss/net/tcp_channel.h>
#include <corliss/net/udp_channel.h>
#include <corliss/net/websocket.h>
#include <corliss/sim/cm_session.h>
#include <corliss/sim/faulty_channel.h>

#include <deque>
#include <memory>

namespace corliss::sim::test {

/// A client and a CM of ours with wires of memory between them, on a simulated clock. Each way takes 1 ms.
class MemoryLink {
 public:
  MemoryLink(Scheme transport, const FaultRules& all)
      : transport_(transport),
        rules_(rules_for(all, transport, 1)),
        rng_(corliss::test::seed()),
        cm_(options(), rng_) {
    client_ = make_client();
    auto inner = make_server();
    if (FaultyChannel::wanted(rules_)) {
      server_ = std::make_unique<FaultyChannel>(std::move(inner), transport, rules_, rng_, now_,
                                                [this](Cut cut) { cut_ = cut; });
    } else {
      server_ = std::move(inner);
    }
    session_ = std::make_unique<CmSession>(cm_, PublicAddress(0x7F000001U), rules_, now_);
  }

  /// Until the client's connection has ended; fails where that takes more than five simulated minutes.
  const Outcome& run() {
    const TimePoint start = now_;
    while (!probe_.outcome.closed && now_ - start < std::chrono::minutes(5)) {
      serve();
      live();
      if (!probe_.outcome.closed && !move()) {
        wait();
      }
    }
    EXPECT_TRUE(probe_.outcome.closed) << "the client waits for ever";
    took_ = now_ - start;
    return probe_.outcome;
  }

  [[nodiscard]] Duration took() const { return took_; }

 private:
  static CmOptions options() {
    CmOptions options;
    options.cm_list = {"localhost:27020"};
    return options;
  }

  net::ServerHandshake handshake() const {
    net::ServerHandshake handshake;
    handshake.key = &net::test::server_key();
    for (const auto& rule : rules_) {
      if (rule.kind == FaultKind::result && rule.at == FaultPoint::channel) {
        handshake.result = rule.result;
      }
    }
    return handshake;
  }

  std::unique_ptr<net::Channel> make_server() {
    switch (transport_) {
      case Scheme::tcp:
        return std::make_unique<net::TcpChannel>(net::TcpChannel::server(handshake(), {}, rng_, now_));
      case Scheme::udp:
        return std::make_unique<net::UdpChannel>(
            net::UdpChannel::server(handshake(), 7, net::udp_channel_options, rng_, now_));
      default:
        return std::make_unique<net::WebSocketChannel>(
            net::WebSocketChannel::server(net::websocket_options, now_));
    }
  }

  std::unique_ptr<net::Channel> make_client() {
    net::ClientHandshake handshake;
    handshake.key = &net::test::server_public_key();
    switch (transport_) {
      case Scheme::tcp:
        return std::make_unique<net::TcpChannel>(net::TcpChannel::client(handshake, {}, rng_, now_));
      case Scheme::udp:
        return std::make_unique<net::UdpChannel>(net::UdpChannel::client(
            handshake, net::udp_first_client_id, net::udp_channel_options, rng_, now_));
      default:
        return std::make_unique<net::WebSocketChannel>(
            net::WebSocketChannel::client("localhost", net::websocket_options, rng_, now_));
    }
  }

  void serve() {
    while (auto event = server_->poll_event()) {
      if (const auto* received = std::get_if<net::Received>(&*event)) {
        (void)session_->receive(received->message, now_);
      } else if (std::holds_alternative<net::Closed>(*event)) {
        server_over_ = true;
      }
    }
    while (auto message = session_->poll_message(now_)) {
      (void)server_->send(*message, now_);
    }
    if (session_->over() && !closing_) {
      closing_ = true;
      (void)server_->close(now_);
    }
  }

  void live() {
    while (auto event = client_->poll_event()) {
      if (std::holds_alternative<net::Connected>(*event)) {
        send(probe_.on_connected());
      } else if (const auto* received = std::get_if<net::Received>(&*event)) {
        send(probe_.on_message(received->message));
        if (probe_.outcome.broken) {
          (void)client_->close(now_);
        }
      } else {
        EXPECT_FALSE(probe_.outcome.closed);
        probe_.outcome.closed = std::get<net::Closed>(*event);
      }
    }
  }

  void send(const std::vector<std::vector<std::uint8_t>>& messages) {
    for (const auto& message : messages) {
      (void)client_->send(message, now_);
    }
  }

  /// Carries what either side has; whether there was anything.
  bool move() {
    bool moved = carry(*client_, *server_);
    moved = carry(*server_, *client_) || moved;
    if (!told_cut_ && cut_ != Cut::none) {
      told_cut_ = moved = true;
      if (cut_ == Cut::reset) {
        client_->fail(io::Errc::connection_reset);
      } else {
        (void)client_->end_of_input(now_);
      }
    } else if (server_over_ && !told_cut_ && transport_ != Scheme::udp) {
      told_cut_ = moved = true;
      (void)client_->end_of_input(now_);
    }
    if (moved) {
      now_ += std::chrono::milliseconds(1);
    }
    return moved;
  }

  bool carry(net::Channel& from, net::Channel& to) {
    bool moved = false;
    for (auto out = from.outgoing(); !out.empty(); out = from.outgoing()) {
      wire_.emplace_back(out.begin(), out.end());
      from.sent(out.size(), now_);
      (void)to.feed(wire_.back(), now_);
      moved = true;
      serve();
      live();
      wire_.clear();
    }
    return moved;
  }

  void wait() {
    auto due = TimePoint::max();
    for (const auto& one : {client_->deadline(), server_->deadline(), session_->deadline()}) {
      due = std::min(due, one.value_or(TimePoint::max()));
    }
    if (due == TimePoint::max()) {
      now_ += std::chrono::minutes(10);  // nothing will ever happen again
      return;
    }
    now_ = std::max(now_, due);
    (void)client_->on_deadline(now_);
    (void)server_->on_deadline(now_);
    session_->on_deadline(now_);
  }

  Scheme transport_;
  FaultRules rules_;
  corliss::test::TestRng rng_;
  TimePoint now_{std::chrono::hours(1)};
  Cm cm_;
  std::unique_ptr<net::Channel> client_;
  std::unique_ptr<net::Channel> server_;
  Cut cut_ = Cut::none;
  std::unique_ptr<CmSession> session_;
  ClientProbe probe_;
  std::deque<std::vector<std::uint8_t>> wire_;
  bool closing_ = false;
  bool server_over_ = false;
  bool told_cut_ = false;
  Duration took_{};
};

}  // namespace corliss::sim::test
