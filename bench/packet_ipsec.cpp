// The speed rival: intel-ipsec-mb, opened at run time where it is installed, never linked.
#include "bench/packet_subject_base.h"

#include <stdexcept>

#if CORLISS_HAVE_IPSEC_MB

#include <array>
#include <cstring>

#include <dlfcn.h>
#include <intel-ipsec-mb.h>
#include <openssl/crypto.h>

namespace corliss::bench {
namespace {

constexpr int sse = 0;
constexpr int avx2 = 1;
constexpr int avx512 = 2;
constexpr std::array<const char*, 3> manager_names{"sse", "avx2", "avx512"};

/// What is needed of the library; everything else hangs on the manager.
struct Library {
  IMB_MGR* (*alloc)(std::uint64_t) = nullptr;
  void (*free)(IMB_MGR*) = nullptr;
  std::array<void (*)(IMB_MGR*), 3> init{};

  Library() {
    void* handle = dlopen("libIPSec_MB.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      return;
    }
    const auto load = [handle](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      return function != nullptr;
    };
    usable = load(alloc, "alloc_mb_mgr") && load(free, "free_mb_mgr") && load(init[sse], "init_mb_mgr_sse") &&
             load(init[avx2], "init_mb_mgr_avx2") && load(init[avx512], "init_mb_mgr_avx512");
  }

  bool usable = false;
};

const Library& library() {
  static const Library opened;
  return opened;
}

struct FreeManager {
  void operator()(IMB_MGR* manager) const noexcept { library().free(manager); }
};
using Manager = std::unique_ptr<IMB_MGR, FreeManager>;

/// A manager that this CPU can run, or nothing.
Manager make_manager(int kind) {
  if (!library().usable) {
    return nullptr;
  }
  Manager manager(library().alloc(0));
  const std::uint64_t needs[] = {IMB_CPUFLAGS_SSE, IMB_CPUFLAGS_AVX2, IMB_CPUFLAGS_AVX512};
  const std::uint64_t needed = needs[kind];
  if (!manager || (manager->features & needed) != needed) {
    return nullptr;
  }
  library().init[static_cast<std::size_t>(kind)](manager.get());
  return manager->imb_errno == 0 ? std::move(manager) : nullptr;
}

/// Keys and pad states, ready.
struct alignas(16) Session {
  std::array<std::uint32_t, 60> encrypt_keys;
  std::array<std::uint32_t, 60> decrypt_keys;
  std::array<std::uint8_t, 32> inner;
  std::array<std::uint8_t, 32> outer;

  Session(IMB_MGR* manager, const SessionKey& key) {
    IMB_AES_KEYEXP_256(manager, key.data(), encrypt_keys.data(), decrypt_keys.data());
    std::array<std::uint8_t, 64> pad;
    for (const auto& [byte, out] : {std::pair{0x36, inner.data()}, std::pair{0x5C, outer.data()}}) {
      pad.fill(static_cast<std::uint8_t>(byte));
      for (std::size_t i = 0; i < 16; ++i) {
        pad[i] = static_cast<std::uint8_t>(pad[i] ^ key[i]);
      }
      IMB_SHA1_ONE_BLOCK(manager, pad.data(), out);
    }
  }
};

constexpr std::array<std::uint8_t, 16> zero_iv{};

class IpsecSubject final : public PacketSubject {
 public:
  IpsecSubject(Op op, const Workload& workload, const IpsecVariant& variant)
      : PacketSubject("ipsec-mb " + variant.name, op, Part::whole, workload),
        manager_(make_manager(variant.manager)),
        burst_(variant.burst) {
    if (!manager_) {
      throw std::runtime_error("ipsec-mb cannot run " + variant.name);
    }
    for (std::size_t i = 0; i < workload.sessions; ++i) {
      sessions_.emplace_back(manager_.get(), session_key(i));
    }
    macs_.resize(arena().size());
    opened_size_.resize(arena().size());
  }

 private:
  using Mac = std::array<std::uint8_t, 20>;

  void run(std::size_t first, std::size_t count) override {
    if (op() == Op::seal) {
      seal(first, count);
    } else {
      open(first, count);
    }
  }

  void seal(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      const auto& slot = arena().slots()[i];
      std::memcpy(arena().packet(slot) + 13, given_nonce(), 3);
    }
    hash(first, count);
    for (std::size_t i = first; i < first + count; ++i) {
      const auto& slot = arena().slots()[i];
      std::memcpy(arena().packet(slot), macs_[i].data(), 13);
      const std::size_t padding = 16 - slot.plain_size % 16;
      std::memset(arena().plain(slot) + slot.plain_size, static_cast<int>(padding), padding);
    }
    cipher(first, count, IMB_DIR_ENCRYPT, false);
    cipher(first, count, IMB_DIR_ENCRYPT, true);
  }

  void open(std::size_t first, std::size_t count) {
    cipher(first, count, IMB_DIR_DECRYPT, true);
    cipher(first, count, IMB_DIR_DECRYPT, false);
    for (std::size_t i = first; i < first + count; ++i) {
      auto& slot = arena().slots()[i];
      const std::uint8_t* end = arena().packet(slot) + slot.packet_size;
      const std::size_t padding = end[-1];
      slot.accepted = padding >= 1 && padding <= 16;
      for (std::size_t k = 1; slot.accepted && k <= padding; ++k) {
        slot.accepted = end[-static_cast<std::ptrdiff_t>(k)] == padding;
      }
      opened_size_[i] = slot.packet_size - 16 - (slot.accepted ? padding : 1);
    }
    hash(first, count);
    for (std::size_t i = first; i < first + count; ++i) {
      auto& slot = arena().slots()[i];
      slot.accepted = slot.accepted && CRYPTO_memcmp(macs_[i].data(), arena().packet(slot), 13) == 0;
    }
  }

