// SHA-1 by SHA-NI, AES by AES-NI. `open` decrypts the next 64 bytes between the steps of the compression of
// the current 64: the AES units are idle while a compression waits for its own latency.
// docs/packet-kernels.md.
#if defined(__x86_64__)

#include "crypto/shani_functions.h"
#include "crypto/shani_lanes.h"

#include <corliss/base/secret.h>

#include <cstring>
#include <new>

#define CORLISS_SHANI_FUNCTION __attribute__((target(CORLISS_SHANI_TARGET)))

namespace corliss::crypto::detail {
namespace {

constexpr std::size_t block = aes_block;

// ---- AES

CORLISS_SHANI __m128i encrypt_block(const __m128i* keys, __m128i x) {
  x = _mm_xor_si128(x, keys[0]);
  CORLISS_UNROLL
  for (std::size_t i = 1; i < aes_rounds; ++i) {
    x = _mm_aesenc_si128(x, keys[i]);
  }
  return _mm_aesenclast_si128(x, keys[aes_rounds]);
}

/// Writes the packet: ECB(iv), then CBC. The chain is the whole cost; so the next block and the first round
/// key are folded into the last round of the block before.
CORLISS_SHANI void encrypt_packet(const ShaniSession& session, const std::uint8_t* plain, std::size_t size,
                                  __m128i iv, std::uint8_t* out) {
  const __m128i* const keys = session.encrypt;
  const std::size_t whole = size / block;
  const std::size_t rest = size % block;
  __m128i last[1] = {_mm_set1_epi8(static_cast<char>(block - rest))};
  if (rest != 0) {
    std::memcpy(last, plain + whole * block, rest);
  }
  // In place `out + 16` is `plain`: each block is read before the one in front of it is written.
  __m128i mix = _mm_xor_si128(whole != 0 ? load(plain) : last[0], keys[0]);
  __m128i x = _mm_xor_si128(iv, mix);
  store(out, encrypt_block(keys, iv));
  for (std::size_t i = 0; i < whole; ++i) {
    mix = _mm_xor_si128(i + 1 < whole ? load(plain + (i + 1) * block) : last[0], keys[0]);
    CORLISS_UNROLL
    for (std::size_t round = 1; round < aes_rounds; ++round) {
      x = _mm_aesenc_si128(x, keys[round]);
    }
    x = _mm_aesenclast_si128(x, _mm_xor_si128(keys[aes_rounds], mix));
    store(out + block + i * block, _mm_xor_si128(x, mix));
  }
  CORLISS_UNROLL
  for (std::size_t round = 1; round < aes_rounds; ++round) {
    x = _mm_aesenc_si128(x, keys[round]);
  }
  store(out + block + whole * block, _mm_aesenclast_si128(x, keys[aes_rounds]));
  wipe_vectors(last);
}

/// Four blocks of CBC decryption, a round at each of the first steps of a compression.
struct Decrypt4 {
  const __m128i* keys;
  __m128i cipher[4];
  __m128i x[4];

