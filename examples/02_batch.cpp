// Seal many packets at once: what a send loop does when several messages wait.
#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/random_pool.h>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  using namespace corliss;
  const std::array<std::uint8_t, 32> session_key{0x2a};
  const crypto::PacketCipher cipher(session_key);

  const std::vector<std::uint8_t> message(670, 0x5a);
  std::vector<std::array<std::uint8_t, crypto::sealed_size(670)>> packets(64);
  std::vector<crypto::SealItem> to_seal(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    to_seal[i].cipher = &cipher;  // each may be of another session, and of another size
    to_seal[i].plain = message;
    to_seal[i].out = packets[i];
  }
  crypto::seal_batch(to_seal, crypto::system_rng());

  packets[7][100] ^= 1;  // somebody changes one of them
  std::vector<crypto::OpenItem> to_open(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    to_open[i].cipher = &cipher;
    to_open[i].sealed = packets[i];
  }
  crypto::open_batch(to_open);

  std::size_t good = 0;
  for (const auto& item : to_open) {
    good += item.error ? 0 : 1;
  }
  std::printf("%zu opened, packet 7: %s\n", good, to_open[7].error.message().c_str());
}
