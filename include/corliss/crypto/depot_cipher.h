#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/crypto/errc.h>

#include <memory>

namespace corliss::crypto {

inline constexpr std::size_t depot_key_size = 32;
inline constexpr std::size_t depot_iv_size = 16;

/// The cipher of depot chunks, of encrypted manifest file names and of encrypted app tickets.
///
/// Wire: AES-256-ECB(key, iv), 16 bytes, then AES-256-CBC(key, iv, PKCS#7(plain)); no authentication, so
/// check what comes out (size, checksum, SHA-1). Source: SteamKit2 DepotChunk, CryptoHelper.SymmetricDecrypt.
/// Keyed once. It keeps libcrypto contexts and allocates only when it is made; one thread at a time.
///
///     DepotCipher cipher(key);
///     CORLISS_TRY(const Bytes container, cipher.open(body));
class DepotCipher {
 public:
  /// Throws std::system_error (Errc::library) where libcrypto lacks AES or memory.
  explicit DepotCipher(std::span<const std::uint8_t, depot_key_size> key);
  DepotCipher(DepotCipher&&) noexcept;
  DepotCipher& operator=(DepotCipher&&) noexcept;
  ~DepotCipher();

  /// Bytes that `seal` writes for `plain` bytes.
  static constexpr std::size_t sealed_size(std::size_t plain) noexcept {
    return depot_iv_size + (plain / 16 + 1) * 16;
  }

  /// Decrypts in place and returns the plain part, which begins at sealed[16].
  /// Errors: Errc::bad_padding for less than 32 bytes, no multiple of 16, or wrong padding, which is also how
  /// most wrong keys show; Errc::library. `sealed` is then undefined.
  [[nodiscard]] Result<Bytes> open(Bytes sealed) noexcept;

  /// Encrypts into the front of `out` and returns that part. `plain` may lie at out[16], or apart from `out`.
  /// Never use an iv twice with a key.
  /// Errors: BaseErrc::buffer_too_small, nothing written; Errc::library.
  [[nodiscard]] Result<Bytes> seal(ConstBytes plain, std::span<const std::uint8_t, depot_iv_size> iv,
                                   Bytes out) noexcept;

  /// AES-256-ECB without padding, from `in` into `out` of the same size, a multiple of 16. For those who open
  /// many short texts at once, such as the names of a manifest, and chain the blocks themselves: one call
  /// instead of two a text. `out` may be `in`, or apart from it. Errors: BaseErrc::buffer_too_small,
  /// Errc::library.
  [[nodiscard]] Result<void> decrypt_blocks(ConstBytes in, Bytes out) noexcept;

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace corliss::crypto
