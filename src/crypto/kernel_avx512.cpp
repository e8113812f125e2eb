// SHA-1 of sixteen packets in the lanes of AVX-512, CBC of up to 32 in VAES lanes, four to a register.
// Only batches take these ways; one packet goes as in `shani`, whose code is the fastest for it.
// docs/packet-kernels.md.
#if defined(__x86_64__)

#include "crypto/shani_functions.h"
#include "crypto/wide_cbc_lanes.h"

#define CORLISS_AVX512_TARGET "avx512f,avx512bw,vaes,aes,sha,sse4.1"
#define CORLISS_AVX512 __attribute__((target(CORLISS_AVX512_TARGET), always_inline)) inline
#define CORLISS_AVX512_FUNCTION __attribute__((target(CORLISS_AVX512_TARGET), noinline))

namespace corliss::crypto::detail {
namespace {

constexpr std::size_t lanes = 16;

// ---- SHA-1

/// In: lane i's block in rows[i]. Out: word i of all lanes in rows[i], as numbers.
CORLISS_AVX512 void transpose(__m512i (&rows)[16]) {
  const auto swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
  CORLISS_UNROLL
  for (std::size_t i = 0; i < 16; i += 4) {  // words within quarters
    const auto a = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    const auto b = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    const auto c = _mm512_unpacklo_epi32(rows[i + 2], rows[i + 3]);
    const auto d = _mm512_unpackhi_epi32(rows[i + 2], rows[i + 3]);
    rows[i] = _mm512_unpacklo_epi64(a, c);
    rows[i + 1] = _mm512_unpackhi_epi64(a, c);
    rows[i + 2] = _mm512_unpacklo_epi64(b, d);
    rows[i + 3] = _mm512_unpackhi_epi64(b, d);
  }
  CORLISS_UNROLL
  for (std::size_t i = 0; i < 4;
       ++i) {  // quarters: rows[i + 4 j] has word i of each quarter for lanes 4 j to 4 j + 3
    const auto a = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0x44);
    const auto b = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0xee);
    const auto c = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0x44);
    const auto d = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0xee);
    rows[i] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(a, c, 0x88), swap);
    rows[i + 4] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(a, c, 0xdd), swap);
    rows[i + 8] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(b, d, 0x88), swap);
    rows[i + 12] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(b, d, 0xdd), swap);
  }
}

constexpr int choose = 0xca;
constexpr int parity = 0x96;
constexpr int majority = 0xe8;

template <int T>
CORLISS_AVX512 void rounds(__m512i (&w)[16], __m512i& a, __m512i& b, __m512i& c, __m512i& d, __m512i& e) {
  if constexpr (T < 80) {
    constexpr int function = T < 20 ? choose : T >= 40 && T < 60 ? majority : parity;
    constexpr std::uint32_t constant = T < 20   ? 0x5a827999
                                       : T < 40 ? 0x6ed9eba1
                                       : T < 60 ? 0x8f1bbcdc
                                                : 0xca62c1d6;
    auto& word = w[T % 16];
    if constexpr (T >= 16) {
      // vpternlogd overwrites its first operand: the word that nobody needs any more. The youngest comes
      // last.
      const auto three = _mm512_ternarylogic_epi32(word, w[(T - 8) % 16], w[(T - 14) % 16], parity);
      word = _mm512_rol_epi32(_mm512_xor_si512(three, w[(T - 3) % 16]), 1);
    }
    const auto added =
        _mm512_add_epi32(_mm512_add_epi32(e, _mm512_set1_epi32(static_cast<int>(constant))), word);
    auto turned = _mm512_rol_epi32(b, 30);
    __asm__("" : "+v"(turned), "+v"(b));  // in this order b may be overwritten: GCC would copy it 80 times
    e = _mm512_add_epi32(_mm512_add_epi32(added, _mm512_ternarylogic_epi32(b, c, d, function)),
                         _mm512_rol_epi32(a, 5));
    b = turned;
    rounds<T + 1>(w, e, a, b, c, d);
  }
}

struct alignas(64) WideState {
  std::uint32_t words[5][lanes];
};

CORLISS_AVX512_FUNCTION void sha1_wide(WideState& state, const std::uint8_t* const* data,
                                       std::size_t blocks) noexcept {
  for (std::size_t offset = 0; offset < blocks * sha_block; offset += sha_block) {
    __m512i w[16];
    CORLISS_UNROLL
    for (std::size_t i = 0; i < lanes; ++i) {
      w[i] = _mm512_loadu_si512(data[i] + offset);
    }
    transpose(w);
    // The state before is read again at the end rather than held: sixteen words and five registers are
    // enough.
    __m512i a = _mm512_load_si512(state.words[0]);
    __m512i b = _mm512_load_si512(state.words[1]);
    __m512i c = _mm512_load_si512(state.words[2]);
    __m512i d = _mm512_load_si512(state.words[3]);
    __m512i e = _mm512_load_si512(state.words[4]);
    rounds<0>(w, a, b, c, d, e);  // after 80 rounds, a multiple of five, each is in its own place again
    _mm512_store_si512(state.words[0], _mm512_add_epi32(a, _mm512_load_si512(state.words[0])));
    _mm512_store_si512(state.words[1], _mm512_add_epi32(b, _mm512_load_si512(state.words[1])));
    _mm512_store_si512(state.words[2], _mm512_add_epi32(c, _mm512_load_si512(state.words[2])));
    _mm512_store_si512(state.words[3], _mm512_add_epi32(d, _mm512_load_si512(state.words[3])));
    _mm512_store_si512(state.words[4], _mm512_add_epi32(e, _mm512_load_si512(state.words[4])));
  }
}