  /// HMAC-SHA1 of the nonce, which lies at the end of the IV's place, and of the plaintext right behind it.
  void hash(std::size_t first, std::size_t count) {
    submit(
        first, count,
        [this](IMB_JOB& job, std::size_t i) {
          auto& slot = arena().slots()[i];
          const Session& session = sessions_[slot.session];
          job.cipher_mode = IMB_CIPHER_NULL;
          job.cipher_direction = IMB_DIR_ENCRYPT;
          job.chain_order = IMB_ORDER_HASH_CIPHER;
          job.hash_alg = IMB_AUTH_HMAC_SHA_1;
          job.src = arena().packet(slot);
          job.dst = arena().packet(slot);
          job.hash_start_src_offset_in_bytes = 13;
          job.msg_len_to_hash_in_bytes = 3 + (op() == Op::seal ? slot.plain_size : opened_size_[i]);
          job.auth_tag_output = macs_[i].data();
          job.auth_tag_output_len_in_bytes = 20;
          job.u.HMAC._hashed_auth_key_xor_ipad = session.inner.data();
          job.u.HMAC._hashed_auth_key_xor_opad = session.outer.data();
        },
        [this](std::size_t n) {
          return IMB_SUBMIT_HASH_BURST_NOCHECK(manager_.get(), jobs_.data(), static_cast<std::uint32_t>(n),
                                               IMB_AUTH_HMAC_SHA_1);
        });
  }

  /// AES-256-CBC of the data under the IV in front of it, or of that IV alone: ECB of a block is CBC under
  /// zeros.
  void cipher(std::size_t first, std::size_t count, IMB_CIPHER_DIRECTION direction, bool iv_block) {
    submit(
        first, count,
        [this, direction, iv_block](IMB_JOB& job, std::size_t i) {
          auto& slot = arena().slots()[i];
          const Session& session = sessions_[slot.session];
          job.cipher_mode = IMB_CIPHER_CBC;
          job.cipher_direction = direction;
          job.chain_order = direction == IMB_DIR_ENCRYPT ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
          job.hash_alg = IMB_AUTH_NULL;
          job.enc_keys = session.encrypt_keys.data();
          job.dec_keys = session.decrypt_keys.data();
          job.key_len_in_bytes = IMB_KEY_256_BYTES;
          job.src = iv_block ? arena().packet(slot) : arena().plain(slot);
          job.dst = iv_block ? arena().packet(slot) : arena().plain(slot);
          job.cipher_start_src_offset_in_bytes = 0;
          job.msg_len_to_cipher_in_bytes = iv_block ? 16 : slot.packet_size - 16;
          job.iv = iv_block ? zero_iv.data() : arena().packet(slot);
          job.iv_len_in_bytes = 16;
        },
        [this, direction](std::size_t n) {
          return IMB_SUBMIT_CIPHER_BURST_NOCHECK(manager_.get(), jobs_.data(), static_cast<std::uint32_t>(n),
                                                 IMB_CIPHER_CBC, direction, IMB_KEY_256_BYTES);
        });
  }

  template <class Fill, class Burst>
  void submit(std::size_t first, std::size_t count, Fill fill, Burst burst) {
    if (burst_) {
      for (std::size_t done = 0; done < count;) {
        const std::size_t n = std::min<std::size_t>(count - done, jobs_.size());
        for (std::size_t k = 0; k < n; ++k) {
          fill(jobs_[k], first + done + k);
        }
        burst(n);
        done += n;
      }
      return;
    }
    for (std::size_t i = first; i < first + count; ++i) {
      IMB_JOB* job = IMB_GET_NEXT_JOB(manager_.get());
      fill(*job, i);
      IMB_SUBMIT_JOB_NOCHECK(manager_.get());
    }
    while (IMB_FLUSH_JOB(manager_.get()) != nullptr) {
    }
  }

  Manager manager_;
  bool burst_;
  std::vector<Session> sessions_;
  std::vector<Mac> macs_;
  std::vector<std::size_t> opened_size_;
  std::array<IMB_JOB, IMB_MAX_BURST_SIZE> jobs_{};
};

}  // namespace

std::vector<IpsecVariant> ipsec_variants() {
  std::vector<IpsecVariant> variants;
  for (const int manager : {sse, avx2, avx512}) {
    if (make_manager(manager)) {
      const std::string name = manager_names[static_cast<std::size_t>(manager)];
      variants.push_back({name + "/job", manager, false});
      variants.push_back({name + "/burst", manager, true});
    }
  }
  return variants;
}

std::unique_ptr<Subject> make_ipsec(Op op, const Workload& workload, const IpsecVariant& variant) {
  return std::make_unique<IpsecSubject>(op, workload, variant);
}

}  // namespace corliss::bench

#else

namespace corliss::bench {

std::vector<IpsecVariant> ipsec_variants() {
  return {};
}

std::unique_ptr<Subject> make_ipsec(Op, const Workload&, const IpsecVariant&) {
  throw std::runtime_error("built without ipsec-mb");
}

}  // namespace corliss::bench

#endif
