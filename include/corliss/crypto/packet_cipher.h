#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/rng.h>
#include <corliss/crypto/errc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

/// The encrypted packets of a TCP or UDP connection: docs/wire/packet-channel.md.
namespace corliss::crypto {

/// Bytes of the session key, and of the encrypted IV in front of each packet.
inline constexpr std::size_t session_key_size = 32;
inline constexpr std::size_t packet_iv_size = 16;
/// No frame is larger (SteamKit TcpConnection, UdpConnection), and so no packet; nothing larger is sealed or
/// opened.
inline constexpr std::size_t max_packet_size = std::size_t{64} << 20;
/// The largest plaintext whose packet is no larger than `max_packet_size`: two blocks less, and a byte of
/// padding.
inline constexpr std::size_t max_plaintext_size = max_packet_size - packet_iv_size - 1;

/// The three random bytes of a packet of the HMAC format.
using Nonce = std::array<std::uint8_t, 3>;

/// Bytes of the packet for `plain` bytes of plaintext, in both formats: the encrypted IV, then the plaintext
/// padded to the next multiple of 16 (always by 1 to 16 bytes).
[[nodiscard]] constexpr std::size_t sealed_size(std::size_t plain) noexcept {
  return packet_iv_size + (plain / 16 + 1) * 16;
}

namespace detail {
struct CipherAccess;
struct Session;
struct SessionDeleter {
  void operator()(const Session* session) const noexcept;
};
using SessionPtr = std::unique_ptr<const Session, SessionDeleter>;
}  // namespace detail

/// The cipher of an encrypted TCP or UDP channel.
///
/// Wire: AES-256-ECB(key, iv), 16 bytes, then AES-256-CBC(key, iv, plain padded by PKCS#7), where
///   iv = HMAC-SHA1(key[0..16), nonce | plain)[0..13) | nonce, nonce 3 random bytes.
/// Source: SteamKit NetFilterEncryptionWithHMAC; vectors: tests/data/crypto/channel.json.
///
///     std::array<std::uint8_t, 1024> buffer;                       // 16 bytes in front, 16 behind the
///     plaintext const auto body = Bytes(buffer).subspan(packet_iv_size, n);  // write the message here, then
///     CORLISS_TRY(const Bytes packet, cipher.seal(body, buffer));  // it is sealed where it lies
///
/// Keyed once, then immutable: any number of threads may seal and open with one object at once, and none
/// waits for another. Nothing is allocated per packet (`portable`: but one context a thread, the first time
/// that two threads meet in one object). The object and what it owns are under 1 KiB (`portable`: 4 KiB) and
/// are wiped when it ends. A moved-from object may only be destroyed or assigned to.
///
/// The format has no counter: it does not see replay or reordering, the transport must. What the time that
/// `open` takes can tell is the length of the packet and whether it was accepted. Sealing tells the length of
/// the plaintext.
class PacketCipher {
 public:
  /// Uses `default_kernel()`. Throws std::system_error with its error, or Errc::library, and std::bad_alloc.
  explicit PacketCipher(std::span<const std::uint8_t, session_key_size> key);
  /// Uses the kernel of that name. Throws std::system_error with Errc::kernel_unknown,
  /// Errc::kernel_unsupported or Errc::library, and std::bad_alloc.
  PacketCipher(std::span<const std::uint8_t, session_key_size> key, std::string_view kernel);

  [[nodiscard]] static constexpr std::size_t sealed_size(std::size_t plain) noexcept {
    return crypto::sealed_size(plain);
  }

  /// Encrypts into the front of `out` and returns that part, sealed_size(plain.size()) bytes. `plain` lies at
  /// out[16] (in place) or nowhere in that part. A nonce must be random and fresh.
  /// Errors, nothing written: Errc::too_large above `max_plaintext_size`; BaseErrc::buffer_too_small;
  /// Errc::buffers_overlap. With `portable` also Errc::library, `out` wiped.
  [[nodiscard]] Result<Bytes> seal(ConstBytes plain, std::span<const std::uint8_t, 3> nonce,
                                   Bytes out) const noexcept;
  /// The same with a nonce from `system_rng()`. Also: BaseErrc::random_unavailable, nothing written; try
  /// again or close.
  [[nodiscard]] Result<Bytes> seal(ConstBytes plain, Bytes out) const noexcept;

