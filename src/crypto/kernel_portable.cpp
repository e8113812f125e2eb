// The kernel that runs everywhere: all arithmetic is libcrypto's, which picks the CPU's instructions itself.
//
// The cipher goes through EVP contexts, one a direction, kept in the session and never re-initialised: CBC
// leaves the last ciphertext block as chaining value, and x ^ chaining as input gives what a fresh IV x would
// give.
//
// The MAC uses SHA1_Update and SHA1_Transform on whole blocks. They are deprecated in OpenSSL 3, and there is
// no other way: EVP_MD_CTX_copy allocates (two pad states for each packet), and EVP shows no state, but
// `open` must pick the state of one of two possible final blocks by mask.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "crypto/constant_time.h"
#include "crypto/kernels.h"

#include <corliss/base/endian.h>
#include <corliss/base/secret.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include <openssl/evp.h>
#include <openssl/sha.h>

namespace corliss::crypto::detail {
namespace {

constexpr std::size_t block = 16;
constexpr std::size_t sha_block = 64;
using Sha1State = std::array<std::uint32_t, 5>;
using Block = std::array<std::uint8_t, block>;

struct ContextFree {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using ContextPtr = std::unique_ptr<EVP_CIPHER_CTX, ContextFree>;

const EVP_CIPHER* aes_256_cbc() noexcept {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr);
  return cipher;
}

/// AES-256-CBC in one direction, with the chaining value that it stands at.
class CbcContext {
 public:
  [[nodiscard]] bool key(const std::uint8_t* key, int encrypt) noexcept {
    // A context that has its cipher is keyed again without naming it, or EVP would allocate.
    const EVP_CIPHER* cipher = nullptr;
    if (context_ == nullptr) {
      context_.reset(EVP_CIPHER_CTX_new());
      cipher = aes_256_cbc();
    }
    chain_.fill(0);
    usable_ = context_ != nullptr &&
              EVP_CipherInit_ex2(context_.get(), cipher, key, chain_.data(), encrypt, nullptr) == 1;
    if (!usable_) {
      context_.reset();
    }
    return usable_;
  }

  /// Encrypts or decrypts whole blocks. `last_ciphertext` is the last 16 bytes of input or output.
  [[nodiscard]] bool run(const std::uint8_t* in, std::size_t size, std::uint8_t* out) noexcept {
    usable_ = usable_ && EVP_Cipher(context_.get(), out, in, static_cast<unsigned>(size)) ==
                             static_cast<int>(size);  // at most max_packet_size
    return usable_;
  }
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  [[nodiscard]] const Block& chain() const noexcept { return chain_; }
  void set_chain(const std::uint8_t* last_ciphertext) noexcept {
    std::memcpy(chain_.data(), last_ciphertext, block);
  }

 private:
  ContextPtr context_;
  Block chain_{};
  bool usable_ = false;
};

struct PortableSession final : Session {
  Secret<session_key_size> key;
  Sha1State inner{};
  Sha1State outer{};
  mutable std::atomic<bool> encrypt_taken{false};
  mutable std::atomic<bool> decrypt_taken{false};
  mutable CbcContext encrypt;
  mutable CbcContext decrypt;

