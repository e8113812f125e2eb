#pragma once

#include <corliss/base/buffer.h>
#include <corliss/base/time.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace corliss::net {

/// The outgoing side of a stream: one buffer is filled while the other is written, so that what a write holds
/// never moves and all that came meanwhile is sealed at once.
class SendQueue {
 public:
  /// Where new bytes go.
  [[nodiscard]] Buffer& filling() noexcept { return filling_; }
  /// Bytes that are written next.
  [[nodiscard]] ConstBytes outgoing() const noexcept { return writing_.bytes().subspan(written_); }
  [[nodiscard]] std::size_t size() const noexcept { return filling_.size() + writing_.size() - written_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Something was queued: the time that it may wait starts, if nothing waited before.
  void note_queued(TimePoint now) noexcept {
    if (!waiting_since_) {
      waiting_since_ = now;
    }
  }
  /// Since when the transport has taken nothing although something waits.
  [[nodiscard]] std::optional<TimePoint> waiting_since() const noexcept { return waiting_since_; }

  /// What was filled is to be written; only when everything before it is.
  void turn() noexcept { filling_.swap(writing_); }

  void sent(std::size_t count, TimePoint now) noexcept {
    written_ += std::min(count, writing_.size() - written_);
    if (written_ == writing_.size()) {
      writing_.clear();
      written_ = 0;
      if (writing_.capacity() > keep_capacity) {
        writing_.release();
      }
    }
    waiting_since_ = empty() ? std::nullopt : std::optional(now);
  }

  /// What is not being written yet goes. The rest stays: a write may be under way.
  void drop_unwritten() noexcept { filling_.release(); }

  void trim() noexcept {
    if (filling_.empty()) {
      filling_.release();
    }
    if (writing_.empty()) {
      writing_.release();
    }
  }

 private:
  static constexpr std::size_t keep_capacity = std::size_t{1} << 20;  // more is given back when written

  Buffer filling_;
  Buffer writing_;
  std::size_t written_ = 0;
  std::optional<TimePoint> waiting_since_;
};

}  // namespace corliss::net
