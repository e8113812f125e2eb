#pragma once

#include "bench/packet_subjects.h"

/// What the implementations share: the arena, filling it before a pass, checking it after one.
namespace corliss::bench {

/// Runs `run(first, count)` over the arena in batches. For every operation but Op::key.
class PacketSubject : public Subject {
 public:
  PacketSubject(std::string name, Op op, Part part, const Workload& workload);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::size_t units() const override { return arena_.size(); }
  void prepare() override;
  void pass() override;
  [[nodiscard]] std::string check() override;

 protected:
  virtual void run(std::size_t first, std::size_t count) = 0;
  /// After a pass, untimed, before the check: puts into the slots what `open` said of each.
  virtual void collect() {}
  [[nodiscard]] Arena& arena() noexcept { return arena_; }
  [[nodiscard]] Op op() const noexcept { return op_; }
  [[nodiscard]] Part part() const noexcept { return part_; }
  /// Where Op::mac leaves the MAC of a slot.
  [[nodiscard]] std::uint8_t* mac_of(std::size_t slot) noexcept { return macs_.data() + 20 * slot; }
  /// The nonce of a slot for what does not draw one.
  [[nodiscard]] static const std::uint8_t* given_nonce() noexcept;

 private:
  [[nodiscard]] std::string check_macs();

  std::string name_;
  Op op_;
  Part part_;
  Arena arena_;
  std::vector<std::uint8_t> macs_;
};

}  // namespace corliss::bench