  /// Loads blocks 0 to count - 1 (the last one also for those behind).
  CORLISS_SHANI Decrypt4(const __m128i* round_keys, const std::uint8_t* from, std::size_t count)
      : keys(round_keys) {
    CORLISS_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      cipher[i] = load(from + (i < count ? i : count - 1) * block);
    }
  }
  template <int I>
  CORLISS_SHANI void step() {
    if constexpr (I <= static_cast<int>(aes_rounds)) {
      CORLISS_UNROLL
      for (std::size_t i = 0; i < 4; ++i) {
        if constexpr (I == 0) {
          x[i] = _mm_xor_si128(cipher[i], keys[0]);
        } else if constexpr (I < static_cast<int>(aes_rounds)) {
          x[i] = _mm_aesdec_si128(x[i], keys[I]);
        } else {
          x[i] = _mm_aesdeclast_si128(x[i], keys[I]);
        }
      }
    }
  }
  /// The plaintext, given the ciphertext block before.
  CORLISS_SHANI void finish(__m128i before) {
    x[0] = _mm_xor_si128(x[0], before);
    x[1] = _mm_xor_si128(x[1], cipher[0]);
    x[2] = _mm_xor_si128(x[2], cipher[1]);
    x[3] = _mm_xor_si128(x[3], cipher[2]);
  }
  CORLISS_SHANI void write(std::uint8_t* to, std::size_t count) const {
    store(to, x[0]);
    if (count > 1) {
      store(to + block, x[1]);
    }
    if (count > 2) {
      store(to + 2 * block, x[2]);
    }
    if (count > 3) {
      store(to + 3 * block, x[3]);
    }
  }
};

template <int I>
CORLISS_SHANI void all_steps(Decrypt4& decrypt) {
  if constexpr (I <= static_cast<int>(aes_rounds)) {
    decrypt.step<I>();
    all_steps<I + 1>(decrypt);
  }
}

CORLISS_SHANI __m128i decrypt_block(const __m128i* keys, __m128i x) {
  x = _mm_xor_si128(x, keys[0]);
  CORLISS_UNROLL
  for (std::size_t i = 1; i < aes_rounds; ++i) {
    x = _mm_aesdec_si128(x, keys[i]);
  }
  return _mm_aesdeclast_si128(x, keys[aes_rounds]);
}

// ---- MAC

CORLISS_SHANI Sha1Words mac_words(const ShaniSession& session, const std::uint8_t* nonce,
                                  const std::uint8_t* plain, std::size_t size) {
  auto state = session.inner;
  const std::size_t end = 3 + size;
  const std::size_t whole = end / sha_block;
  const std::size_t rest = end % sha_block;
  __m128i tail[8];
  CORLISS_UNROLL
  for (auto& vector : tail) {
    vector = _mm_setzero_si128();
  }
  auto* const bytes = reinterpret_cast<std::uint8_t*>(tail);
  if (whole == 0) {
    std::memcpy(bytes, nonce, 3);
    if (size != 0) {
      std::memcpy(bytes + 3, plain, size);
    }
  } else {
    const std::uint8_t* from = plain - 3;
    __m128i first = _mm_alignr_epi8(load(plain), nonce_vector(nonce), 13);
    for (std::size_t i = 0; i < whole; ++i, from += sha_block) {
      if (i != 0) {
        first = load(from);
      }
      sha1_block(state, reversed(first), reversed(load(from + 16)), reversed(load(from + 32)),
                 reversed(load(from + 48)));
    }
    if (rest != 0) {
      std::memcpy(bytes, from, rest);
    }
  }
  bytes[rest] = 0x80;
  if (rest + 9 > sha_block) {
    sha1_block(state, reversed(tail[0]), reversed(tail[1]), reversed(tail[2]), reversed(tail[3]));
    tail[0] = tail[4];
    tail[1] = tail[2] = tail[3] = _mm_setzero_si128();
  }
  tail[3] = _mm_or_si128(tail[3], length_vector(end));
  sha1_block(state, reversed(tail[0]), reversed(tail[1]), reversed(tail[2]), reversed(tail[3]));
  wipe_vectors(tail);
  return sha1_outer(session.outer, state);
}

/// Hashes the message block that ends in `group` and decrypts the next group beside it, which takes its
/// place. `before` is the plaintext block before the group: the nonce shifts the message by three bytes.
CORLISS_SHANI void hash_and_decrypt(Sha1Words& state, __m128i& before, Decrypt4& group,
                                    const std::uint8_t* from, std::size_t count, std::uint8_t* out) {
  Decrypt4 next(group.keys, from, count);
  sha1_block(state, reversed(_mm_alignr_epi8(group.x[0], before, 13)),
             reversed(_mm_alignr_epi8(group.x[1], group.x[0], 13)),
             reversed(_mm_alignr_epi8(group.x[2], group.x[1], 13)),
             reversed(_mm_alignr_epi8(group.x[3], group.x[2], 13)), next);
  next.finish(group.cipher[3]);
  next.write(out, count);
  before = group.x[3];
  group = next;
}

}  // namespace

// ---- one packet

CORLISS_SHANI_FUNCTION void shani_mac(const Session& session, const std::uint8_t* nonce,
                                      const std::uint8_t* plain, std::size_t size,
                                      std::uint8_t* out) noexcept {
  const auto words = mac_words(shani(session), nonce, plain, size);
  store(out, reversed(words.abcd));
  const auto e = __builtin_bswap32(static_cast<std::uint32_t>(_mm_extract_epi32(words.e, 3)));
  std::memcpy(out + 16, &e, 4);
  wipe_registers();
}

CORLISS_SHANI_FUNCTION bool shani_seal(const Session& base, const std::uint8_t* plain, std::size_t size,
                                       const std::uint8_t* nonce, std::uint8_t* out) noexcept {
  const auto& session = shani(base);
  const auto words = mac_words(session, nonce, plain, size);
  encrypt_packet(session, plain, size, iv_from(words, nonce_vector(nonce)), out);
  wipe_registers();
  return true;
}

CORLISS_SHANI_FUNCTION bool shani_seal_legacy(const Session& session, const std::uint8_t* plain,
                                              std::size_t size, const std::uint8_t* iv,
                                              std::uint8_t* out) noexcept {
  encrypt_packet(shani(session), plain, size, load(iv), out);
  wipe_registers();
  return true;
}