class WideMacLanes {
 public:
  static constexpr std::size_t width = lanes;
  static constexpr std::size_t use(std::size_t) noexcept { return width; }

  [[nodiscard]] Sha1Words get(std::size_t i) const noexcept {
    const auto word = [&](std::size_t n) { return static_cast<int>(state_.words[n][i]); };
    return {_mm_set_epi32(word(0), word(1), word(2), word(3)), _mm_set_epi32(word(4), 0, 0, 0)};
  }
  void set(std::size_t i, const Sha1Words& words) noexcept {
    std::uint32_t abcd[4];
    std::uint32_t e[4];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(abcd), words.abcd);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(e), words.e);
    for (std::size_t n = 0; n < 4; ++n) {
      state_.words[n][i] = abcd[3 - n];
    }
    state_.words[4][i] = e[3];
  }
  void run(const MacSlot* slots, std::span<const std::uint8_t> live, std::size_t blocks) noexcept {
    if (live.size() < wide_from) {
      run_narrow(slots, live, blocks);
      return;
    }
    const std::uint8_t* data[lanes];
    std::fill(std::begin(data), std::end(data), slots[live[0]].data);  // what idle lanes do is thrown away
    for (const auto i : live) {
      data[i] = slots[i].data;
    }
    sha1_wide(state_, data, blocks);
  }

 private:
  /// From how many live lanes on sixteen at once are faster than SHA-NI, four at a time: nine would be a
  /// third round of those. Computed from the design's figures for a Zen 5: docs/packet-kernels.md.
  static constexpr std::size_t wide_from = 9;

  void run_narrow(const MacSlot* slots, std::span<const std::uint8_t> live, std::size_t blocks) noexcept {
    while (!live.empty()) {
      const auto part = live.first(even_share(live.size(), ShaniMacLanes::width));
      ShaniMacLanes narrow;
      std::array<std::uint8_t, ShaniMacLanes::width> own{0, 1, 2, 3};
      std::array<const std::uint8_t*, ShaniMacLanes::width> data{};
      for (std::size_t i = 0; i < part.size(); ++i) {
        narrow.set(i, get(part[i]));
        data[i] = slots[part[i]].data;
      }
      narrow.run(data.data(), std::span(own).first(part.size()), blocks);
      for (std::size_t i = 0; i < part.size(); ++i) {
        set(part[i], narrow.get(i));
      }
      live = live.subspan(part.size());
    }
  }

  WideState state_;
};

// ---- AES

CORLISS_AVX512 __m512i gather(std::uint8_t* const* data, std::size_t offset) {
  auto x = _mm512_castsi128_si512(load(data[0] + offset));
  x = _mm512_inserti32x4(x, load(data[1] + offset), 1);
  x = _mm512_inserti32x4(x, load(data[2] + offset), 2);
  return _mm512_inserti32x4(x, load(data[3] + offset), 3);
}
CORLISS_AVX512 void scatter(std::uint8_t* const* data, std::size_t offset, __m512i x) {
  store(data[0] + offset, _mm512_castsi512_si128(x));
  store(data[1] + offset, _mm512_extracti32x4_epi32(x, 1));
  store(data[2] + offset, _mm512_extracti32x4_epi32(x, 2));
  store(data[3] + offset, _mm512_extracti32x4_epi32(x, 3));
}

using Chains = WideChains<4, 8>;

/// `blocks` blocks of 4 N chains. `wide` is a copy that nobody else sees: what is written cannot be its
/// pointers.
template <std::size_t N>
CORLISS_AVX512_FUNCTION void cbc_wide(const Chains& from, std::size_t blocks) noexcept {
  const Chains wide = from;
  __m512i x[N];
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    x[n] = _mm512_loadu_si512(wide.chains[n]);
  }
  for (std::size_t offset = 0; offset < blocks * aes_block; offset += aes_block) {
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      x[n] = _mm512_ternarylogic_epi32(x[n], gather(wide.data + 4 * n, offset),
                                       _mm512_load_si512(wide.keys[n]->keys[0]), parity);
    }
    CORLISS_UNROLL
    for (std::size_t round = 1; round < aes_rounds; ++round) {
      CORLISS_UNROLL
      for (std::size_t n = 0; n < N; ++n) {
        x[n] = _mm512_aesenc_epi128(x[n], _mm512_load_si512(wide.keys[n]->keys[round]));
      }
    }
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      x[n] = _mm512_aesenclast_epi128(x[n], _mm512_load_si512(wide.keys[n]->keys[aes_rounds]));
      scatter(wide.data + 4 * n, offset, x[n]);
    }
  }
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    _mm512_storeu_si512(wide.chains[n], x[n]);
  }
}

