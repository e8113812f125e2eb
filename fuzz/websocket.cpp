// First byte: which side, whether its upgrade is done, and the size of the pieces. A second run with other
// pieces must give the same events.
#include "fuzz.h"

#include <corliss/net/websocket.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace {

using namespace corliss;

class FixedRng final : public Rng {
 public:
  Result<void> fill(Bytes out) noexcept override {
    static constexpr std::string_view nonce = "the sample nonce";  // RFC 6455, 1.3
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<std::uint8_t>(nonce[i % nonce.size()]);
    }
    return {};
  }
};

constexpr std::string_view response =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
constexpr std::string_view request =
    "GET /cmsocket/ HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

struct Outcome {
  std::vector<std::vector<std::uint8_t>> messages;
  std::error_code reason;
  std::int32_t detail = 0;
  int connected = 0;
  int closed = 0;
};

Outcome run(ConstBytes stream, bool client, bool upgraded, std::size_t piece_size) {
  FixedRng rng;
  net::ChannelOptions options = net::websocket_options;
  options.limits.message = 2000;
  auto channel = client ? net::WebSocketChannel::client("x", options, rng, {})
                        : net::WebSocketChannel::server(options, {});
  std::vector<std::uint8_t> all;
  if (upgraded) {
    const auto head = bytes_of(client ? response : request);
    all.assign(head.begin(), head.end());
  }
  all.insert(all.end(), stream.begin(), stream.end());
  Outcome out;
  const auto drain = [&] {
    while (const auto event = channel.poll_event()) {
      FUZZ_CHECK(out.closed == 0);
      if (const auto* received = std::get_if<net::Received>(&*event)) {
        FUZZ_CHECK(!received->message.empty() && received->message.size() <= 2000);
        out.messages.emplace_back(received->message.begin(), received->message.end());
      } else if (const auto* closed = std::get_if<net::Closed>(&*event)) {
        ++out.closed;
        out.reason = closed->reason;
        out.detail = closed->detail;
      } else {
        ++out.connected;
      }
    }
  };
  std::vector<std::uint8_t> piece;
  for (std::size_t at = 0; at < all.size() && out.closed == 0; at += piece_size) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(at);
    piece.assign(from, from + static_cast<std::ptrdiff_t>(std::min(piece_size, all.size() - at)));
    (void)channel.feed(piece, {});
    drain();
    while (!channel.outgoing().empty()) {
      channel.sent(channel.outgoing().size(), {});
    }
  }
  (void)channel.end_of_input({});
  drain();
  FUZZ_CHECK(out.closed == 1);
  return out;
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  const bool client = (input[0] & 1) != 0;
  const bool upgraded = (input[0] & 2) != 0;
  const auto stream = input.subspan(1);
  const auto whole = run(stream, client, upgraded, 1 << 20);
  const auto pieces = run(stream, client, upgraded, 1 + (input[0] >> 2));
  FUZZ_CHECK(whole.messages == pieces.messages && whole.reason == pieces.reason &&
             whole.detail == pieces.detail && whole.connected == pieces.connected);
}
