#pragma once

#include "crypto/constant_time.h"
#include "crypto/shani_rounds.h"

/// The ends of messages, by masks: docs/packet-kernels.md, "Every refusal is alike".
namespace corliss::crypto::detail {

inline constexpr std::size_t aes_block = 16;
inline constexpr std::size_t sha_block = 64;

/// Overwrites vectors that held plaintext; the optimiser must believe that somebody looks.
template <std::size_t N>
CORLISS_SHANI void wipe_vectors(__m128i (&vectors)[N]) {
  CORLISS_UNROLL
  for (auto& vector : vectors) {
    vector = _mm_setzero_si128();
  }
  __asm__ volatile("" : : "r"(vectors) : "memory");
}

/// As check_padding of constant_time.h.
CORLISS_SHANI Padding check_padding(__m128i last) {
  const auto size = _mm_shuffle_epi8(last, _mm_set1_epi8(15));
  const auto from_end = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto at_most_16 = _mm_min_epu8(size, _mm_set1_epi8(16));
  const auto is_pad = _mm_cmpgt_epi8(at_most_16, from_end);
  const auto below_1 = _mm_cmpeq_epi8(size, _mm_setzero_si128());
  const auto wrong = _mm_or_si128(_mm_or_si128(_mm_and_si128(is_pad, _mm_xor_si128(last, size)), below_1),
                                  _mm_xor_si128(size, at_most_16));
  const auto right =
      static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(wrong, _mm_setzero_si128())));
  const auto good = ct_equal(right, 0xffff);
  return {ct_select(good, static_cast<std::uint32_t>(_mm_extract_epi8(last, 15)), 1), good};
}

/// The bytes of `data` in front of index `end`, then 0x80, then zeros. `end` may lie outside.
CORLISS_SHANI __m128i ended_at(__m128i data, std::uint32_t end) {
  const auto at = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const auto ends = _mm_shuffle_epi8(_mm_cvtsi32_si128(static_cast<int>(end)), _mm_setzero_si128());
  return _mm_or_si128(_mm_and_si128(data, _mm_cmpgt_epi8(ends, at)),
                      _mm_and_si128(_mm_cmpeq_epi8(ends, at), _mm_set1_epi8(static_cast<char>(0x80))));
}

/// The length in bits of a message of `size` bytes behind the pad block, where it stands in the last vector
/// of the last block (as bytes).
CORLISS_SHANI __m128i length_vector(std::size_t size) {
  const auto bits = static_cast<std::uint32_t>(sha_block + size) * 8;
  return _mm_set_epi32(static_cast<int>(__builtin_bswap32(bits)), 0, 0, 0);
}

/// All ones where a message of `length` (a multiple of 64) + 3 - padding bytes, its 0x80 and its length fit
/// into length / 64 blocks; else they take one more.
CORLISS_SHANI __m128i ends_in_first(std::uint32_t padding) {
  return _mm_set1_epi32(static_cast<int>(ct_less(sha_block + 3 - padding, sha_block - 8)));
}

CORLISS_SHANI Sha1Words select(__m128i mask, const Sha1Words& where_set, const Sha1Words& where_clear) {
  return {_mm_blendv_epi8(where_clear.abcd, where_set.abcd, mask),
          _mm_blendv_epi8(where_clear.e, where_set.e, mask)};
}

/// The nonce in the last three bytes.
CORLISS_SHANI __m128i nonce_vector(const std::uint8_t* nonce) {
  const std::uint32_t word = static_cast<std::uint32_t>(nonce[0]) << 8 |
                             static_cast<std::uint32_t>(nonce[1]) << 16 |
                             static_cast<std::uint32_t>(nonce[2]) << 24;
  return _mm_set_epi32(static_cast<int>(word), 0, 0, 0);
}

/// The IV that a MAC and a nonce (its last three bytes) make.
CORLISS_SHANI __m128i iv_from(const Sha1Words& mac, __m128i nonce) {
  return _mm_or_si128(nonce, _mm_and_si128(reversed(mac.abcd), _mm_set_epi32(0xff, -1, -1, -1)));
}

/// A mask: whether the padding is good and the MAC is that of the IV.
CORLISS_SHANI std::uint32_t accepts(const Padding& padding, const Sha1Words& mac, __m128i iv) {
  const auto same =
      static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(reversed(mac.abcd), iv))) & 0x1fff;
  return ct_barrier(padding.good & ct_equal(same, 0x1fff));
}

}  // namespace corliss::crypto::detail
