#pragma once

#include <corliss/base/bytes.h>

#include <array>
#include <cstdint>
#include <vector>

/// The packets that every implementation of the packet channel works on: each in its own slot of one buffer,
/// with the room of a real one (frame header 8, encrypted IV 16, padding 16), sealed and opened in place.
namespace corliss::bench {

using SessionKey = std::array<std::uint8_t, 32>;

struct Workload {
  std::vector<std::size_t> sizes;  ///< plaintext bytes of each packet of one pass, a multiple of `batch` many
  std::size_t batch = 1;           ///< packets in one call
  std::size_t sessions = 1;        ///< packet i belongs to session i % sessions
};

/// `size` many times, as many packets as fit into the L1 cache, at least one batch and at most 64 or one
/// batch.
[[nodiscard]] Workload uniform_workload(std::size_t size, std::size_t batch, std::size_t sessions);
/// 64 packets in one batch, sizes uniform from 16 to 1500, the same ones every time.
[[nodiscard]] Workload mixed_workload();

/// The made-up key of a session.
[[nodiscard]] SessionKey session_key(std::size_t session);

class Arena {
 public:
  explicit Arena(Workload workload);

  struct Slot {
    std::size_t session = 0;
    std::size_t offset = 0;  ///< of the packet in the buffer
    std::size_t plain_size = 0;
    std::size_t packet_size = 0;
    bool accepted = false;  ///< what `open` said
  };

  [[nodiscard]] const Workload& workload() const noexcept { return workload_; }
  [[nodiscard]] std::vector<Slot>& slots() noexcept { return slots_; }
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] std::size_t plain_bytes() const noexcept;
  /// The packet's place: IV, then plaintext or ciphertext with padding.
  [[nodiscard]] std::uint8_t* packet(const Slot& slot) noexcept { return buffer_.data() + slot.offset; }
  [[nodiscard]] std::uint8_t* plain(const Slot& slot) noexcept { return packet(slot) + 16; }

  /// Puts the plaintexts, or packets sealed by the plain reference, in their places.
  void fill_plain();
  void fill_packets();

  /// Every slot holds the packet of its plaintext under whatever nonce it carries: compared byte by byte with
  /// the plain reference. What is wrong, or empty.
  [[nodiscard]] std::string check_packets();
  /// Every slot was accepted and holds its plaintext.
  [[nodiscard]] std::string check_plain();
  /// After opening packets of which slot `broken` had one bit changed: it was refused, all others hold their
  /// plaintext.
  [[nodiscard]] std::string check_refusal(std::size_t broken);

 private:
  Workload workload_;
  std::vector<Slot> slots_;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::uint8_t> plain_image_;
  std::vector<std::uint8_t> packet_image_;
};

/// The packet by the plain reference: libcrypto, nothing kept, straight from protocol text. Throws
/// std::runtime_error.
[[nodiscard]] std::vector<std::uint8_t> reference_packet(const SessionKey& key, ConstBytes plain,
                                                         const std::array<std::uint8_t, 3>& nonce);
/// The nonce that a packet carries.
[[nodiscard]] std::array<std::uint8_t, 3> reference_nonce(const SessionKey& key, ConstBytes packet);

}  // namespace corliss::bench