CORLISS_SHANI_FUNCTION std::ptrdiff_t shani_open(const Session& base, const std::uint8_t* sealed,
                                                 std::size_t size, std::uint8_t* out) noexcept {
  const auto& session = shani(base);
  const std::size_t length = size - block;
  const std::size_t blocks = length / block;
  // Groups of four blocks. What the last group holds may be padding; the others are message and nothing else.
  const std::size_t whole = (blocks - 1) / 4;
  const std::size_t rest = blocks - 4 * whole;
  const std::uint8_t* from = sealed + block;

  const auto encrypted_iv = load(sealed);
  Decrypt4 group(session.decrypt, from, whole != 0 ? 4 : rest);
  const auto iv = decrypt_block(session.decrypt, encrypted_iv);
  all_steps<0>(group);
  group.finish(iv);
  group.write(out, whole != 0 ? 4 : rest);

  auto state = session.inner;
  auto before = iv;
  for (std::size_t i = 1; i < whole; ++i) {
    from += 4 * block;
    out += 4 * block;
    hash_and_decrypt(state, before, group, from, 4, out);
  }
  if (whole != 0) {
    hash_and_decrypt(state, before, group, from + 4 * block, rest, out + 4 * block);
  }

  // The end of the message lies in vector rest - 1 or rest of these, at the same place for every `rest`.
  __m128i last = group.x[0];
  __m128i tail[8];
  CORLISS_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    if (i < rest) {
      last = group.x[i];
    }
    tail[i] = _mm_alignr_epi8(group.x[i], i == 0 ? before : group.x[i - 1], 13);
    tail[i + 4] = _mm_setzero_si128();
  }
  const auto padding = check_padding(last);
  tail[rest - 1] = ended_at(tail[rest - 1], 19 - padding.size);
  tail[rest] = ended_at(_mm_srli_si128(last, 13), 3 - padding.size);
  for (std::size_t i = rest + 1; i < 4; ++i) {
    tail[i] = _mm_setzero_si128();
  }
  const auto bits = length_vector(3 + length - padding.size);
  if (rest == 4) {
    const auto ends_first = ends_in_first(padding.size);
    auto first = state;
    sha1_block(first, reversed(tail[0]), reversed(tail[1]), reversed(tail[2]),
               reversed(_mm_or_si128(tail[3], _mm_and_si128(bits, ends_first))));
    state = first;
    sha1_block(state, reversed(tail[4]), _mm_setzero_si128(), _mm_setzero_si128(), reversed(bits));
    state = select(ends_first, first, state);
  } else {
    sha1_block(state, reversed(tail[0]), reversed(tail[1]), reversed(tail[2]),
               reversed(_mm_or_si128(tail[3], bits)));
  }
  wipe_vectors(tail);
  const auto accepted = accepts(padding, sha1_outer(session.outer, state), iv);
  wipe_registers();
  if (accepted == 0) {
    return open_refused;
  }
  return static_cast<std::ptrdiff_t>(length - padding.size);
}

CORLISS_SHANI_FUNCTION std::ptrdiff_t shani_open_legacy(const Session& base, const std::uint8_t* sealed,
                                                        std::size_t size, std::uint8_t* out) noexcept {
  const __m128i* const keys = shani(base).decrypt;
  auto before = decrypt_block(keys, load(sealed));
  __m128i last = before;
  const std::uint8_t* from = sealed + block;
  for (std::size_t left = size / block - 1; left != 0;) {
    const std::size_t count = left < 4 ? left : 4;
    Decrypt4 group(keys, from, count);
    all_steps<0>(group);
    group.finish(before);
    group.write(out, count);
    before = group.cipher[3];
    last = group.x[count - 1];
    left -= count;
    from += count * block;
    out += count * block;
  }
  const auto padding = check_padding(last);
  wipe_registers();
  if (ct_barrier(padding.good) == 0) {
    return open_refused;
  }
  return static_cast<std::ptrdiff_t>(size - block - padding.size);
}

// ---- batches

namespace {

template <std::size_t N>
CORLISS_SHANI void decrypt_blocks(const __m128i* keys, std::uint8_t* data, __m128i& before) {
  __m128i x[N];
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    x[n] = _mm_xor_si128(load(data + n * block), keys[0]);
  }
  CORLISS_UNROLL
  for (std::size_t round = 1; round < aes_rounds; ++round) {
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      x[n] = _mm_aesdec_si128(x[n], keys[round]);
    }
  }
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    const auto cipher = load(data + n * block);
    store(data + n * block, _mm_xor_si128(_mm_aesdeclast_si128(x[n], keys[aes_rounds]), before));
    before = cipher;
  }
}

