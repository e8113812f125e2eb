// First byte: the side and its state. Then datagrams, each behind its u16 length; length 0xffff lets time
// pass.
#include "fuzz.h"

#include <corliss/base/reader.h>
#include <corliss/net/errc.h>
#include <corliss/net/udp_packet.h>
#include <corliss/net/udp_session.h>

#include <algorithm>

namespace {

using namespace corliss;
using net::UdpSession;
using net::UdpSessionOptions;

net::UdpSessionOptions options(UdpSessionOptions::Side side) {
  UdpSessionOptions out;
  out.side = side;
  out.connection_id = side == UdpSessionOptions::Side::client ? 0x200 : 0x1000;
  out.challenge = 0x12345678;
  out.limits.message = 8192;
  return out;
}

void pass(UdpSession& from, UdpSession& to, TimePoint now) {
  if (const auto datagram = from.outgoing(); !datagram.empty()) {
    (void)to.feed(datagram, now);
    from.sent();
  }
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  TimePoint now{};
  UdpSession client(options(UdpSessionOptions::Side::client), now);
  UdpSession server(options(UdpSessionOptions::Side::server), now);
  // Bits 0..2: how many steps of the connection are done; bit 3: which side; bit 4: closing.
  for (int step = 0; step < (input[0] & 7); ++step) {
    pass(step % 2 == 0 ? client : server, step % 2 == 0 ? server : client, now);
  }
  UdpSession& session = (input[0] & 8) != 0 ? server : client;
  if (auto room = session.prepare(3000)) {
    std::fill(room->begin(), room->end(), std::uint8_t{1});
    FUZZ_CHECK(session.commit(now));
  }
  if ((input[0] & 16) != 0) {
    (void)session.close(now);
  }
  std::size_t closed = 0;
  Reader in(input.subspan(1));
  while (const auto length = in.u16()) {
    if (*length == 0xffff) {
      now = std::max(now, session.deadline().value_or(now));
      (void)session.on_deadline(now);
    } else {
      const auto datagram = in.bytes(std::min<std::size_t>(*length, in.remaining()));
      (void)session.feed(*datagram, now);
    }
    while (const auto event = session.poll_event()) {
      FUZZ_CHECK(closed == 0);
      if (const auto* received = std::get_if<net::Received>(&*event)) {
        FUZZ_CHECK(received->message.size() <= 8192);
      } else if (std::holds_alternative<net::Closed>(*event)) {
        ++closed;
      }
    }
    FUZZ_CHECK((closed == 1) == !session.deadline());
    for (int sent = 0;; ++sent) {
      const auto out = session.outgoing();
      if (out.empty()) {
        break;
      }
      FUZZ_CHECK(net::parse_udp_packet(out));
      FUZZ_CHECK(sent < 16);
      session.sent();
    }
  }
}
