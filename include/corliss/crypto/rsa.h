#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/crypto/errc.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

namespace corliss::crypto {

/// Sizes of modulus that are accepted: Steam's universe keys have 1024 bits, its password keys 2048.
inline constexpr std::size_t min_rsa_bits = 1024;
inline constexpr std::size_t max_rsa_bits = 4096;
/// The longest public exponent accepted; a longer one only costs the encrypting side time.
inline constexpr std::size_t max_rsa_exponent_bits = 64;
/// The longest key file (DER or PEM) that is looked at.
inline constexpr std::size_t max_rsa_file_size = std::size_t{16} * 1024;
/// The exponent of Steam's universe keys.
inline constexpr std::uint32_t steam_rsa_exponent = 17;

/// What OAEP with SHA-1 adds to a plaintext: a key of 128 bytes carries at most 86.
inline constexpr std::size_t oaep_overhead = 42;
/// What PKCS#1 v1.5 adds at least: a key of 256 bytes carries at most 245.
inline constexpr std::size_t pkcs1_overhead = 11;

namespace detail {
struct FreeKey {
  void operator()(evp_pkey_st* key) const noexcept;
};
using KeyHandle = std::unique_ptr<evp_pkey_st, FreeKey>;
}  // namespace detail

/// An RSA public key, on libcrypto. Immutable: any number of threads may encrypt at once. Each operation
/// allocates.
///
///     CORLISS_TRY(const auto key, universe_key(1));
///     std::array<std::uint8_t, 128> blob;
///     CORLISS_TRY(const Bytes sent, key.encrypt_oaep(session_key_and_challenge, blob));
class RsaPublicKey {
 public:
  /// From a SubjectPublicKeyInfo, DER, nothing behind it. Errors: Errc::bad_key, also for sizes beyond the
  /// limits above.
  [[nodiscard]] static Result<RsaPublicKey> from_der(ConstBytes spki);
  /// From text with a "-----BEGIN PUBLIC KEY-----" block; text around the block is skipped. Errors:
  /// Errc::bad_key.
  [[nodiscard]] static Result<RsaPublicKey> from_pem(std::string_view text);
  /// From modulus and exponent, big-endian, leading zeros allowed. Errors: Errc::bad_key.
  [[nodiscard]] static Result<RsaPublicKey> from_numbers(ConstBytes modulus, ConstBytes exponent);
  /// The same from hexadecimal of either case and any number of digits, as `publickey_mod` and
  /// `publickey_exp` of CAuthentication_GetPasswordRSAPublicKey_Response hold them. Errors: Errc::bad_key.
  [[nodiscard]] static Result<RsaPublicKey> from_hex(std::string_view modulus, std::string_view exponent);

  /// Bytes of the modulus, which is also the size of every ciphertext.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Modulus and exponent, big-endian, without leading zeros.
  [[nodiscard]] std::vector<std::uint8_t> modulus() const;
  [[nodiscard]] std::vector<std::uint8_t> exponent() const;
  [[nodiscard]] std::vector<std::uint8_t> to_der() const;
  [[nodiscard]] std::string to_pem() const;

  /// RSAES-OAEP (RFC 8017) with SHA-1, MGF1 with SHA-1 and the empty label: the channel handshake. Writes
  /// size() bytes to the front of `out` and returns them. Errors: Errc::rsa_failed for more than size() −
  /// oaep_overhead bytes, BaseErrc::buffer_too_small, Errc::library; nothing of the plaintext is then in
  /// `out`.
  [[nodiscard]] Result<Bytes> encrypt_oaep(ConstBytes plain, Bytes out) const;
  /// RSAES-PKCS1-v1_5: passwords. As above with pkcs1_overhead.
  [[nodiscard]] Result<Bytes> encrypt_pkcs1(ConstBytes plain, Bytes out) const;

 private:
  friend class RsaPrivateKey;
  explicit RsaPublicKey(detail::KeyHandle key) noexcept : key_(std::move(key)) {}
  detail::KeyHandle key_;
};

/// An RSA private key, for a server of our own. Immutable; libcrypto wipes it when it ends.
class RsaPrivateKey {
 public:
  /// A new key from libcrypto's generator. Errors: Errc::bad_key for a size beyond the limits or an exponent
  /// that is even or below 3, Errc::library.
  [[nodiscard]] static Result<RsaPrivateKey> generate(std::size_t bits,
                                                      std::uint32_t exponent = steam_rsa_exponent);
  /// From PKCS#8 or PKCS#1, DER, nothing behind it. Its numbers are checked against each other.
  /// Errors: Errc::bad_key.
  [[nodiscard]] static Result<RsaPrivateKey> from_der(ConstBytes der);
  /// From text with a "PRIVATE KEY" or "RSA PRIVATE KEY" block. Encrypted ones are refused, never asked
  /// about. Errors: Errc::bad_key.
  [[nodiscard]] static Result<RsaPrivateKey> from_pem(std::string_view text);

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] Result<RsaPublicKey> public_key() const;
  /// PKCS#8 without encryption. The caller keeps it secret and wipes it.
  [[nodiscard]] std::vector<std::uint8_t> to_der() const;
  [[nodiscard]] std::string to_pem() const;

  /// Undoes RsaPublicKey::encrypt_oaep into `out`, which must hold size() bytes, and returns the plaintext in
  /// its front; the rest of `out` is wiped. Errors: Errc::rsa_failed for anything that does not decrypt, all
  /// alike, `out` wiped; BaseErrc::buffer_too_small.
  [[nodiscard]] Result<Bytes> decrypt_oaep(ConstBytes sealed, Bytes out) const;
  /// Undoes RsaPublicKey::encrypt_pkcs1, as above. PKCS#1 v1.5 has no integrity: never tell a peer whether it
  /// worked.
  [[nodiscard]] Result<Bytes> decrypt_pkcs1(ConstBytes sealed, Bytes out) const;

 private:
  explicit RsaPrivateKey(detail::KeyHandle key) noexcept : key_(std::move(key)) {}
  detail::KeyHandle key_;
};

}  // namespace corliss::crypto