CORLISS_SHANI_FUNCTION void decrypt_in_place(const ShaniSession& session, std::uint8_t* data,
                                             std::size_t blocks) noexcept {
  const __m128i* const keys = session.decrypt;
  auto before = _mm_setzero_si128();
  for (; blocks >= 8; blocks -= 8, data += 8 * block) {
    decrypt_blocks<8>(keys, data, before);
  }
  if ((blocks & 4) != 0) {
    decrypt_blocks<4>(keys, data, before);
    data += 4 * block;
  }
  if ((blocks & 2) != 0) {
    decrypt_blocks<2>(keys, data, before);
    data += 2 * block;
  }
  if ((blocks & 1) != 0) {
    decrypt_blocks<1>(keys, data, before);
  }
}

CORLISS_SHANI_FUNCTION void seal_batch(std::span<SealJob> jobs) noexcept {
  seal_in_lanes<ShaniMacLanes, ShaniCbcLanes>(jobs, shani_encrypt_ivs);
  wipe_registers();
}

CORLISS_SHANI_FUNCTION void open_batch(std::span<OpenJob> jobs) noexcept {
  open_in_lanes<ShaniMacLanes, decrypt_in_place>(jobs);
  wipe_registers();
}

// ---- keying

/// One step of the AES-256 key schedule: `odd` from `assisted` with the round constant, or without it.
template <int Constant>
CORLISS_SHANI void expand(__m128i* keys, std::size_t i) {
  const auto previous = keys[i - 1];
  const auto assisted = _mm_aeskeygenassist_si128(previous, Constant);
  const auto spread = Constant != 0 ? _mm_shuffle_epi32(assisted, 0xff) : _mm_shuffle_epi32(assisted, 0xaa);
  auto key = keys[i - 2];
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  keys[i] = _mm_xor_si128(key, spread);
}

CORLISS_SHANI Sha1Words pad_state(__m128i key, char pad) {
  Sha1Words state{
      _mm_set_epi32(0x67452301, static_cast<int>(0xefcdab89), static_cast<int>(0x98badcfe), 0x10325476),
      _mm_set_epi32(static_cast<int>(0xc3d2e1f0), 0, 0, 0)};
  const auto rest = _mm_set1_epi8(pad);
  sha1_block(state, reversed(_mm_xor_si128(key, rest)), rest, rest, rest);
  return state;
}

CORLISS_SHANI_FUNCTION void key_session(ShaniSession& session, const std::uint8_t* key) noexcept {
  auto* const keys = session.encrypt;
  keys[0] = load(key);
  keys[1] = load(key + 16);
  expand<0x01>(keys, 2);
  expand<0>(keys, 3);
  expand<0x02>(keys, 4);
  expand<0>(keys, 5);
  expand<0x04>(keys, 6);
  expand<0>(keys, 7);
  expand<0x08>(keys, 8);
  expand<0>(keys, 9);
  expand<0x10>(keys, 10);
  expand<0>(keys, 11);
  expand<0x20>(keys, 12);
  expand<0>(keys, 13);
  expand<0x40>(keys, 14);
  session.decrypt[0] = keys[aes_rounds];
  session.decrypt[aes_rounds] = keys[0];
  for (std::size_t i = 1; i < aes_rounds; ++i) {
    session.decrypt[i] = _mm_aesimc_si128(keys[aes_rounds - i]);
  }
  session.inner = pad_state(keys[0], 0x36);
  session.outer = pad_state(keys[0], 0x5c);
  wipe_registers();
}

const Session* make(std::span<const std::uint8_t, session_key_size> key) {
  return make_shani_session(key, &shani_kernel);
}

}  // namespace

CORLISS_SHANI_FUNCTION void shani_encrypt_ivs(SealSource& source) noexcept {
  const auto jobs = source.jobs();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    store(jobs[i].out, encrypt_block(shani(*jobs[i].session).encrypt, source.ivs()[i]));
  }
}

const Session* make_shani_session(std::span<const std::uint8_t, session_key_size> key,
                                  const PacketKernel* kernel) {
  auto* session = new ShaniSession;
  session->kernel = kernel;
  key_session(*session, key.data());
  wipe_stack();
  return session;
}

void destroy_shani_session(const Session* base) noexcept {
  auto* session = const_cast<ShaniSession*>(&shani(*base));
  wipe({reinterpret_cast<std::uint8_t*>(session), sizeof *session});
  delete session;
}

const PacketKernel shani_kernel{make,
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