  explicit PortableSession(std::span<const std::uint8_t, session_key_size> from)
      : Session{&portable_kernel}, key(from) {}
  ~PortableSession() {
    wipe({reinterpret_cast<std::uint8_t*>(inner.data()), sizeof inner});
    wipe({reinterpret_cast<std::uint8_t*>(outer.data()), sizeof outer});
  }
  PortableSession(const PortableSession&) = delete;
  PortableSession& operator=(const PortableSession&) = delete;
};

const PortableSession& portable(const Session& session) noexcept {
  return static_cast<const PortableSession&>(session);
}

/// The session's context, or this thread's own where another thread is in it.
class Lease {
 public:
  Lease(const PortableSession& session, bool encrypting) noexcept
      : taken_(encrypting ? &session.encrypt_taken : &session.decrypt_taken) {
    if (!taken_->exchange(true, std::memory_order_acquire)) {
      context_ = encrypting ? &session.encrypt : &session.decrypt;
      if (context_->usable()) {
        return;
      }
    } else {
      taken_ = nullptr;
      static thread_local CbcContext own[2];
      context_ = &own[encrypting ? 1 : 0];
    }
    (void)context_->key(session.key.reveal().data(), encrypting ? 1 : 0);
  }
  ~Lease() {
    if (taken_ != nullptr) {
      taken_->store(false, std::memory_order_release);
    } else {
      static constexpr std::array<std::uint8_t, session_key_size> no_key{};
      (void)context_->key(no_key.data(), 1);  // the session's key must not outlive it here
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  CbcContext* operator->() const noexcept { return context_; }

 private:
  std::atomic<bool>* taken_;
  CbcContext* context_;
};

void xor_block(std::uint8_t* to, const std::uint8_t* a, const std::uint8_t* b) noexcept {
  for (std::size_t i = 0; i < block; ++i) {
    to[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
  }
}

// ---- SHA-1

class Sha1 {
 public:
  explicit Sha1(const Sha1State& state) noexcept : context_{} { set(state); }
  ~Sha1() { wipe({reinterpret_cast<std::uint8_t*>(&context_), sizeof context_}); }
  Sha1(const Sha1&) = delete;
  Sha1& operator=(const Sha1&) = delete;

  void blocks(const std::uint8_t* from, std::size_t count) noexcept {
    if (count == 1) {
      SHA1_Transform(&context_, from);
    } else if (count > 1) {
      SHA1_Update(&context_, from, count * sha_block);
    }
  }
  void set(const Sha1State& state) noexcept {
    context_.h0 = state[0];
    context_.h1 = state[1];
    context_.h2 = state[2];
    context_.h3 = state[3];
    context_.h4 = state[4];
  }
  [[nodiscard]] Sha1State get() const noexcept {
    return {context_.h0, context_.h1, context_.h2, context_.h3, context_.h4};
  }

 private:
  SHA_CTX context_;  // with no bytes pending, SHA1_Update hands whole blocks straight on
};

constexpr Sha1State sha1_start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

/// Bytes that wipe themselves.
template <std::size_t N>
struct Scratch {
  alignas(16) std::array<std::uint8_t, N> bytes{};
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { wipe(bytes); }
  std::uint8_t* data() noexcept { return bytes.data(); }
  std::uint8_t& operator[](std::size_t i) noexcept { return bytes[i]; }
};

/// Ends an HMAC: the outer hash over the digest of the inner one.
void finish_mac(const PortableSession& session, Sha1& sha, const Sha1State& inner,
                std::uint8_t* mac) noexcept {
  Scratch<sha_block> last;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    store_be(last.data() + 4 * i, inner[i]);
  }
  last[20] = 0x80;
  store_be(last.data() + 60, std::uint32_t{(64 + 20) * 8});
  sha.set(session.outer);
  sha.blocks(last.data(), 1);
  const auto state = sha.get();
  for (std::size_t i = 0; i < state.size(); ++i) {
    store_be(mac + 4 * i, state[i]);
  }
}

/// Hashes the blocks of nonce | plain that lie wholly in its first `whole` blocks, and copies the bytes from
/// there to message index `end` to `tail`.
void hash_front(Sha1& sha, const std::uint8_t* nonce, const std::uint8_t* plain, std::size_t whole,
                std::size_t end, std::uint8_t* tail) noexcept {
  if (whole == 0) {
    std::memcpy(tail, nonce, 3);
    if (end > 3) {
      std::memcpy(tail + 3, plain, end - 3);
    }
    return;
  }
  Scratch<sha_block> first;
  std::memcpy(first.data(), nonce, 3);
  std::memcpy(first.data() + 3, plain, sha_block - 3);
  sha.blocks(first.data(), 1);
  sha.blocks(plain + sha_block - 3, whole - 1);
  const std::size_t from = whole * sha_block;
  if (end > from) {
    std::memcpy(tail, plain + from - 3, end - from);
  }
}

void mac(const Session& base, const std::uint8_t* nonce, const std::uint8_t* plain, std::size_t size,
         std::uint8_t* out) noexcept {
  const auto& session = portable(base);
  Sha1 sha(session.inner);
  Scratch<2 * sha_block> tail;
  const std::size_t end = 3 + size;
  const std::size_t whole = end / sha_block;
  const std::size_t rest = end % sha_block;
  hash_front(sha, nonce, plain, whole, end, tail.data());
  tail[rest] = 0x80;
  const std::size_t tail_blocks = rest + 9 > sha_block ? 2 : 1;
  store_be(tail.data() + tail_blocks * sha_block - 8, std::uint64_t{(sha_block + end) * 8});
  sha.blocks(tail.data(), tail_blocks);
  finish_mac(session, sha, sha.get(), out);
}

/// The MAC of nonce | padded[0, length - pad), `length` public, `pad` (1 to 16) secret: the same instructions
/// and addresses for every pad.
void mac_of_padded(const PortableSession& session, const std::uint8_t* nonce, const std::uint8_t* padded,
                   std::size_t length, std::uint32_t pad, std::uint8_t* out) noexcept {
  Sha1 sha(session.inner);
  Scratch<2 * sha_block> tail;
  const std::size_t whole = (length / block - 1) / 4;  // no byte of these can be padding
  const std::size_t tail_blocks = length % sha_block == 0 ? 2 : 1;
  const std::size_t base = whole * sha_block;
  hash_front(sha, nonce, padded, whole, 3 + length - 1, tail.data());
  const auto end = static_cast<std::uint32_t>(3 + length - base) - pad;  // of the message, within the tail
  const std::size_t doubtful = length - block - base;  // first index that may be behind the end
  for (std::size_t i = doubtful; i < doubtful + 2 * block; ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    tail[i] = static_cast<std::uint8_t>((tail[i] & ct_less(at, end)) | (0x80U & ct_equal(at, end)));
  }
  Block bits{};
  store_be(bits.data() + 12, static_cast<std::uint32_t>(sha_block + base + end) * 8);
  const auto ends_first = ct_less(end, sha_block - 8);
  if (tail_blocks == 2) {
    for (std::size_t i = 12; i < 16; ++i) {
      tail[sha_block - 16 + i] |= static_cast<std::uint8_t>(bits[i] & ends_first);
    }
  }
  for (std::size_t i = 12; i < 16; ++i) {
    tail[tail_blocks * sha_block - 16 + i] = bits[i];
  }
  sha.blocks(tail.data(), 1);
  auto state = sha.get();
  if (tail_blocks == 2) {
    sha.blocks(tail.data() + sha_block, 1);
    const auto second = sha.get();
    for (std::size_t i = 0; i < state.size(); ++i) {
      state[i] = ct_select(ends_first, state[i], second[i]);
    }
  }
  finish_mac(session, sha, state, out);
  wipe({reinterpret_cast<std::uint8_t*>(state.data()), sizeof state});
}

// ---- packets

bool encrypt_packet(const PortableSession& session, const std::uint8_t* plain, std::size_t size,
                    const std::uint8_t* iv, std::uint8_t* out) noexcept {
  std::uint8_t* const body = out + block;
  const std::size_t whole = size / block * block;
  if (plain != body && size != 0) {
    std::memcpy(body, plain, size);
  }
  std::memset(body + size, static_cast<int>(whole + block - size), whole + block - size);

  const Lease cbc(session, true);
  xor_block(out, iv, cbc->chain().data());
  if (!cbc->run(out, block, out)) {
    return false;
  }
  xor_block(body, body, out);
  xor_block(body, body, iv);
  if (!cbc->run(body, whole + block, body)) {
    return false;
  }
  cbc->set_chain(body + whole);
  return true;
}

bool decrypt_packet(const PortableSession& session, const std::uint8_t* sealed, std::size_t size,
                    std::uint8_t* iv, std::uint8_t* out) noexcept {
  Block first;
  Block last;
  std::memcpy(first.data(), sealed, block);
  std::memcpy(last.data(), sealed + size - block, block);
  const Lease cbc(session, false);
  if (!cbc->run(sealed, block, iv) || !cbc->run(sealed + block, size - block, out)) {
    return false;
  }
  xor_block(iv, iv, cbc->chain().data());
  xor_block(out, out, first.data());
  xor_block(out, out, iv);
  cbc->set_chain(last.data());
  return true;
}

bool seal(const Session& base, const std::uint8_t* plain, std::size_t size, const std::uint8_t* nonce,
          std::uint8_t* out) noexcept {
  const auto& session = portable(base);
  Scratch<20> iv;
  mac(base, nonce, plain, size, iv.data());
  std::memcpy(iv.data() + 13, nonce, 3);
  return encrypt_packet(session, plain, size, iv.data(), out);
}

std::ptrdiff_t open(const Session& base, const std::uint8_t* sealed, std::size_t size,
                    std::uint8_t* out) noexcept {
  const auto& session = portable(base);
  Scratch<block> iv;
  if (!decrypt_packet(session, sealed, size, iv.data(), out)) {
    return open_failed;
  }
  const std::size_t length = size - block;
  const auto padding = check_padding(out + length - block);
  Scratch<20> expected;
  mac_of_padded(session, iv.data() + 13, out, length, padding.size, expected.data());
  std::uint32_t wrong = ~padding.good;
  for (std::size_t i = 0; i < 13; ++i) {
    wrong |= static_cast<std::uint32_t>(iv[i] ^ expected[i]);
  }
  if (ct_tell(ct_barrier(wrong)) != 0) {
    return open_refused;
  }
  return static_cast<std::ptrdiff_t>(length - ct_tell(padding.size));
}

bool seal_legacy(const Session& base, const std::uint8_t* plain, std::size_t size, const std::uint8_t* iv,
                 std::uint8_t* out) noexcept {
  return encrypt_packet(portable(base), plain, size, iv, out);
}

std::ptrdiff_t open_legacy(const Session& base, const std::uint8_t* sealed, std::size_t size,
                           std::uint8_t* out) noexcept {
  Scratch<block> iv;
  if (!decrypt_packet(portable(base), sealed, size, iv.data(), out)) {
    return open_failed;
  }
  const auto padding = check_padding(out + size - 2 * block);
  if (ct_tell(padding.good) == 0) {
    return open_refused;
  }
  return static_cast<std::ptrdiff_t>(size - block - ct_tell(padding.size));
}

const Session* make(std::span<const std::uint8_t, session_key_size> key) {
  auto session = std::make_unique<PortableSession>(key);
  Scratch<sha_block> pad;
  Sha1 sha(sha1_start);
  for (const auto& [byte, state] : {std::pair{0x36, &session->inner}, std::pair{0x5c, &session->outer}}) {
    std::memset(pad.data(), byte, sha_block);
    xor_block(pad.data(), pad.data(), key.data());
    sha.set(sha1_start);
    sha.blocks(pad.data(), 1);
    *state = sha.get();
  }
  if (!session->encrypt.key(key.data(), 1) || !session->decrypt.key(key.data(), 0)) {
    throw std::system_error(Errc::library);
  }
  wipe_stack();
  return session.release();
}

void destroy(const Session* session) noexcept {
  delete static_cast<const PortableSession*>(session);
}

}  // namespace

void occupy_portable(const Session& session, bool occupied) noexcept {
  portable(session).encrypt_taken = occupied;
  portable(session).decrypt_taken = occupied;
}

const PacketKernel portable_kernel{make,        destroy, seal,    open,   seal_legacy,
                                   open_legacy, mac,     nullptr, nullptr};

}  // namespace corliss::crypto::detail
