#pragma once

#include "crypto/shani_lanes.h"

#include <corliss/base/secret.h>

/// CBC of many packets in VAES lanes, several to a register: what `avx512` and `vaes` share.
namespace corliss::crypto::detail {

/// Round keys of the lanes of a register, side by side.
template <std::size_t PerRegister>
struct alignas(64) WideKeys {
  __m128i keys[aes_rounds + 1][PerRegister];
};

/// What a kernel runs: registers that have a live lane, in order.
template <std::size_t PerRegister, std::size_t Registers>
struct WideChains {
  const WideKeys<PerRegister>* keys[Registers];
  __m128i* chains[Registers];
  std::uint8_t* data[PerRegister * Registers];
};

/// Lanes for run_chains. Isa: static void run(const WideChains<PerRegister, Registers>&, std::size_t
/// registers, std::size_t blocks), which reads a block of every lane before it writes one. narrow_to: up to
/// so many chains run in plain registers.
template <std::size_t PerRegister, std::size_t Registers, class Isa, std::size_t narrow_to>
class WideCbcLanes {
 public:
  static constexpr std::size_t width = PerRegister * Registers;

  WideCbcLanes() = default;
  WideCbcLanes(const WideCbcLanes&) = delete;
  WideCbcLanes& operator=(const WideCbcLanes&) = delete;
  ~WideCbcLanes() {
    for (std::size_t i = 0; i < Registers; ++i) {
      if (keyed_[i]) {
        wipe({reinterpret_cast<std::uint8_t*>(&keys_[i]), sizeof keys_[i]});
      }
    }
  }

  void start(std::size_t i, const ShaniSession&, __m128i chain) noexcept { chains_[i] = chain; }

  void run(const CbcSlot* slots, std::span<const std::uint8_t> live, std::size_t blocks) noexcept {
    if (live.size() <= narrow_to) {
      cbc_in_xmm(slots, live, chains_, blocks);
      return;
    }
    const CbcSlot* lanes[width]{};
    for (const auto i : live) {
      lanes[i] = &slots[i];
    }
    WideChains<PerRegister, Registers> wide;
    std::size_t registers = 0;
    for (std::size_t first = 0; first < width; first += PerRegister) {
      std::size_t model = first;
      while (model < first + PerRegister && lanes[model] == nullptr) {
        ++model;
      }
      if (model == first + PerRegister) {
        continue;
      }
      // An idle lane does what a live one of its register does, and so writes the same bytes to the same
      // place.
      for (std::size_t i = first; i < first + PerRegister; ++i) {
        const auto* lane = lanes[i];
        if (lane == nullptr) {
          lane = lanes[model];
          chains_[i] = chains_[model];
        }
        set_keys(i, *lane->session);
        wide.data[PerRegister * registers + i - first] = lane->data;
      }
      wide.keys[registers] = &keys_[first / PerRegister];
      wide.chains[registers++] = chains_ + first;
    }
    Isa::run(wide, registers, blocks);
  }

 private:
  void set_keys(std::size_t i, const ShaniSession& session) noexcept {
    if (sessions_[i] == &session) {
      return;
    }
    sessions_[i] = &session;
    keyed_[i / PerRegister] = true;
    for (std::size_t round = 0; round <= aes_rounds; ++round) {
      keys_[i / PerRegister].keys[round][i % PerRegister] = session.encrypt[round];
    }
  }

  WideKeys<PerRegister> keys_[Registers];
  alignas(64) __m128i chains_[width];
  const ShaniSession* sessions_[width]{};
  bool keyed_[Registers]{};
};

}  // namespace corliss::crypto::detail