struct Avx512Cbc {
  static void run(const Chains& wide, std::size_t registers, std::size_t blocks) noexcept {
    using Run = void (*)(const Chains&, std::size_t) noexcept;
    static constexpr Run runs[]{cbc_wide<1>, cbc_wide<2>, cbc_wide<3>, cbc_wide<4>,
                                cbc_wide<5>, cbc_wide<6>, cbc_wide<7>, cbc_wide<8>};
    runs[registers - 1](wide, blocks);
  }
};

/// CBC decryption in place, sixteen blocks at a time, the last ones by masks.
CORLISS_AVX512_FUNCTION void decrypt_wide(const ShaniSession& session, std::uint8_t* data,
                                          std::size_t blocks) noexcept {
  auto before = _mm512_setzero_si512();
  while (blocks != 0) {
    const std::size_t count = std::min<std::size_t>(blocks, 16);
    const std::uint32_t valid =
        (std::uint32_t{1} << (2 * (count < 16 ? count : 15))) - 1;  // bits: half blocks
    const std::uint32_t quads = count < 16 ? valid : 0xffffffff;
    __m512i cipher[4];
    __m512i x[4];
    CORLISS_UNROLL
    for (std::size_t n = 0; n < 4; ++n) {
      cipher[n] = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(quads >> (8 * n)), data + 64 * n);
      x[n] = _mm512_xor_si512(cipher[n], _mm512_broadcast_i32x4(session.decrypt[0]));
    }
    CORLISS_UNROLL
    for (std::size_t round = 1; round < aes_rounds; ++round) {
      const auto key = _mm512_broadcast_i32x4(session.decrypt[round]);
      CORLISS_UNROLL
      for (std::size_t n = 0; n < 4; ++n) {
        x[n] = _mm512_aesdec_epi128(x[n], key);
      }
    }
    const auto key = _mm512_broadcast_i32x4(session.decrypt[aes_rounds]);
    CORLISS_UNROLL
    for (std::size_t n = 0; n < 4; ++n) {
      const auto chain = _mm512_alignr_epi64(cipher[n], before, 6);
      x[n] = _mm512_xor_si512(_mm512_aesdeclast_epi128(x[n], key), chain);
      _mm512_mask_storeu_epi64(data + 64 * n, static_cast<__mmask8>(quads >> (8 * n)), x[n]);
      before = cipher[n];
    }
    data += count * aes_block;
    blocks -= count;
  }
}

// ---- the kernel

/// As wipe_registers, all 32 of them.
CORLISS_AVX512_FUNCTION void wipe_wide_registers() noexcept {
  __asm__ volatile(
      "vzeroall\n\t"
      "vpxord %%zmm16, %%zmm16, %%zmm16\n\t"
      "vpxord %%zmm17, %%zmm17, %%zmm17\n\t"
      "vpxord %%zmm18, %%zmm18, %%zmm18\n\t"
      "vpxord %%zmm19, %%zmm19, %%zmm19\n\t"
      "vpxord %%zmm20, %%zmm20, %%zmm20\n\t"
      "vpxord %%zmm21, %%zmm21, %%zmm21\n\t"
      "vpxord %%zmm22, %%zmm22, %%zmm22\n\t"
      "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"
      "vpxord %%zmm24, %%zmm24, %%zmm24\n\t"
      "vpxord %%zmm25, %%zmm25, %%zmm25\n\t"
      "vpxord %%zmm26, %%zmm26, %%zmm26\n\t"
      "vpxord %%zmm27, %%zmm27, %%zmm27\n\t"
      "vpxord %%zmm28, %%zmm28, %%zmm28\n\t"
      "vpxord %%zmm29, %%zmm29, %%zmm29\n\t"
      "vpxord %%zmm30, %%zmm30, %%zmm30\n\t"
      "vpxord %%zmm31, %%zmm31, %%zmm31\n\t"
      :
      :
      : CORLISS_XMM_0_TO_15, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
        "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

void seal_batch(std::span<SealJob> jobs) noexcept {
  seal_in_lanes<WideMacLanes, WideCbcLanes<4, 8, Avx512Cbc, 6>>(jobs, shani_encrypt_ivs);
  wipe_wide_registers();
}
void open_batch(std::span<OpenJob> jobs) noexcept {
  open_in_lanes<WideMacLanes, decrypt_wide>(jobs);
  wipe_wide_registers();
}

const Session* make(std::span<const std::uint8_t, session_key_size> key) {
  return make_shani_session(key, &avx512_kernel);
}

}  // namespace

const PacketKernel avx512_kernel{make,
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
