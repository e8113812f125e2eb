#pragma once

#include <corliss/base/bytes.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace corliss {

/// Overwrites `bytes` with zeros in a way that no optimiser removes (explicit_bzero).
void wipe(Bytes bytes) noexcept;

/// Whether the two are equal, in a time that depends on their lengths only. Unequal lengths give false.
[[nodiscard]] bool constant_time_equal(ConstBytes a, ConstBytes b) noexcept;

/// `N` secret bytes that wipe themselves when they end or are moved from. Cannot be copied, printed or
/// compared with
/// `==`; use `constant_time_equal`.
template <std::size_t N>
class Secret {
 public:
  Secret() noexcept : bytes_{} {}
  explicit Secret(std::span<const std::uint8_t, N> bytes) noexcept {
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  Secret(Secret&& other) noexcept : bytes_(other.bytes_) { wipe(other.bytes_); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      bytes_ = other.bytes_;
      wipe(other.bytes_);
    }
    return *this;
  }
  ~Secret() { wipe(bytes_); }

  static constexpr std::size_t size() noexcept { return N; }
  /// The bytes; they live as long as this object. Copies of them are the caller's to wipe.
  [[nodiscard]] std::span<const std::uint8_t, N> reveal() const noexcept { return bytes_; }
  [[nodiscard]] std::span<std::uint8_t, N> reveal() noexcept { return bytes_; }

 private:
  std::array<std::uint8_t, N> bytes_;
};

}  // namespace corliss
