#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/rng.h>
#include <corliss/crypto/packet_cipher.h>

#include <variant>

namespace corliss::net {

/// Packets opened or sealed at once; what the widest kernels like is a multiple of 16.
inline constexpr std::size_t max_batch = 64;

/// The packet format of a connection: none, HMAC or legacy.
class PacketCodec {
 public:
  /// A packet to be sealed where it lies: `plain` bytes of plaintext at room[headroom()], room.size() ==
  /// sealed_size(plain).
  struct Record {
    Bytes room;
    std::size_t plain;
  };

  PacketCodec() = default;  ///< plain
  explicit PacketCodec(crypto::PacketCipher&& cipher) : cipher_(std::move(cipher)) {}
  explicit PacketCodec(crypto::LegacyPacketCipher&& cipher) : cipher_(std::move(cipher)) {}

  [[nodiscard]] bool encrypts() const noexcept { return cipher_.index() != 0; }
  [[nodiscard]] std::size_t headroom() const noexcept { return encrypts() ? crypto::packet_iv_size : 0; }
  [[nodiscard]] std::size_t sealed_size(std::size_t plain) const noexcept {
    return encrypts() ? crypto::sealed_size(plain) : plain;
  }
  /// The longest plaintext whose packet has at most `packet` bytes.
  [[nodiscard]] std::size_t max_plain(std::size_t packet) const noexcept;

  /// Seals all, at most `max_batch`, or fails.
  [[nodiscard]] Result<void> seal(std::span<const Record> records, Rng* rng) const noexcept;
  /// Opens at most `max_batch` packets in place; each becomes its plaintext. Returns how many were good
  /// before the first refused one; that one and all after it are wiped, and `error` says why.
  [[nodiscard]] std::size_t open(std::span<Bytes> packets, std::error_code& error) const noexcept;

 private:
  std::variant<std::monostate, crypto::PacketCipher, crypto::LegacyPacketCipher> cipher_;
};

}  // namespace corliss::net
