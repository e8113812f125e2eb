#pragma once

#include <corliss/base/bytes.h>
#include <corliss/crypto/packet_cipher.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Packets of one length, sound and broken in every way that a receiver must not tell apart.
namespace corliss::test {

using SessionKey = std::array<std::uint8_t, crypto::session_key_size>;

struct Packet {
  std::string name;
  SessionKey key{};
  std::vector<std::uint8_t> sealed;
  bool good_mac = false;
  bool good_padding = false;
};

/// The packet whose plaintext with its padding is `padded` (whole blocks), sound or not, with a MAC over the
/// first `signed_size` bytes of it; `good_mac` false flips the MAC bit `wrong_bit` (0 to 103).
[[nodiscard]] std::vector<std::uint8_t> make_packet(const SessionKey& key, const crypto::Nonce& nonce,
                                                    const std::vector<std::uint8_t>& padded,
                                                    std::size_t signed_size, bool good_mac,
                                                    std::size_t wrong_bit = 0);

/// Packets with `length` bytes behind the IV, each with its own key, nonce and plaintext (all zeros, all
/// ones, random): every padding 1 to 16 with a good MAC; some with a bad one; every kind of bad padding,
/// under a MAC that is good for the plaintext without its last byte, which is what a receiver that ignored
/// the padding would check.
[[nodiscard]] std::vector<Packet> packets_of(std::size_t length);
/// Fewer of them: three good paddings, two bad MACs, three bad paddings.
[[nodiscard]] std::vector<Packet> few_packets_of(std::size_t length);

}  // namespace corliss::test
