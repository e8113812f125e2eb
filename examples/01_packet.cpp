// Seal a message for an encrypted Steam connection, and open it again.
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

int main() {
  using namespace corliss;
  const std::array<std::uint8_t, 32> session_key{0x2a};  // agreed on in the channel handshake
  const crypto::PacketCipher cipher(session_key);        // keyed once; any thread may use it

  // 16 bytes in front of the message and 16 behind it belong to the packet.
  std::array<std::uint8_t, 128> buffer;
  constexpr std::string_view text = "hello, Steam";
  std::copy(text.begin(), text.end(), buffer.begin() + crypto::packet_iv_size);

  // In place, with fresh random bytes, nothing allocated.
  const auto message = Bytes(buffer).subspan(crypto::packet_iv_size, text.size());
  const Result<Bytes> packet = cipher.seal(message, buffer);
  if (!packet) {
    return std::fprintf(stderr, "%s\n", packet.error().message().c_str()), 1;
  }
  std::printf("sealed: %zu bytes\n", packet->size());

  const Result<Bytes> opened = cipher.open(*packet);
  std::printf("opened: %.*s\n", static_cast<int>(opened->size()), text_of(*opened).data());

  buffer[40] ^= 1;  // a changed packet gives an error, and its buffer is wiped
  std::printf("opened again: %s\n", cipher.open(*packet).error().message().c_str());
}
