// How a caller drives a channel: the same loop for every transport. The socket is two vectors here.
#include "net/channel_pair.h"

#include <corliss/crypto/random_pool.h>
#include <corliss/net/tcp_channel.h>
#include <corliss/net/udp_channel.h>
#include <corliss/net/websocket.h>

#include <deque>

namespace corliss::net {
namespace {

using test::Message;

/// Stands for the socket and the clock, which are the caller's. A write is a datagram or a piece of a stream.
struct Socket {
  std::deque<Message>* out;
  std::deque<Message>* in;
  void write(ConstBytes bytes) { out->emplace_back(bytes.begin(), bytes.end()); }
};

/// One turn of the loop: write what waits, take what came, look at the time, tell what happened.
template <class OnMessage>
bool turn(Channel& channel, Socket& socket, TimePoint now, OnMessage on_message) {
  while (!channel.outgoing().empty()) {
    const auto bytes = channel.outgoing();
    socket.write(bytes);
    channel.sent(bytes.size(), now);
  }
  if (!socket.in->empty()) {
    Message input = std::move(socket.in->front());  // lives until its messages are used
    socket.in->pop_front();
    (void)channel.feed(input, now);  // an error is told by Closed, too
    while (const auto event = channel.poll_event()) {
      if (const auto* received = std::get_if<Received>(&*event)) {
        on_message(received->message);
      } else if (std::holds_alternative<Closed>(*event)) {
        return false;
      }
    }
  }
  if (const auto due = channel.deadline(); due && *due <= now) {
    (void)channel.on_deadline(now);
  }
  while (const auto event = channel.poll_event()) {
    if (std::holds_alternative<Closed>(*event)) {
      return false;
    }
  }
  return true;
}

void say_hello(Channel& client, Channel& server) {
  std::deque<Message> up;
  std::deque<Message> down;
  Socket client_socket{&up, &down};
  Socket server_socket{&down, &up};
  std::string heard;
  bool asked = false;
  TimePoint now{};
  for (int i = 0; i < 100 && heard.empty(); ++i) {
    now += std::chrono::milliseconds(1);
    ASSERT_TRUE(turn(client, client_socket, now, [&](Bytes message) { heard = text_of(message); }));
    ASSERT_TRUE(turn(server, server_socket, now, [&](Bytes message) {
      // A message is written where it will be sealed: no copy.
      const auto room = server.prepare(message.size() + 1).value();
      room[0] = '>';
      std::copy(message.begin(), message.end(), room.begin() + 1);
      ASSERT_TRUE(server.commit(now));
    }));
    if (client.connected() && !asked) {
      asked = client.send(bytes_of("hello"), now).has_value();
    }
  }
  EXPECT_EQ(heard, ">hello");
  ASSERT_TRUE(client.close(now));
  bool both = true;
  for (int i = 0; i < 100 && both; ++i) {
    both = turn(client, client_socket, now, [](Bytes) {});
    (void)turn(server, server_socket, now, [](Bytes) {});
  }
  EXPECT_FALSE(both) << "Closed came";
}

TEST(Usage, TheSameLoopDrivesEveryTransport) {
  Rng& rng = crypto::system_rng();
  const TimePoint now{};
  ClientHandshake client_side;
  client_side.key = &test::server_public_key();  // leave it out for Steam's own servers
  ServerHandshake server_side;
  server_side.key = &test::server_key();
  {
    auto client = TcpChannel::client(client_side, {}, rng, now);
    auto server = TcpChannel::server(server_side, {}, rng, now);
    say_hello(client, server);
  }
  {
    auto client = UdpChannel::client(client_side, udp_first_client_id, udp_channel_options, rng, now);
    auto server = UdpChannel::server(server_side, 0x1000, udp_channel_options, rng, now);
    say_hello(client, server);
  }
  {
    auto client = WebSocketChannel::client("localhost:443", websocket_options, rng, now);
    auto server = WebSocketChannel::server(websocket_options, now);
    say_hello(client, server);
  }
}

}  // namespace
}  // namespace corliss::net
