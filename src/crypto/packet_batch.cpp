#include <corliss/base/secret.h>
#include <corliss/crypto/packet_cipher.h>

namespace corliss::crypto {

void seal_batch(std::span<SealItem> items) noexcept {
  for (auto& item : items) {
    const auto packet = item.cipher->seal(item.plain, item.nonce, item.out);
    item.sealed = packet.value_or(Bytes{});
    item.error = packet ? std::error_code{} : packet.error();
  }
}

void seal_batch(std::span<SealItem> items, Rng& rng) noexcept {
  for (auto& item : items) {
    if (const auto drawn = rng.fill(item.nonce); !drawn) {
      for (auto& each : items) {
        each.sealed = {};
        each.error = drawn.error();
      }
      return;
    }
  }
  seal_batch(items);
}

void open_batch(std::span<OpenItem> items) noexcept {
  for (auto& item : items) {
    const auto plain = item.cipher->open(item.sealed);
    item.plain = plain.value_or(Bytes{});
    item.error = plain ? std::error_code{} : plain.error();
  }
}

}  // namespace corliss::crypto
