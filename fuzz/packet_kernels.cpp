// All kernels give the same bytes and the same verdict. Input: 32 bytes of key, 16 of nonce or IV, then a
// plaintext, which is also opened as if it were a packet.
#include "fuzz.h"

#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <optional>
#include <vector>

using namespace corliss;          // NOLINT(google-build-using-namespace)
using namespace corliss::crypto;  // NOLINT(google-build-using-namespace)

namespace {

struct Outcome {
  std::vector<std::uint8_t> sealed;
  std::vector<std::uint8_t> opened;  // what the buffer holds afterwards: the padding and wiped bytes too
  std::size_t size = 0;
  bool accepted = false;
  bool operator==(const Outcome&) const = default;
};

template <class Cipher, std::size_t RandomSize>
Outcome run(std::span<const std::uint8_t> input, std::string_view kernel) {
  const Cipher cipher(input.first<session_key_size>(), kernel);
  const auto random = input.subspan<session_key_size, RandomSize>();
  const auto rest = input.subspan(session_key_size + packet_iv_size);
  Outcome out;
  out.sealed.resize(sealed_size(rest.size()));
  FUZZ_CHECK(cipher.seal(rest, random, out.sealed).has_value());
  auto again = out.sealed;
  const auto plain = cipher.open(again);
  FUZZ_CHECK(plain && std::equal(plain->begin(), plain->end(), rest.begin(), rest.end()));
  out.opened.assign(rest.begin(), rest.end());
  const auto opened = cipher.open(out.opened);
  out.accepted = opened.has_value();
  out.size = opened ? opened->size() : 0;
  return out;
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.size() < session_key_size + packet_iv_size) {
    return;
  }
  std::optional<Outcome> hmac;
  std::optional<Outcome> legacy;
  for (const auto& kernel : kernels()) {
    if (!kernel.supported) {
      continue;
    }
    auto own = run<PacketCipher, 3>(input, kernel.name);
    FUZZ_CHECK(!hmac || *hmac == own);
    hmac = std::move(own);
    auto old = run<LegacyPacketCipher, packet_iv_size>(input, kernel.name);
    FUZZ_CHECK(!legacy || *legacy == old);
    legacy = std::move(old);
  }
}
