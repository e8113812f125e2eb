// A received packet of either format. The first byte is a bit set: 1 the legacy format, 2 between buffers
// instead of in place, 4 the rest is a plaintext: it is sealed, its second byte says which byte of the packet
// is changed by its third (0: none), and then the packet is opened.
#include "fuzz.h"

#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>
#include <vector>

using namespace corliss;          // NOLINT(google-build-using-namespace)
using namespace corliss::crypto;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::array<std::uint8_t, session_key_size> key{
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};  // as key_A of the vectors

template <class Cipher, class Random>
void run(const Cipher& cipher, const Random& random, bool apart, bool seal,
         std::span<const std::uint8_t> input) {
  std::vector<std::uint8_t> packet(input.begin(), input.end());
  bool must_pass = false;
  std::vector<std::uint8_t> plain;
  if (seal && input.size() >= 2) {
    plain.assign(input.begin() + 2, input.end());
    packet.assign(sealed_size(plain.size()), 0);
    FUZZ_CHECK(cipher.seal(plain, random, packet).has_value());
    auto& byte = packet[input[0] % packet.size()];
    byte = static_cast<std::uint8_t>(byte ^ input[1]);
    must_pass = input[1] == 0;
  }
  std::vector<std::uint8_t> out(packet.size() < packet_iv_size ? 0 : packet.size() - packet_iv_size, 0xaa);
  const auto opened = apart ? cipher.open(ConstBytes(packet), Bytes(out)) : cipher.open(packet);
  FUZZ_CHECK(opened.has_value() || !must_pass);
  if (opened) {
    FUZZ_CHECK(opened->size() + packet_iv_size < packet.size() && packet.size() - opened->size() <= 32);
    FUZZ_CHECK(!must_pass || std::equal(opened->begin(), opened->end(), plain.begin(), plain.end()));
  } else {
    FUZZ_CHECK(opened.error() == Errc::unauthenticated);
    const auto& wiped = apart ? out : packet;
    FUZZ_CHECK(std::all_of(wiped.begin(), wiped.end(), [](auto byte) { return byte == 0; }));
  }
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  const auto mode = input[0];
  for (const auto& kernel : kernels()) {
    if (!kernel.supported) {
      continue;
    }
    if ((mode & 1) != 0) {
      run(LegacyPacketCipher(key, kernel.name), std::array<std::uint8_t, packet_iv_size>{7}, (mode & 2) != 0,
          (mode & 4) != 0, input.subspan(1));
    } else {
      run(PacketCipher(key, kernel.name), Nonce{1, 2, 3}, (mode & 2) != 0, (mode & 4) != 0, input.subspan(1));
    }
  }
}
