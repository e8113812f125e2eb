#include "trace/packets.h"

#include "support/test_support.h"

#include <algorithm>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace corliss::test {

std::vector<std::uint8_t> make_packet(const SessionKey& key, const crypto::Nonce& nonce,
                                      const std::vector<std::uint8_t>& padded, std::size_t signed_size,
                                      bool good_mac, std::size_t wrong_bit) {
  std::vector<std::uint8_t> message(nonce.begin(), nonce.end());
  message.insert(message.end(), padded.begin(), padded.begin() + static_cast<std::ptrdiff_t>(signed_size));
  std::array<std::uint8_t, 20> mac{};
  if (HMAC(EVP_sha1(), key.data(), 16, message.data(), message.size(), mac.data(), nullptr) == nullptr) {
    throw std::runtime_error("HMAC failed");
  }
  std::array<std::uint8_t, crypto::packet_iv_size> iv{};
  std::copy_n(mac.begin(), 13, iv.begin());
  std::copy(nonce.begin(), nonce.end(), iv.begin() + 13);
  if (!good_mac) {
    iv[wrong_bit / 8] = static_cast<std::uint8_t>(iv[wrong_bit / 8] ^ (1U << (wrong_bit % 8)));
  }
  // The legacy format takes any IV; it adds a block of padding, which goes again.
  std::vector<std::uint8_t> packet(crypto::sealed_size(padded.size()));
  if (!crypto::LegacyPacketCipher(key, "portable").seal(padded, iv, packet)) {
    throw std::runtime_error("seal failed");
  }
  packet.erase(packet.end() - 16, packet.end());
  return packet;
}

namespace {

std::vector<std::uint8_t> pad(std::size_t size) {
  return std::vector<std::uint8_t>(size, static_cast<std::uint8_t>(size));
}

class PacketMaker {
 public:
  explicit PacketMaker(std::size_t length) : length_(length), rng_(seed() + length) {}

  void add(const std::string& name, const std::vector<std::uint8_t>& padding, bool good_padding,
           bool good_mac) {
    Packet packet{name, {}, {}, good_mac, good_padding};
    crypto::Nonce nonce{};
    auto padded = rng_.bytes(length_);
    (void)rng_.fill(packet.key);
    (void)rng_.fill(nonce);
    if (packets_.size() % 8 == 6) {
      std::fill(padded.begin(), padded.end(), std::uint8_t{0});
      packet.key.fill(0);
    } else if (packets_.size() % 8 == 7) {
      std::fill(padded.begin(), padded.end(), std::uint8_t{0xff});
      packet.key.fill(0xff);
      nonce.fill(0xff);
    }
    std::copy(padding.begin(), padding.end(), padded.end() - static_cast<std::ptrdiff_t>(padding.size()));
    const std::size_t signed_size = length_ - (good_padding ? padding.size() : 1);
    packet.sealed = make_packet(packet.key, nonce, padded, signed_size, good_mac, rng_.between(0, 103));
    packets_.push_back(std::move(packet));
  }
  void good(std::size_t size) { add("pad " + std::to_string(size), pad(size), true, true); }
  void bad_mac(std::size_t size) { add("pad " + std::to_string(size) + ", bad MAC", pad(size), true, false); }
  void last_byte(std::uint8_t last) { add("padding byte " + std::to_string(last), {last}, false, true); }
  void wrong_byte(std::size_t size, std::size_t at) {
    auto padding = pad(size);
    padding[at] ^= 0x41;
    add("pad " + std::to_string(size) + ", byte " + std::to_string(at) + " of it wrong", padding, false,
        true);
  }
  std::vector<Packet> take() { return std::move(packets_); }

 private:
  std::size_t length_;
  TestRng rng_;
  std::vector<Packet> packets_;
};

}  // namespace

std::vector<Packet> packets_of(std::size_t length) {
  PacketMaker make(length);
  for (std::size_t size = 1; size <= 16; ++size) {
    make.good(size);
  }
  make.bad_mac(1);
  make.bad_mac(9);
  make.bad_mac(16);
  make.last_byte(0);
  make.last_byte(17);
  make.last_byte(255);
  make.wrong_byte(9, 0);
  make.wrong_byte(16, 14);
  make.add("padding byte 0, bad MAC", {0}, false, false);
  return make.take();
}

std::vector<Packet> few_packets_of(std::size_t length) {
  PacketMaker make(length);
  make.good(1);
  make.good(8);
  make.good(16);
  make.bad_mac(3);
  make.bad_mac(16);
  make.last_byte(0);
  make.last_byte(200);
  make.wrong_byte(9, 0);
  return make.take();
}

}  // namespace corliss::test
