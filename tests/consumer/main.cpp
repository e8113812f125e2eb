#include <corliss/crypto/packet_cipher.h>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  const std::array<std::uint8_t, 32> session_key{};
  const corliss::crypto::PacketCipher cipher(session_key);

  const std::vector<std::uint8_t> message(670, 0x5a);
  std::vector<std::uint8_t> packet(corliss::crypto::PacketCipher::sealed_size(message.size()));
  if (!cipher.seal(message, packet)) {
    return 1;
  }
  const auto opened = cipher.open(packet);
  if (!opened) {
    return 1;
  }
  std::printf("sealed %zu bytes, opened %zu\n", packet.size(), opened->size());
}
