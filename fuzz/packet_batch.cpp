// A batch against one by one. Each packet is described by four bytes: size low, size high (modulo 1536),
// session (its low bits; the high bit: plaintext apart), and the byte of the packet to change (0: none).
#include "fuzz.h"

#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

using namespace corliss;          // NOLINT(google-build-using-namespace)
using namespace corliss::crypto;  // NOLINT(google-build-using-namespace)

namespace {

/// Three sessions of every kernel.
const std::vector<PacketCipher>& sessions() {
  static const auto all = [] {
    std::vector<PacketCipher> out;
    std::array<std::uint8_t, session_key_size> key{};
    for (const auto& kernel : kernels()) {
      for (int i = 0; i < 3 && kernel.supported; ++i) {
        key.fill(static_cast<std::uint8_t>(out.size() * 17 + 1));
        out.emplace_back(key, kernel.name);
      }
    }
    return out;
  }();
  return all;
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  std::deque<std::vector<std::uint8_t>> plains;
  std::deque<std::vector<std::uint8_t>> buffers;
  std::vector<SealItem> seal;
  std::vector<std::uint8_t> changes;
  for (; input.size() >= 4 && seal.size() < 200; input = input.subspan(4)) {
    const std::size_t size = (input[0] | static_cast<std::size_t>(input[1]) << 8) % 1536;
    auto& plain = plains.emplace_back(size);
    for (std::size_t i = 0; i < size; ++i) {
      plain[i] = static_cast<std::uint8_t>(i * 7 + seal.size() * 31 + input[0]);
    }
    auto& buffer = buffers.emplace_back(sealed_size(size));
    const bool apart = (input[2] & 0x80) != 0;
    if (!apart) {
      std::copy(plain.begin(), plain.end(), buffer.begin() + packet_iv_size);
    }
    SealItem item;
    item.cipher = &sessions()[(input[2] & 0x7f) % sessions().size()];
    item.nonce = {input[0], input[2], static_cast<std::uint8_t>(seal.size())};
    item.plain = apart ? ConstBytes(plain) : Bytes(buffer).subspan(packet_iv_size, size);
    item.out = buffer;
    seal.push_back(item);
    changes.push_back(input[3]);
  }

  seal_batch(seal);
  std::vector<OpenItem> open;
  std::deque<std::vector<std::uint8_t>> single;
  for (std::size_t i = 0; i < seal.size(); ++i) {
    FUZZ_CHECK(!seal[i].error);
    auto& own = single.emplace_back(buffers[i].size());
    FUZZ_CHECK(seal[i].cipher->seal(plains[i], seal[i].nonce, own).has_value());
    FUZZ_CHECK(own == buffers[i]);
    if (changes[i] != 0) {
      own[changes[i] % own.size()] ^= 0x80;
      buffers[i][changes[i] % own.size()] ^= 0x80;
    }
    open.push_back({seal[i].cipher, buffers[i], {}, {}});
  }
  open_batch(open);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto one = open[i].cipher->open(single[i]);
    FUZZ_CHECK(one.has_value() == (changes[i] == 0) && one.has_value() == !open[i].error);
    FUZZ_CHECK(single[i] == buffers[i]);
    FUZZ_CHECK(!one || one->size() == open[i].plain.size());
  }
}
