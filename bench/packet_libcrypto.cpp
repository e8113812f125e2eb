// `fresh`, `kept` and `kept-pool`: the packet channel as a careful program writes it on libcrypto.
#include "bench/packet_subject_base.h"

#include <corliss/base/bytes.h>
#include <corliss/crypto/random_pool.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

namespace corliss::bench {
namespace {

template <auto free_function>
struct Free {
  template <class T>
  void operator()(T* object) const noexcept {
    free_function(object);
  }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, Free<EVP_CIPHER_CTX_free>>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, Free<EVP_MAC_CTX_free>>;

void require(bool good) {
  if (!good) {
    throw std::runtime_error("libcrypto failed in a reference implementation");
  }
}

/// Fetched once for the program: fetching costs more than a packet, and no reference should pay for it.
struct Algorithms {
  std::unique_ptr<EVP_MAC, Free<EVP_MAC_free>> hmac{EVP_MAC_fetch(nullptr, "HMAC", nullptr)};
  std::unique_ptr<EVP_CIPHER, Free<EVP_CIPHER_free>> ecb{EVP_CIPHER_fetch(nullptr, "AES-256-ECB", nullptr)};
  std::unique_ptr<EVP_CIPHER, Free<EVP_CIPHER_free>> cbc{EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr)};
};

const Algorithms& algorithms() {
  static const Algorithms fetched;
  require(fetched.hmac && fetched.ecb && fetched.cbc);
  return fetched;
}

MacContext keyed_mac(const SessionKey& key) {
  MacContext context(EVP_MAC_CTX_new(algorithms().hmac.get()));
  char digest[] = "SHA1";
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                               OSSL_PARAM_END};
  require(context && EVP_MAC_init(context.get(), key.data(), 16, params) == 1);
  return context;
}

CipherContext keyed_cipher(const EVP_CIPHER* cipher, const SessionKey& key, const std::uint8_t* iv,
                           bool encrypt, bool padding) {
  CipherContext context(EVP_CIPHER_CTX_new());
  require(context &&
          EVP_CipherInit_ex2(context.get(), cipher, key.data(), iv, encrypt ? 1 : 0, nullptr) == 1 &&
          EVP_CIPHER_CTX_set_padding(context.get(), padding ? 1 : 0) == 1);
  return context;
}

void run_mac(EVP_MAC_CTX* context, const std::uint8_t* nonce, const std::uint8_t* plain, std::size_t size,
             std::uint8_t* out) {
  std::size_t written = 0;
  require(EVP_MAC_update(context, nonce, 3) == 1 && EVP_MAC_update(context, plain, size) == 1 &&
          EVP_MAC_final(context, out, &written, 20) == 1);
}

/// Encrypts where the plaintext lies and adds the padding.
void run_encrypt(EVP_CIPHER_CTX* context, std::uint8_t* data, std::size_t size) {
  int written = 0;
  int last = 0;
  require(EVP_EncryptUpdate(context, data, &written, data, static_cast<int>(size)) == 1 &&
          EVP_EncryptFinal_ex(context, data + written, &last) == 1);
}

/// Decrypts in place; the plaintext size, or -1 for bad padding.
std::ptrdiff_t run_decrypt(EVP_CIPHER_CTX* context, std::uint8_t* data, std::size_t size) {
  int written = 0;
  int last = 0;
  require(EVP_DecryptUpdate(context, data, &written, data, static_cast<int>(size)) == 1);
  return EVP_DecryptFinal_ex(context, data + written, &last) == 1 ? written + last : -1;
}

void run_block(EVP_CIPHER_CTX* context, const std::uint8_t* in, std::uint8_t* out) {
  int written = 0;
  require(EVP_CipherUpdate(context, out, &written, in, 16) == 1);
}

/// Nothing but the key is kept.
class FreshSession {
 public:
  explicit FreshSession(const SessionKey& key) : key_(key) {}
  void draw(std::uint8_t* nonce) { require(RAND_bytes(nonce, 3) == 1); }
  void mac(const std::uint8_t* nonce, const std::uint8_t* plain, std::size_t size, std::uint8_t* out) {
    run_mac(keyed_mac(key_).get(), nonce, plain, size, out);
  }
  void encrypt(const std::uint8_t* iv, std::uint8_t* packet, std::size_t plain_size) {
    run_block(keyed_cipher(algorithms().ecb.get(), key_, nullptr, true, false).get(), iv, packet);
    run_encrypt(keyed_cipher(algorithms().cbc.get(), key_, iv, true, true).get(), packet + 16, plain_size);
  }
  std::ptrdiff_t decrypt(std::uint8_t* iv, std::uint8_t* packet, std::size_t size) {
    run_block(keyed_cipher(algorithms().ecb.get(), key_, nullptr, false, false).get(), packet, iv);
    return run_decrypt(keyed_cipher(algorithms().cbc.get(), key_, iv, false, true).get(), packet + 16,
                       size - 16);
  }

