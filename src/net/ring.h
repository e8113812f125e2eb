#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace corliss::net {

/// A queue that, once it is as long as it ever gets, allocates nothing; std::deque does every few elements.
/// Popped elements stay as they are, moved-from or not, until their place is needed again.
template <class T>
class Ring {
 public:
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return slots_[(head_ + i) & (slots_.size() - 1)]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return slots_[(head_ + i) & (slots_.size() - 1)];
  }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] T& back() noexcept { return (*this)[count_ - 1]; }

  void push(T&& value) {
    if (count_ == slots_.size()) {
      grow();
    }
    ++count_;
    back() = std::move(value);
  }
  T pop() noexcept {
    T value = std::move(front());
    head_ = (head_ + 1) & (slots_.size() - 1);
    --count_;
    return value;
  }
  /// Drops the elements and their memory.
  void release() noexcept {
    std::vector<T>().swap(slots_);
    head_ = count_ = 0;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 4 : 2 * slots_.size());
    for (std::size_t i = 0; i < count_; ++i) {
      larger[i] = std::move((*this)[i]);
    }
    slots_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> slots_;  // a power of two
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace corliss::net
