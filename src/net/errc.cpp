#include <corliss/net/errc.h>
#include <corliss/net/event.h>

#include <array>

namespace corliss::net {
namespace {

constexpr std::array<ErrcRow, 38> rows{{
    {"success", Fault::local},
    {"closed by this side", Fault::closed},
    {"closed by the other side", Fault::closed},
    {"the stream ended in the middle of a message", Fault::malformed},
    {"the handshake took too long; try another server", Fault::timeout},
    {"nothing was received for too long", Fault::timeout},
    {"a message began and did not go on", Fault::timeout},
    {"the other side takes no more bytes", Fault::timeout},
    {"wrong magic: this is not the Steam protocol", Fault::malformed},
    {"a message above the size limit", Fault::limit},
    {"a message above the size limit of the handshake", Fault::limit},
    {"an empty message", Fault::malformed},
    {"a malformed handshake message", Fault::malformed},
    {"a message that is not expected now", Fault::malformed},
    {"a channel protocol version other than 1", Fault::refused},
    {"the server belongs to another universe", Fault::refused},
    {"no public key is known for the server's universe", Fault::refused},
    {"a challenge of a wrong length", Fault::malformed},
    {"the server wants the legacy packet format, which is not enabled", Fault::refused},
    {"the client's session key does not check", Fault::unauthenticated},
    {"the server refused the encrypted channel", Fault::refused},
    {"a truncated datagram", Fault::malformed},
    {"a datagram above the size limit", Fault::limit},
    {"a datagram of unknown type", Fault::malformed},
    {"the parts of a message contradict each other", Fault::malformed},
    {"the connect packet does not answer the challenge", Fault::unauthenticated},
    {"the sequence numbers of this session are used up; connect again", Fault::limit},
    {"not the HTTP exchange of a WebSocket", Fault::malformed},
    {"an HTTP head above the size limit", Fault::limit},
    {"the server refused the WebSocket upgrade", Fault::refused},
    {"Sec-WebSocket-Accept does not answer our key", Fault::unauthenticated},
    {"a malformed WebSocket frame", Fault::malformed},
    {"a WebSocket frame with the wrong masking", Fault::malformed},
    {"not connected", Fault::local},
    {"the message is too large to send", Fault::limit},
    {"the send queue is full; write what is outgoing first", Fault::limit},
    {"commit without prepare", Fault::local},
    {"the last input is not drained yet", Fault::local},
}};

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.net", rows);
  return {static_cast<int>(errc), category};
}

bool Closed::user_initiated() const noexcept {
  return reason == Errc::closed_here;
}

}  // namespace corliss::net
