#pragma once

#include "crypto/kernels.h"
#include "crypto/shani_padding.h"
#include "crypto/shani_session.h"

#include <algorithm>
#include <array>
#include <cstring>

/// Many packets at once. A kernel brings lanes; this feeds them: each lane holds one packet, all lanes run
/// until the first of them reaches the end of what it has, and that lane is given its next stretch or the
/// next packet. Packets start in order of falling size, so that the long ones are not left alone at the end.
/// docs/packet-kernels.md.
///
/// Every packet is contiguous before it enters a lane: the plaintext lies at out + 16 (copied there where the
/// caller keeps it apart), and the three bytes of the nonce before it, in the place of the encrypted IV,
/// which is written later (sealing) or was read already (opening). So a message is one stretch of whole
/// blocks, then one or two blocks of tail, then the block of the outer hash.
namespace corliss::crypto::detail {

/// How many packets are sorted and sealed together; bounds the stack that a batch takes.
inline constexpr std::size_t batch_chunk = 64;

/// Into how many of `most` lanes `packets` packets of one size are put, so that each round has as many: five
/// go as three and two, not as four and one.
[[nodiscard]] constexpr std::size_t even_share(std::size_t packets, std::size_t most) noexcept {
  const std::size_t rounds = (packets + most - 1) / most;
  return rounds == 0 ? 0 : (packets + rounds - 1) / rounds;
}

/// One packet on its way through the lanes of SHA-1.
struct MacSlot {
  enum class Stage : std::uint8_t { body, tail, second_tail, outer };

