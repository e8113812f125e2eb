#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/endian.h>

#include <utility>
#include <vector>

namespace corliss {

/// Appends little-endian values to a growing buffer of its own. May throw std::bad_alloc, nothing else.
/// For hot paths write into the caller's buffer with `store_le`.
class Writer {
 public:
  Writer() = default;
  explicit Writer(std::size_t capacity) { out_.reserve(capacity); }

  void u8(std::uint8_t value) { out_.push_back(value); }
  void u16(std::uint16_t value) { put(value); }
  void u32(std::uint32_t value) { put(value); }
  void u64(std::uint64_t value) { put(value); }
  void i32(std::int32_t value) { put(static_cast<std::uint32_t>(value)); }
  void bytes(ConstBytes value) { out_.insert(out_.end(), value.begin(), value.end()); }

  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }
  /// What was written so far; valid until the next write.
  [[nodiscard]] ConstBytes view() const noexcept { return out_; }
  /// Gives the buffer away; the writer is empty afterwards.
  [[nodiscard]] std::vector<std::uint8_t> take() noexcept { return std::move(out_); }

 private:
  template <std::unsigned_integral T>
  void put(T value) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof(T));
    store_le(out_.data() + at, value);
  }

  std::vector<std::uint8_t> out_;
};

}  // namespace corliss
