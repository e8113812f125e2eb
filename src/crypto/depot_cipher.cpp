#include "crypto/openssl.h"

#include <corliss/base/secret.h>
#include <corliss/crypto/depot_cipher.h>

#include <array>
#include <cstring>

namespace corliss::crypto {
namespace {

using detail::require;
using Block = std::array<std::uint8_t, 16>;

detail::EvpCipherContext keyed_context(const EVP_CIPHER* cipher, const std::uint8_t* key, bool encrypt) {
  detail::EvpCipherContext context(require(EVP_CIPHER_CTX_new()));
  require(EVP_CipherInit_ex2(context.get(), cipher, key, nullptr, encrypt ? 1 : 0, nullptr) == 1);
  require(EVP_CIPHER_CTX_set_padding(context.get(), 0) == 1);
  return context;
}

/// Whole blocks through a keyed context, in pieces that libcrypto's int lengths can carry.
bool run(EVP_CIPHER_CTX* context, const std::uint8_t* in, std::uint8_t* out, std::size_t size) noexcept {
  constexpr std::size_t piece_size = std::size_t{1} << 30;
  while (size > 0) {
    const std::size_t piece = std::min(size, piece_size);
    int written = 0;
    if (EVP_CipherUpdate(context, out, &written, in, static_cast<int>(piece)) != 1) {
      return false;
    }
    in += piece;
    out += piece;
    size -= piece;
  }
  return true;
}

/// Keeps key and direction, sets a new IV.
bool set_iv(EVP_CIPHER_CTX* context, const Block& iv) noexcept {
  return EVP_CipherInit_ex2(context, nullptr, nullptr, iv.data(), -1, nullptr) == 1;
}

/// The length of valid PKCS#7 padding at the end of `padded`, or 0.
std::size_t padding_length(ConstBytes padded) noexcept {
  const std::size_t length = padded.back();
  if (length < 1 || length > 16) {
    return 0;
  }
  for (const std::uint8_t byte : padded.last(length)) {
    if (byte != length) {
      return 0;
    }
  }
  return length;
}

}  // namespace

struct DepotCipher::Contexts {
  detail::EvpCipherContext iv_encrypt;
  detail::EvpCipherContext iv_decrypt;
  detail::EvpCipherContext data_encrypt;
  detail::EvpCipherContext data_decrypt;
};

DepotCipher::DepotCipher(std::span<const std::uint8_t, depot_key_size> key)
    : contexts_(std::make_unique<Contexts>()) {
  const detail::EvpCipher ecb(require(EVP_CIPHER_fetch(nullptr, "AES-256-ECB", nullptr)));
  const detail::EvpCipher cbc(require(EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr)));
  contexts_->iv_encrypt = keyed_context(ecb.get(), key.data(), true);
  contexts_->iv_decrypt = keyed_context(ecb.get(), key.data(), false);
  contexts_->data_encrypt = keyed_context(cbc.get(), key.data(), true);
  contexts_->data_decrypt = keyed_context(cbc.get(), key.data(), false);
}

DepotCipher::DepotCipher(DepotCipher&&) noexcept = default;
DepotCipher& DepotCipher::operator=(DepotCipher&&) noexcept = default;
DepotCipher::~DepotCipher() = default;

Result<Bytes> DepotCipher::open(Bytes sealed) noexcept {
  if (sealed.size() < sealed_size(0) || sealed.size() % 16 != 0) {
    return fail(Errc::bad_padding);
  }
  Block iv;
  const Bytes padded = sealed.subspan(depot_iv_size);
  if (!run(contexts_->iv_decrypt.get(), sealed.data(), iv.data(), iv.size()) ||
      !set_iv(contexts_->data_decrypt.get(), iv) ||
      !run(contexts_->data_decrypt.get(), padded.data(), padded.data(), padded.size())) {
    return fail(Errc::library);
  }
  const std::size_t padding = padding_length(padded);
  if (padding == 0) {
    return fail(Errc::bad_padding);
  }
  return padded.first(padded.size() - padding);
}

Result<Bytes> DepotCipher::seal(ConstBytes plain, std::span<const std::uint8_t, depot_iv_size> iv,
                                Bytes out) noexcept {
  // Written so that no size can wrap around.
  if (out.size() < sealed_size(0) || plain.size() / 16 > (out.size() - sealed_size(0)) / 16) {
    return fail(BaseErrc::buffer_too_small);
  }
  const std::size_t whole = plain.size() / 16 * 16;
  Block iv_copy;
  std::copy(iv.begin(), iv.end(), iv_copy.begin());
  Block last;
  last.fill(static_cast<std::uint8_t>(16 - plain.size() % 16));
  std::copy(plain.begin() + static_cast<std::ptrdiff_t>(whole), plain.end(), last.begin());

  const Bytes data = out.subspan(depot_iv_size, whole + last.size());
  EVP_CIPHER_CTX* cbc = contexts_->data_encrypt.get();
  const bool done = set_iv(cbc, iv_copy) && run(cbc, plain.data(), data.data(), whole) &&
                    run(cbc, last.data(), data.data() + whole, last.size()) &&
                    run(contexts_->iv_encrypt.get(), iv_copy.data(), out.data(), depot_iv_size);
  wipe(last);
  if (!done) {
    return fail(Errc::library);
  }
  return out.first(depot_iv_size + data.size());
}

Result<void> DepotCipher::decrypt_blocks(ConstBytes in, Bytes out) noexcept {
  if (in.size() % 16 != 0 || out.size() != in.size()) {
    return fail(BaseErrc::buffer_too_small);
  }
  if (!run(contexts_->iv_decrypt.get(), in.data(), out.data(), in.size())) {
    return fail(Errc::library);
  }
  return {};
}

}  // namespace corliss::crypto