  const std::uint8_t* data;  // the next block
  std::size_t blocks;        // until the stage ends
  const ShaniSession* session;
  std::size_t job;
  Stage stage;
  std::uint8_t tail_blocks;
  bool two_ends;     // the message may end in either block of the tail
  __m128i in_first;  // mask: it ends in the first
  Sha1Words first;   // the state behind that
  Padding padding;   // of `open`
  __m128i saved;     // `open`: the encrypted IV; `seal`: unused
  __m128i tail[8];
};

/// Moves from the body to the tail.
inline void start_tail(MacSlot& slot) noexcept {
  slot.stage = MacSlot::Stage::tail;
  slot.data = reinterpret_cast<const std::uint8_t*>(slot.tail);
  slot.blocks = slot.two_ends ? 1 : slot.tail_blocks;
}

/// Moves from any other stage to the next; false behind the last one. `state` is that of the slot's lane.
__attribute__((target(CORLISS_SHANI_TARGET))) inline bool advance(MacSlot& slot, Sha1Words& state) noexcept {
  const auto* const tail = reinterpret_cast<const std::uint8_t*>(slot.tail);
  switch (slot.stage) {
    case MacSlot::Stage::body:
      start_tail(slot);
      return true;
    case MacSlot::Stage::tail:
      if (slot.two_ends) {
        slot.first = state;
        slot.stage = MacSlot::Stage::second_tail;
        slot.data = tail + sha_block;
        slot.blocks = 1;
        return true;
      }
      break;
    case MacSlot::Stage::second_tail:
      state = select(slot.in_first, slot.first, state);
      break;
    case MacSlot::Stage::outer:
      return false;
  }
  slot.tail[0] = reversed(state.abcd);
  slot.tail[1] = reversed(outer_word1(state));
  slot.tail[2] = _mm_setzero_si128();
  slot.tail[3] = reversed(outer_word3());
  slot.stage = MacSlot::Stage::outer;
  slot.data = tail;
  slot.blocks = 1;
  state = slot.session->outer;
  return true;
}

/// Starts the message of out[13], of 3 + `size` bytes.
__attribute__((target(CORLISS_SHANI_TARGET))) inline void start_message(MacSlot& slot,
                                                                        const std::uint8_t* out,
                                                                        std::size_t size) noexcept {
  const std::size_t end = 3 + size;
  const std::size_t whole = end / sha_block;
  const std::size_t rest = end % sha_block;
  slot.stage = MacSlot::Stage::body;
  slot.data = out + 13;
  slot.blocks = whole;
  slot.tail_blocks = rest + 9 > sha_block ? 2 : 1;
  slot.two_ends = false;
  CORLISS_UNROLL
  for (auto& vector : slot.tail) {
    vector = _mm_setzero_si128();
  }
  auto* const tail = reinterpret_cast<std::uint8_t*>(slot.tail);
  std::memcpy(tail, out + 13 + whole * sha_block, rest);
  tail[rest] = 0x80;
  auto& last = slot.tail[slot.tail_blocks == 2 ? 7 : 3];
  last = _mm_or_si128(last, length_vector(end));
}

/// Starts the message of out[13], whose `length` bytes of plaintext end with padding of a size that is
/// secret.
__attribute__((target(CORLISS_SHANI_TARGET))) inline void start_padded_message(MacSlot& slot,
                                                                               const std::uint8_t* out,
                                                                               std::size_t length) noexcept {
  const std::size_t blocks = length / aes_block;
  const std::size_t whole = (blocks - 1) / 4;
  const std::size_t rest = blocks - 4 * whole;  // 1 to 4; what is behind vector rest - 1 of the tail is zero
  const std::uint8_t* const from = out + 13 + whole * sha_block;
  slot.stage = MacSlot::Stage::body;
  slot.data = out + 13;
  slot.blocks = whole;
  slot.tail_blocks = 1;
  slot.two_ends = rest == 4;
  const auto last = load(out + length);  // the last block of the plaintext
  slot.padding = check_padding(last);
  for (std::size_t i = 0; i < 8; ++i) {
    slot.tail[i] = i < rest ? load(from + i * aes_block) : _mm_setzero_si128();
  }
  slot.tail[rest - 1] = ended_at(slot.tail[rest - 1], 19 - slot.padding.size);
  slot.tail[rest] = ended_at(_mm_srli_si128(last, 13), 3 - slot.padding.size);
  auto bits = length_vector(3 + length - slot.padding.size);
  if (slot.two_ends) {
    slot.in_first = ends_in_first(slot.padding.size);
    slot.tail[7] = bits;
    bits = _mm_and_si128(bits, slot.in_first);
  }
  slot.tail[3] = _mm_or_si128(slot.tail[3], bits);
}

/// Runs the messages that `source` gives through `lanes`.
///   Source: packets(), their number; bool start(MacSlot&), false behind the last; void finish(MacSlot&,
///   const
///           Sha1Words& mac).
///   Lanes:  width; use(packets), how many lanes to fill; get(i), set(i, words); run(slots, live, blocks):
///   `blocks`
///           blocks of the lanes in `live`.
template <class Lanes, class Source>
__attribute__((target(CORLISS_SHANI_TARGET))) void run_macs(Lanes& lanes, Source& source) noexcept {
  std::array<MacSlot, Lanes::width> slots;
  std::array<std::uint8_t, Lanes::width> live;
  std::size_t count = 0;
  const std::size_t width = Lanes::use(source.packets());
  while (count < width && source.start(slots[count])) {
    lanes.set(count, slots[count].session->inner);
    live[count] = static_cast<std::uint8_t>(count);
    ++count;
  }
  const std::size_t used = count;
  while (count != 0) {
    std::size_t blocks = slots[live[0]].blocks;
    for (std::size_t i = 1; i < count; ++i) {
      blocks = std::min(blocks, slots[live[i]].blocks);
    }
    if (blocks != 0) {
      lanes.run(slots.data(), std::span(live).first(count), blocks);
    }
    for (std::size_t i = 0; i < count;) {
      auto& slot = slots[live[i]];
      slot.data += blocks * sha_block;
      slot.blocks -= blocks;
      if (slot.blocks == 0 && slot.stage == MacSlot::Stage::body) {
        start_tail(slot);  // the lane keeps its state
      } else if (slot.blocks == 0) {
        auto state = lanes.get(live[i]);
        if (advance(slot, state)) {
          lanes.set(live[i], state);
        } else {
          source.finish(slot, state);
          if (!source.start(slot)) {
            live[i] = live[--count];
            continue;
          }
          lanes.set(live[i], slot.session->inner);
        }
      }
      ++i;
    }
  }
  for (std::size_t i = 0; i < used; ++i) {
    wipe_vectors(slots[i].tail);
    slots[i].first = {_mm_setzero_si128(), _mm_setzero_si128()};
  }
}

/// One packet on its way through the lanes of CBC encryption, in place.
struct CbcSlot {
  std::uint8_t* data;
  std::size_t blocks;
  const ShaniSession* session;
};

/// As run_macs. Source: bool start(CbcSlot&, __m128i& chain). Lanes: width; start(i, session, chain);
/// run(slots, live, blocks).
template <class Lanes, class Source>
__attribute__((target(CORLISS_SHANI_TARGET))) void run_chains(Lanes& lanes, Source& source) noexcept {
  std::array<CbcSlot, Lanes::width> slots;
  std::array<std::uint8_t, Lanes::width> live;
  std::size_t count = 0;
  __m128i chain;
  while (count < Lanes::width && source.start(slots[count], chain)) {
    lanes.start(count, *slots[count].session, chain);
    live[count] = static_cast<std::uint8_t>(count);
    ++count;
  }
  while (count != 0) {
    std::size_t blocks = slots[live[0]].blocks;
    for (std::size_t i = 1; i < count; ++i) {
      blocks = std::min(blocks, slots[live[i]].blocks);
    }
    lanes.run(slots.data(), std::span(live).first(count), blocks);
    for (std::size_t i = 0; i < count;) {
      auto& slot = slots[live[i]];
      slot.data += blocks * aes_block;
      slot.blocks -= blocks;
      if (slot.blocks == 0) {
        if (!source.start(slot, chain)) {
          live[i] = live[--count];
          continue;
        }
        lanes.start(live[i], *slot.session, chain);
      }
      ++i;
    }
  }
}

/// The jobs of a chunk in order of falling size.
template <class Job>
class BySize {
 public:
  explicit BySize(std::span<Job> jobs) noexcept : jobs_(jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      std::size_t at = i;
      for (; at != 0 && jobs[order_[at - 1]].size < jobs[i].size; --at) {
        order_[at] = order_[at - 1];
      }
      order_[at] = static_cast<std::uint8_t>(i);
    }
  }
  /// The place of the next job, or the number of jobs behind the last.
  std::size_t next() noexcept { return given_ < jobs_.size() ? order_[given_++] : jobs_.size(); }
  void again() noexcept { given_ = 0; }
  [[nodiscard]] std::span<Job> jobs() const noexcept { return jobs_; }