  /// Decrypts in place and returns the plaintext, which starts at sealed[16].
  /// Errors, `sealed` wiped: Errc::unauthenticated for any bad length, padding or MAC alike: close the
  /// connection, send nothing; Errc::too_large above `max_packet_size`. With `portable` also Errc::library.
  [[nodiscard]] Result<Bytes> open(Bytes sealed) const noexcept;
  /// Decrypts into the front of `out`, which needs sealed.size() - 16 bytes, and returns the plaintext there;
  /// the padding is written behind it. `out` may start at sealed[16] (as in place) or lies apart from
  /// `sealed`. Errors: as above with that part of `out` wiped instead; BaseErrc::buffer_too_small and
  /// Errc::buffers_overlap, nothing written.
  [[nodiscard]] Result<Bytes> open(ConstBytes sealed, Bytes out) const noexcept;

  /// The name of its kernel.
  [[nodiscard]] std::string_view kernel() const noexcept;

 private:
  friend struct detail::CipherAccess;
  detail::SessionPtr session_;
};

/// The older format, without a MAC: the same layout with 16 random bytes as IV. A changed packet is seen only
/// where its padding breaks; only very old servers speak it. Everything else is as for `PacketCipher`.
/// Source: SteamKit NetFilterEncryption.
class LegacyPacketCipher {
 public:
  explicit LegacyPacketCipher(std::span<const std::uint8_t, session_key_size> key);
  LegacyPacketCipher(std::span<const std::uint8_t, session_key_size> key, std::string_view kernel);

  [[nodiscard]] static constexpr std::size_t sealed_size(std::size_t plain) noexcept {
    return crypto::sealed_size(plain);
  }

  /// As PacketCipher::seal. An IV must be random and fresh.
  [[nodiscard]] Result<Bytes> seal(ConstBytes plain, std::span<const std::uint8_t, packet_iv_size> iv,
                                   Bytes out) const noexcept;
  [[nodiscard]] Result<Bytes> seal(ConstBytes plain, Bytes out) const noexcept;

  /// As PacketCipher::open: Errc::unauthenticated for a bad length or padding.
  [[nodiscard]] Result<Bytes> open(Bytes sealed) const noexcept;
  [[nodiscard]] Result<Bytes> open(ConstBytes sealed, Bytes out) const noexcept;

  [[nodiscard]] std::string_view kernel() const noexcept;

 private:
  detail::SessionPtr session_;
};

/// One packet of `seal_batch`: the four arguments of PacketCipher::seal, then its result.
struct SealItem {
  const PacketCipher* cipher = nullptr;
  ConstBytes plain;
  Nonce nonce{};
  Bytes out;

  Bytes sealed{};           ///< The packet, empty where `error` is set.
  std::error_code error{};  ///< As PacketCipher::seal.
};

/// One packet of `open_batch`, opened in place, then its result.
struct OpenItem {
  const PacketCipher* cipher = nullptr;
  Bytes sealed;

  Bytes plain{};            ///< The plaintext, empty where `error` is set.
  std::error_code error{};  ///< As PacketCipher::open; a refused packet does not touch its neighbours.
};

/// Seals many packets, of one session or of many, of any mix of sizes, in a fraction of the time of one by
/// one; the bytes are the same. Buffers of different items must not overlap. No allocation and no lock; as
/// PacketCipher for threads. The work is done when the call returns.
void seal_batch(std::span<SealItem> items) noexcept;
/// The same with nonces drawn from `rng` (production: `system_rng()`) and left in the items. Where it fails,
/// every item has BaseErrc::random_unavailable and nothing is written.
void seal_batch(std::span<SealItem> items, Rng& rng) noexcept;
/// Opens many packets in place.
void open_batch(std::span<OpenItem> items) noexcept;

}  // namespace corliss::crypto
