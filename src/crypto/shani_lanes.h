#pragma once

#include "crypto/packet_lanes.h"

/// Lanes of `shani`, which wider kernels use for what is left when few packets are.
namespace corliss::crypto::detail {

template <int I, std::size_t N>
CORLISS_SHANI void sha1_steps_of(Sha1Rounds (&s)[N]) {
  if constexpr (I < 20) {
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      sha1_step<I>(s[n]);
    }
    sha1_steps_of<I + 1, N>(s);
  }
}

/// `blocks` blocks of N messages, their steps interleaved: one compression alone waits for its own latency.
template <std::size_t N>
__attribute__((target(CORLISS_SHANI_TARGET), noinline)) inline void sha1_interleaved(
    Sha1Words* const (&states)[N], const std::uint8_t* const (&data)[N], std::size_t blocks) noexcept {
  Sha1Words state[N];
  const std::uint8_t* from[N];
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    state[n] = *states[n];
    from[n] = data[n];
  }
  for (; blocks != 0; --blocks) {
    Sha1Rounds s[N];
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      s[n] = {state[n].abcd,
              state[n].e,
              {reversed(load(from[n])), reversed(load(from[n] + 16)), reversed(load(from[n] + 32)),
               reversed(load(from[n] + 48))}};
      from[n] += sha_block;
    }
    sha1_steps_of<0, N>(s);
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      sha1_end(state[n], s[n]);
    }
  }
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    *states[n] = state[n];
  }
}

class ShaniMacLanes {
 public:
  static constexpr std::size_t width = 4;
  static constexpr std::size_t use(std::size_t packets) noexcept { return even_share(packets, width); }

  [[nodiscard]] const Sha1Words& get(std::size_t i) const noexcept { return states_[i]; }
  void set(std::size_t i, const Sha1Words& words) noexcept { states_[i] = words; }
  void run(const MacSlot* slots, std::span<const std::uint8_t> live, std::size_t blocks) noexcept {
    const std::uint8_t* data[width];
    for (const auto i : live) {
      data[i] = slots[i].data;
    }
    run(data, live, blocks);
  }
  /// The same for any messages: data[i] is lane i's.
  void run(const std::uint8_t* const* data, std::span<const std::uint8_t> live, std::size_t blocks) noexcept {
    const auto state = [&](std::size_t i) { return &states_[live[i]]; };
    const auto from = [&](std::size_t i) { return data[live[i]]; };
    switch (live.size()) {
      case 1:
        return sha1_interleaved<1>({state(0)}, {from(0)}, blocks);
      case 2:
        return sha1_interleaved<2>({state(0), state(1)}, {from(0), from(1)}, blocks);
      case 3:
        return sha1_interleaved<3>({state(0), state(1), state(2)}, {from(0), from(1), from(2)}, blocks);
      default:
        return sha1_interleaved<4>({state(0), state(1), state(2), state(3)},
                                   {from(0), from(1), from(2), from(3)}, blocks);
    }
  }

 private:
  Sha1Words states_[width];
};

/// `blocks` blocks of N chains, in place.
template <std::size_t N>
__attribute__((target(CORLISS_SHANI_TARGET), noinline)) inline void cbc_interleaved(
    const CbcSlot* slots, const std::uint8_t* live, __m128i* chains, std::size_t blocks) noexcept {
  __m128i x[N];
  std::uint8_t* at[N];
  const __m128i* keys[N];
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    x[n] = chains[live[n]];
    at[n] = slots[live[n]].data;
    keys[n] = slots[live[n]].session->encrypt;
  }
  for (std::size_t offset = 0; offset < blocks * aes_block; offset += aes_block) {
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      x[n] = _mm_xor_si128(x[n], _mm_xor_si128(load(at[n] + offset), keys[n][0]));
    }
    CORLISS_UNROLL
    for (std::size_t round = 1; round < aes_rounds; ++round) {
      CORLISS_UNROLL
      for (std::size_t n = 0; n < N; ++n) {
        x[n] = _mm_aesenc_si128(x[n], keys[n][round]);
      }
    }
    CORLISS_UNROLL
    for (std::size_t n = 0; n < N; ++n) {
      x[n] = _mm_aesenclast_si128(x[n], keys[n][aes_rounds]);
      store(at[n] + offset, x[n]);
    }
  }
  CORLISS_UNROLL
  for (std::size_t n = 0; n < N; ++n) {
    chains[live[n]] = x[n];
  }
}

inline void cbc_in_xmm(const CbcSlot* slots, std::span<const std::uint8_t> live, __m128i* chains,
                       std::size_t blocks) noexcept {
  using Run = void (*)(const CbcSlot*, const std::uint8_t*, __m128i*, std::size_t) noexcept;
  static constexpr Run runs[]{cbc_interleaved<1>, cbc_interleaved<2>, cbc_interleaved<3>, cbc_interleaved<4>,
                              cbc_interleaved<5>, cbc_interleaved<6>, cbc_interleaved<7>, cbc_interleaved<8>};
  runs[live.size() - 1](slots, live.data(), chains, blocks);
}

class ShaniCbcLanes {
 public:
  static constexpr std::size_t width = 8;

  void start(std::size_t i, const ShaniSession&, __m128i chain) noexcept { chains_[i] = chain; }
  void run(const CbcSlot* slots, std::span<const std::uint8_t> live, std::size_t blocks) noexcept {
    cbc_in_xmm(slots, live, chains_, blocks);
  }

 private:
  __m128i chains_[width];
};

}  // namespace corliss::crypto::detail
