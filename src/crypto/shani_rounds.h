#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

/// SHA-1 and AES-256 by the x86 SHA and AES instructions, as pieces that a kernel interleaves. Everything is
/// inlined into functions that carry the target attribute themselves.
#define CORLISS_SHANI_TARGET "sha,aes,sse4.1"
#define CORLISS_SHANI __attribute__((target(CORLISS_SHANI_TARGET), always_inline)) inline
#define CORLISS_UNROLL _Pragma("GCC unroll 16")

namespace corliss::crypto::detail {

inline constexpr std::size_t aes_rounds = 14;

/// A key as `shani` and the wider kernels above it use it. Words of SHA-1 stand as the SHA instructions want
/// them: a in the highest, d in the lowest of `abcd`, e in the highest of `e`, the rest of `e` zero.
struct Sha1Words {
  __m128i abcd;
  __m128i e;
};

#define CORLISS_XMM_0_TO_15                                                                                  \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
      "xmm13", "xmm14", "xmm15"

/// Zeroes the registers that held round keys, when a kernel is done: a signal, a switch of threads or lazy
/// binding writes them to memory.
CORLISS_SHANI void wipe_registers() {
  __asm__ volatile(
      "pxor %%xmm0, %%xmm0\n\t"
      "pxor %%xmm1, %%xmm1\n\t"
      "pxor %%xmm2, %%xmm2\n\t"
      "pxor %%xmm3, %%xmm3\n\t"
      "pxor %%xmm4, %%xmm4\n\t"
      "pxor %%xmm5, %%xmm5\n\t"
      "pxor %%xmm6, %%xmm6\n\t"
      "pxor %%xmm7, %%xmm7\n\t"
      "pxor %%xmm8, %%xmm8\n\t"
      "pxor %%xmm9, %%xmm9\n\t"
      "pxor %%xmm10, %%xmm10\n\t"
      "pxor %%xmm11, %%xmm11\n\t"
      "pxor %%xmm12, %%xmm12\n\t"
      "pxor %%xmm13, %%xmm13\n\t"
      "pxor %%xmm14, %%xmm14\n\t"
      "pxor %%xmm15, %%xmm15\n\t"
      :
      :
      : CORLISS_XMM_0_TO_15);
}

CORLISS_SHANI __m128i load(const std::uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
CORLISS_SHANI void store(std::uint8_t* to, __m128i value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}

/// Reverses 16 bytes: between message bytes and the order of words that the SHA instructions want.
CORLISS_SHANI __m128i reversed(__m128i bytes) {
  return _mm_shuffle_epi8(bytes, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

/// One compression on its way: the four message vectors slide through `w`.
struct Sha1Rounds {
  __m128i abcd;
  __m128i e;
  __m128i w[4];
};

/// Rounds 4 I to 4 I + 3, I from 0 to 19 in order.
template <int I>
CORLISS_SHANI void sha1_step(Sha1Rounds& s) {
  if constexpr (I >= 4) {
    const auto mixed = _mm_xor_si128(_mm_sha1msg1_epu32(s.w[I % 4], s.w[(I + 1) % 4]), s.w[(I + 2) % 4]);
    s.w[I % 4] = _mm_sha1msg2_epu32(mixed, s.w[(I + 3) % 4]);
  }
  const auto e = I == 0 ? _mm_add_epi32(s.e, s.w[0]) : _mm_sha1nexte_epu32(s.e, s.w[I % 4]);
  s.e = s.abcd;
  s.abcd = _mm_sha1rnds4_epu32(s.abcd, e, I / 5);
}

CORLISS_SHANI void sha1_end(Sha1Words& state, const Sha1Rounds& s) {
  state.e = _mm_sha1nexte_epu32(s.e, state.e);
  state.abcd = _mm_add_epi32(s.abcd, state.abcd);
}

/// What a step of SHA-1 is accompanied by: nothing.
struct Alone {
  template <int I>
  CORLISS_SHANI void step() {}
};

template <int I, class Beside>
CORLISS_SHANI void sha1_steps(Sha1Rounds& s, Beside& beside) {
  if constexpr (I < 20) {
    sha1_step<I>(s);
    beside.template step<I>();
    sha1_steps<I + 1>(s, beside);
  }
}

/// Compresses the block w0 to w3 (already reversed); `beside` is issued between its steps.
template <class Beside>
CORLISS_SHANI void sha1_block(Sha1Words& state, __m128i w0, __m128i w1, __m128i w2, __m128i w3,
                              Beside& beside) {
  Sha1Rounds s{state.abcd, state.e, {w0, w1, w2, w3}};
  sha1_steps<0>(s, beside);
  sha1_end(state, s);
}
CORLISS_SHANI void sha1_block(Sha1Words& state, __m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  Alone alone;
  sha1_block(state, w0, w1, w2, w3, alone);
}

/// The message vectors of the outer hash of HMAC over the digest `inner`.
CORLISS_SHANI __m128i outer_word1(const Sha1Words& inner) {
  return _mm_or_si128(inner.e, _mm_set_epi32(0, static_cast<int>(0x80000000U), 0, 0));
}
CORLISS_SHANI __m128i outer_word3() {
  return _mm_set_epi32(0, 0, 0, (64 + 20) * 8);
}

/// The whole HMAC from the inner digest.
CORLISS_SHANI Sha1Words sha1_outer(const Sha1Words& outer, const Sha1Words& inner) {
  auto state = outer;
  sha1_block(state, inner.abcd, outer_word1(inner), _mm_setzero_si128(), outer_word3());
  return state;
}

}  // namespace corliss::crypto::detail
