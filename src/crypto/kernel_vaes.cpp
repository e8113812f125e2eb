// As `shani`, with VAES of 256 bits for the AES of batches: CPUs that have it without AVX-512 (Zen 3, Alder
// Lake). docs/packet-kernels.md.
#if defined(__x86_64__)

#include "crypto/shani_functions.h"
#include "crypto/wide_cbc_lanes.h"

#define CORLISS_VAES_TARGET "avx2,vaes,aes,sha,sse4.1"
#define CORLISS_VAES __attribute__((target(CORLISS_VAES_TARGET), always_inline)) inline
#define CORLISS_VAES_FUNCTION __attribute__((target(CORLISS_VAES_TARGET), noinline))

namespace corliss::crypto::detail {
namespace {

CORLISS_VAES __m256i pair(__m128i low, __m128i high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
CORLISS_VAES __m256i load_pair(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
CORLISS_VAES void store_pair(void* to, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}

using Chains = WideChains<2, 8>;

/// `blocks` blocks of 2 N chains. `wide` is a copy that nobody else sees: what is written cannot be its
/// pointers.
template <std::size_t N>
CORLISS_VAES_FUNCTION void cbc_wide(const Chains& from, std::size_t blocks) noexcept {
  const Chains wide = from;
  __m256i x[N];
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    x[n] = load_pair(wide.chains[n]);
  }
  for (std::size_t offset = 0; offset < blocks * aes_block; offset += aes_block) {
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      const auto plain = pair(load(wide.data[2 * n] + offset), load(wide.data[2 * n + 1] + offset));
      x[n] = _mm256_xor_si256(x[n], _mm256_xor_si256(plain, load_pair(wide.keys[n]->keys[0])));
    }
    CORLISS_UNROLL
    for (std::size_t round = 1; round < aes_rounds; ++round) {
      CORLISS_UNROLL
      for (std::size_t n = 0; n < N; ++n) {
        x[n] = _mm256_aesenc_epi128(x[n], load_pair(wide.keys[n]->keys[round]));
      }
    }
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      x[n] = _mm256_aesenclast_epi128(x[n], load_pair(wide.keys[n]->keys[aes_rounds]));
      store(wide.data[2 * n] + offset, _mm256_castsi256_si128(x[n]));
      store(wide.data[2 * n + 1] + offset, _mm256_extracti128_si256(x[n], 1));
    }
  }
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    store_pair(wide.chains[n], x[n]);
  }
}

struct VaesCbc {
  static void run(const Chains& wide, std::size_t registers, std::size_t blocks) noexcept {
    using Run = void (*)(const Chains&, std::size_t) noexcept;
    static constexpr Run runs[]{cbc_wide<1>, cbc_wide<2>, cbc_wide<3>, cbc_wide<4>,
                                cbc_wide<5>, cbc_wide<6>, cbc_wide<7>, cbc_wide<8>};
    runs[registers - 1](wide, blocks);
  }
};

/// 2 N blocks of CBC decryption in place; `before` is the ciphertext block in front.
template <std::size_t N>
CORLISS_VAES void decrypt_blocks(const __m128i* keys, std::uint8_t* data, __m128i& before) {
  __m256i cipher[N];
  __m256i x[N];
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    cipher[n] = load_pair(data + 32 * n);
    x[n] = _mm256_xor_si256(cipher[n], _mm256_broadcastsi128_si256(keys[0]));
  }
  CORLISS_UNROLL
  for (std::size_t round = 1; round < aes_rounds; ++round) {
    const auto key = _mm256_broadcastsi128_si256(keys[round]);
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      x[n] = _mm256_aesdec_epi128(x[n], key);
    }
  }
  const auto key = _mm256_broadcastsi128_si256(keys[aes_rounds]);
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    const auto chain = pair(before, _mm256_castsi256_si128(cipher[n]));
    store_pair(data + 32 * n, _mm256_xor_si256(_mm256_aesdeclast_epi128(x[n], key), chain));
    before = _mm256_extracti128_si256(cipher[n], 1);
  }
}

CORLISS_VAES_FUNCTION void decrypt_wide(const ShaniSession& session, std::uint8_t* data,
                                        std::size_t blocks) noexcept {
  const __m128i* const keys = session.decrypt;
  auto before = _mm_setzero_si128();
  for (; blocks >= 12; blocks -= 12, data += 12 * aes_block) {
    decrypt_blocks<6>(keys, data, before);
  }
  if (blocks >= 8) {
    decrypt_blocks<4>(keys, data, before);
    data += 8 * aes_block;
    blocks -= 8;
  }
  if (blocks >= 4) {
    decrypt_blocks<2>(keys, data, before);
    data += 4 * aes_block;
    blocks -= 4;
  }
  if (blocks >= 2) {
    decrypt_blocks<1>(keys, data, before);
    data += 2 * aes_block;
    blocks -= 2;
  }
  if (blocks != 0) {
    auto x = _mm_xor_si128(load(data), keys[0]);
    CORLISS_UNROLL
    for (std::size_t round = 1; round < aes_rounds; ++round) {
      x = _mm_aesdec_si128(x, keys[round]);
    }
    store(data, _mm_xor_si128(_mm_aesdeclast_si128(x, keys[aes_rounds]), before));
  }
}

/// As wipe_registers, with the upper halves.
CORLISS_VAES_FUNCTION void wipe_wide_registers() noexcept {
  __asm__ volatile("vzeroall" : : : CORLISS_XMM_0_TO_15);
}

void seal_batch(std::span<SealJob> jobs) noexcept {
  seal_in_lanes<ShaniMacLanes, WideCbcLanes<2, 8, VaesCbc, 8>>(jobs, shani_encrypt_ivs);
  wipe_wide_registers();
}
void open_batch(std::span<OpenJob> jobs) noexcept {
  open_in_lanes<ShaniMacLanes, decrypt_wide>(jobs);
  wipe_wide_registers();
}

const Session* make(std::span<const std::uint8_t, session_key_size> key) {
  return make_shani_session(key, &vaes_kernel);
}

}  // namespace

const PacketKernel vaes_kernel{make,
                               destroy_shani_session,
                               shani_seal,
                               shani_open,
                               shani_seal_legacy,
                               shani_open_legacy,
                               shani_mac,
                               seal_batch,
                               open_batch};

}  // namespace corliss::crypto::detail

#endif