 private:
  SessionKey key_;
};

/// Every context is kept; each use sets only what changes.
class KeptSession {
 public:
  explicit KeptSession(const SessionKey& key)
      : mac_(keyed_mac(key)),
        ecb_encrypt_(keyed_cipher(algorithms().ecb.get(), key, nullptr, true, false)),
        ecb_decrypt_(keyed_cipher(algorithms().ecb.get(), key, nullptr, false, false)),
        cbc_encrypt_(keyed_cipher(algorithms().cbc.get(), key, nullptr, true, true)),
        cbc_decrypt_(keyed_cipher(algorithms().cbc.get(), key, nullptr, false, true)) {}
  void draw(std::uint8_t* nonce) { require(RAND_bytes(nonce, 3) == 1); }
  void mac(const std::uint8_t* nonce, const std::uint8_t* plain, std::size_t size, std::uint8_t* out) {
    require(EVP_MAC_init(mac_.get(), nullptr, 0, nullptr) == 1);
    run_mac(mac_.get(), nonce, plain, size, out);
  }
  void encrypt(const std::uint8_t* iv, std::uint8_t* packet, std::size_t plain_size) {
    run_block(ecb_encrypt_.get(), iv, packet);
    require(EVP_EncryptInit_ex2(cbc_encrypt_.get(), nullptr, nullptr, iv, nullptr) == 1);
    run_encrypt(cbc_encrypt_.get(), packet + 16, plain_size);
  }
  std::ptrdiff_t decrypt(std::uint8_t* iv, std::uint8_t* packet, std::size_t size) {
    run_block(ecb_decrypt_.get(), packet, iv);
    require(EVP_DecryptInit_ex2(cbc_decrypt_.get(), nullptr, nullptr, iv, nullptr) == 1);
    return run_decrypt(cbc_decrypt_.get(), packet + 16, size - 16);
  }

 private:
  MacContext mac_;
  CipherContext ecb_encrypt_;
  CipherContext ecb_decrypt_;
  CipherContext cbc_encrypt_;
  CipherContext cbc_decrypt_;
};

class KeptPoolSession : public KeptSession {
 public:
  using KeptSession::KeptSession;
  void draw(std::uint8_t* nonce) { require(crypto::system_rng().fill({nonce, 3}).has_value()); }
};

template <class Session>
class LibcryptoSubject final : public PacketSubject {
 public:
  LibcryptoSubject(std::string name, Op op, Part part, const Workload& workload)
      : PacketSubject(std::move(name), op, part, workload) {
    for (std::size_t i = 0; i < workload.sessions; ++i) {
      sessions_.emplace_back(session_key(i));
    }
  }

 private:
  void run(std::size_t first, std::size_t count) override {
    for (std::size_t i = first; i < first + count; ++i) {
      auto& slot = arena().slots()[i];
      Session& session = sessions_[slot.session];
      if (op() == Op::mac || part() != Part::whole) {
        run_part(session, slot, i);
      } else if (op() == Op::seal) {
        seal(session, slot);
      } else {
        open(session, slot);
      }
    }
  }

  void seal(Session& session, const Arena::Slot& slot) {
    std::uint8_t iv[20];
    std::uint8_t nonce[3];
    session.draw(nonce);
    session.mac(nonce, arena().plain(slot), slot.plain_size, iv);
    std::memcpy(iv + 13, nonce, sizeof nonce);
    session.encrypt(iv, arena().packet(slot), slot.plain_size);
  }

  void open(Session& session, Arena::Slot& slot) {
    std::uint8_t iv[16];
    std::uint8_t mac[20];
    const auto size = session.decrypt(iv, arena().packet(slot), slot.packet_size);
    slot.accepted = false;
    if (size >= 0) {
      session.mac(iv + 13, arena().plain(slot), static_cast<std::size_t>(size), mac);
      slot.accepted = CRYPTO_memcmp(mac, iv, 13) == 0;
    }
  }

  void run_part(Session& session, const Arena::Slot& slot, std::size_t i) {
    std::uint8_t block[16] = {};
    if (op() == Op::mac || part() == Part::mac) {
      session.mac(given_nonce(), arena().plain(slot), slot.plain_size, mac_of(i));
    } else if (part() == Part::random) {
      session.draw(block);
    } else if (op() == Op::seal) {
      session.encrypt(block, arena().packet(slot), slot.plain_size);
    } else {
      session.decrypt(block, arena().packet(slot), slot.packet_size);
    }
  }

  std::vector<Session> sessions_;
};

/// Keys session after session; each ends at once. What comes of a key is checked by the other operations.
class KeptKeying final : public Subject {
 public:
  [[nodiscard]] std::string name() const override { return "kept key"; }
  [[nodiscard]] std::size_t units() const override { return 16; }
  void pass() override {
    for (std::size_t i = 0; i < units(); ++i) {
      const KeptSession session(key_);
    }
  }
  [[nodiscard]] std::string check() override { return {}; }

 private:
  SessionKey key_ = session_key(0);
};

}  // namespace

std::unique_ptr<Subject> make_fresh(Op op, const Workload& workload, Part part) {
  return std::make_unique<LibcryptoSubject<FreshSession>>("fresh", op, part, workload);
}

std::unique_ptr<Subject> make_kept(Op op, const Workload& workload, Part part) {
  if (op == Op::key) {
    return std::make_unique<KeptKeying>();
  }
  return std::make_unique<LibcryptoSubject<KeptSession>>("kept", op, part, workload);
}

std::unique_ptr<Subject> make_kept_pool(Op op, const Workload& workload) {
  return std::make_unique<LibcryptoSubject<KeptPoolSession>>("kept-pool", op, Part::whole, workload);
}

}  // namespace corliss::bench