 private:
  std::span<Job> jobs_;
  std::size_t given_ = 0;
  std::array<std::uint8_t, batch_chunk> order_;
};

/// What sealing feeds its lanes with, first those of SHA-1, then those of CBC.
class SealSource {
 public:
  explicit SealSource(std::span<SealJob> jobs) noexcept : order_(jobs) {}
  [[nodiscard]] std::size_t packets() const noexcept { return order_.jobs().size(); }

  __attribute__((target(CORLISS_SHANI_TARGET))) bool start(MacSlot& slot) noexcept {
    const auto at = order_.next();
    if (at == order_.jobs().size()) {
      return false;
    }
    const auto& job = order_.jobs()[at];
    std::uint8_t* const body = job.out + aes_block;
    if (job.plain != body && job.size != 0) {
      std::memcpy(body, job.plain, job.size);
    }
    std::memcpy(job.out + 13, job.nonce, 3);
    slot.session = &shani(*job.session);
    slot.job = at;
    start_message(slot, job.out, job.size);
    return true;
  }

  __attribute__((target(CORLISS_SHANI_TARGET))) void finish(const MacSlot& slot,
                                                            const Sha1Words& mac) noexcept {
    auto& job = order_.jobs()[slot.job];
    ivs_[slot.job] = iv_from(mac, nonce_vector(job.nonce));
    job.done = true;
  }

