#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/secret.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace corliss {

/// Bytes that grow, for message buffers: room is not initialised, capacity stays when the content goes, and
/// memory is wiped before it is given back, since plaintext may have been in it. Moves, never copies.
/// May throw std::bad_alloc, nothing else.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        used_(std::exchange(other.used_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// The content; valid until the buffer grows, is moved from or ends.
  [[nodiscard]] Bytes bytes() noexcept { return {data_.get(), size_}; }
  [[nodiscard]] ConstBytes bytes() const noexcept { return {data_.get(), size_}; }

  /// Makes room for `capacity` bytes in all; the content stays.
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) {
      return;
    }
    auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    if (size_ > 0) {
      std::memcpy(larger.get(), data_.get(), size_);
    }
    wipe({data_.get(), used_});
    data_ = std::move(larger);
    capacity_ = capacity;
    used_ = size_;
  }

  /// `count` more bytes at the end, not initialised. Room at least doubles where it has to grow.
  [[nodiscard]] Bytes extend(std::size_t count) {
    if (count > capacity_ - size_) {
      reserve(std::max(size_ + count, 2 * capacity_));
    }
    const Bytes room{data_.get() + size_, count};
    size_ += count;
    used_ = std::max(used_, size_);
    return room;
  }

  void append(ConstBytes bytes) {
    const Bytes room = extend(bytes.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
  }

  /// Forgets all but the first `count` bytes, which must be there. Capacity stays.
  void truncate(std::size_t count) noexcept { size_ = std::min(size_, count); }
  void clear() noexcept { size_ = 0; }
  /// Wipes everything that was ever written and keeps the room.
  void clear_and_wipe() noexcept {
    wipe({data_.get(), used_});
    size_ = used_ = 0;
  }
  /// Wipes and gives the memory back.
  void release() noexcept {
    clear_and_wipe();
    data_.reset();
    capacity_ = 0;
  }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(used_, other.used_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  std::unique_ptr<std::uint8_t[]> data_;
  std::size_t size_ = 0;
  std::size_t used_ = 0;  ///< high-water mark of what was written since the last wipe
  std::size_t capacity_ = 0;
};

}  // namespace corliss
