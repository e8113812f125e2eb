// First byte: which channel, which side, in which state (before, in or after the handshake). Then pieces of
// its input, each behind its u8 length (255: time passes). An encrypted channel is also fed packets that are
// right, so that the fuzzer gets behind the cipher.
#include "fuzz.h"

#include <corliss/base/reader.h>
#include <corliss/net/tcp_channel.h>
#include <corliss/net/udp_channel.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

using namespace corliss;

class CountingRng final : public Rng {
 public:
  Result<void> fill(Bytes out) noexcept override {
    for (auto& byte : out) {
      byte = ++last_;
    }
    return {};
  }

 private:
  std::uint8_t last_ = 0;
};

const crypto::RsaPrivateKey& server_key() {
  static const auto key = crypto::RsaPrivateKey::generate(1024).value();
  return key;
}

struct Sides {
  CountingRng rng;
  std::unique_ptr<net::Channel> client;
  std::unique_ptr<net::Channel> server;
};

void connect(Sides& sides, bool udp, bool legacy, TimePoint now) {
  static const auto public_key = server_key().public_key().value();
  net::ClientHandshake client;
  client.key = &public_key;
  client.allow_legacy = legacy;
  net::ServerHandshake server;
  server.key = &server_key();
  server.legacy = legacy ? net::ServerHandshake::Legacy::allow : net::ServerHandshake::Legacy::off;
  net::ChannelOptions options;
  options.limits = {.message = 1 << 16, .queued = 1 << 20};
  if (udp) {
    sides.client = std::make_unique<net::UdpChannel>(
        net::UdpChannel::client(std::move(client), net::udp_first_client_id, options, sides.rng, now));
    sides.server = std::make_unique<net::UdpChannel>(
        net::UdpChannel::server(std::move(server), 0x1000, options, sides.rng, now));
  } else {
    sides.client = std::make_unique<net::TcpChannel>(
        net::TcpChannel::client(std::move(client), options, sides.rng, now));
    sides.server = std::make_unique<net::TcpChannel>(
        net::TcpChannel::server(std::move(server), options, sides.rng, now));
  }
}

void pass(net::Channel& from, net::Channel& to, TimePoint now) {
  for (auto out = from.outgoing(); !out.empty(); out = from.outgoing()) {
    std::vector<std::uint8_t> piece(out.begin(), out.end());
    from.sent(piece.size(), now);
    (void)to.feed(piece, now);
    while (to.poll_event()) {
    }
  }
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  TimePoint now{};
  Sides sides;
  // Bits 0..2: exchanges done before; bit 3: which side; bit 4: UDP; bit 5: legacy; bit 6: closing.
  connect(sides, (input[0] & 16) != 0, (input[0] & 32) != 0, now);
  for (int step = 0; step < (input[0] & 7); ++step) {
    pass(step % 2 == 0 ? *sides.server : *sides.client, step % 2 == 0 ? *sides.client : *sides.server, now);
  }
  auto& channel = (input[0] & 8) != 0 ? *sides.server : *sides.client;
  auto& peer = (input[0] & 8) != 0 ? *sides.client : *sides.server;
  if ((input[0] & 64) != 0) {
    (void)channel.close(now);
  }
  int closed = 0;
  const auto drain = [&] {
    while (const auto event = channel.poll_event()) {
      FUZZ_CHECK(closed == 0);
      if (const auto* received = std::get_if<net::Received>(&*event)) {
        FUZZ_CHECK(!received->message.empty() && received->message.size() <= (1 << 16));
      }
      closed += std::holds_alternative<net::Closed>(*event) ? 1 : 0;
    }
    FUZZ_CHECK((closed == 1) == !channel.deadline());
  };
  std::vector<std::uint8_t> piece;
  Reader in(input.subspan(1));
  while (const auto length = in.u8()) {
    if (*length == 255) {
      now = std::max(now, channel.deadline().value_or(now));
      (void)channel.on_deadline(now);
    } else if (*length == 254 && peer.connected()) {
      const auto rest = in.peek();
      (void)peer.send(rest.first(std::min<std::size_t>(rest.size(), 100)), now);
      const auto out = peer.outgoing();
      piece.assign(out.begin(), out.end());
      peer.sent(out.size(), now);
      (void)channel.feed(piece, now);
    } else {
      const auto bytes = in.bytes(std::min<std::size_t>(*length, in.remaining())).value();
      piece.assign(bytes.begin(), bytes.end());
      const auto fed = channel.feed(piece, now);
      FUZZ_CHECK(fed || !channel.deadline());
    }
    drain();
    if (channel.connected()) {
      (void)channel.send(ConstBytes(input).first(1), now);
    }
    for (int count = 0; count < 100 && !channel.outgoing().empty(); ++count) {
      channel.sent(channel.outgoing().size(), now);
    }
    drain();
  }
  (void)channel.end_of_input(now);
  drain();
  FUZZ_CHECK(closed == 1);
}