  /// Pads every packet; the IVs are ready.
  __attribute__((target(CORLISS_SHANI_TARGET))) void start_chains() noexcept {
    for (const auto& job : order_.jobs()) {
      std::uint8_t* const rest = job.out + aes_block + job.size;
      const std::size_t pad = aes_block - job.size % aes_block;
      std::memset(rest, static_cast<int>(pad), pad);
    }
    order_.again();
  }
  [[nodiscard]] std::span<SealJob> jobs() const noexcept { return order_.jobs(); }
  [[nodiscard]] const __m128i* ivs() const noexcept { return ivs_; }

  __attribute__((target(CORLISS_SHANI_TARGET))) bool start(CbcSlot& slot, __m128i& chain) noexcept {
    const auto at = order_.next();
    if (at == order_.jobs().size()) {
      return false;
    }
    const auto& job = order_.jobs()[at];
    slot = {job.out + aes_block, job.size / aes_block + 1, &shani(*job.session)};
    chain = ivs_[at];
    return true;
  }

 private:
  BySize<SealJob> order_;
  __m128i ivs_[batch_chunk];
};

/// What opening feeds its lanes with: it decrypts a packet as the packet enters.
///   Decrypt: void(const ShaniSession&, data, blocks), CBC in place with an IV of zero.
template <void (*Decrypt)(const ShaniSession&, std::uint8_t*, std::size_t) noexcept>
class OpenSource {
 public:
  explicit OpenSource(std::span<OpenJob> jobs) noexcept : order_(jobs) {}
  [[nodiscard]] std::size_t packets() const noexcept { return order_.jobs().size(); }

  __attribute__((target(CORLISS_SHANI_TARGET))) bool start(MacSlot& slot) noexcept {
    const auto at = order_.next();
    if (at == order_.jobs().size()) {
      return false;
    }
    const auto& job = order_.jobs()[at];
    slot.session = &shani(*job.session);
    slot.job = at;
    slot.saved = load(job.sealed);
    // The encrypted IV is a block like the others, decrypted with an IV of zero. But the block behind it
    // wants the decrypted IV as chaining value, and takes the encrypted one for it: that is mended here.
    Decrypt(*slot.session, job.sealed, job.size / aes_block);
    store(job.sealed + aes_block,
          _mm_xor_si128(_mm_xor_si128(load(job.sealed + aes_block), slot.saved), load(job.sealed)));
    start_padded_message(slot, job.sealed, job.size - aes_block);
    return true;
  }

  __attribute__((target(CORLISS_SHANI_TARGET))) void finish(const MacSlot& slot,
                                                            const Sha1Words& mac) noexcept {
    auto& job = order_.jobs()[slot.job];
    const auto iv = load(job.sealed);
    store(job.sealed, slot.saved);
    job.result = accepts(slot.padding, mac, iv) == 0
                     ? open_refused
                     : static_cast<std::ptrdiff_t>(job.size - aes_block - slot.padding.size);
  }

 private:
  BySize<OpenJob> order_;
};

/// Seals or opens any number of jobs by chunks. EncryptIvs: void(SealSource&), writes ECB(iv) of each job.
template <class MacLanes, class CbcLanes, class EncryptIvs>
__attribute__((target(CORLISS_SHANI_TARGET))) void seal_in_lanes(std::span<SealJob> jobs,
                                                                 EncryptIvs encrypt_ivs) noexcept {
  MacLanes macs;
  CbcLanes chains;
  while (!jobs.empty()) {
    const std::size_t count = std::min(jobs.size(), batch_chunk);
    SealSource source(jobs.first(count));
    run_macs(macs, source);
    source.start_chains();
    encrypt_ivs(source);
    run_chains(chains, source);
    jobs = jobs.subspan(count);
  }
}

template <class MacLanes, void (*Decrypt)(const ShaniSession&, std::uint8_t*, std::size_t) noexcept>
__attribute__((target(CORLISS_SHANI_TARGET))) void open_in_lanes(std::span<OpenJob> jobs) noexcept {
  MacLanes macs;
  while (!jobs.empty()) {
    const std::size_t count = std::min(jobs.size(), batch_chunk);
    OpenSource<Decrypt> source(jobs.first(count));
    run_macs(macs, source);
    jobs = jobs.subspan(count);
  }
}

}  // namespace corliss::crypto::detail
