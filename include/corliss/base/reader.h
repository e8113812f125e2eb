#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/endian.h>
#include <corliss/base/result.h>

#include <concepts>
#include <type_traits>

namespace corliss {

/// Takes little-endian values from the front of a buffer. A read either succeeds whole or fails with
/// BaseErrc::truncated and moves nothing. Allocates nothing; spans that it returns live as long as its input.
///
///     Reader in(packet);
///     CORLISS_TRY(const auto emsg, in.u32());
///     CORLISS_TRY(const auto body, in.bytes(length));
class Reader {
 public:
  explicit Reader(ConstBytes input) noexcept : all_(input), rest_(input) {}

  [[nodiscard]] Result<std::uint8_t> u8() noexcept { return take<std::uint8_t>(); }
  [[nodiscard]] Result<std::uint16_t> u16() noexcept { return take<std::uint16_t>(); }
  [[nodiscard]] Result<std::uint32_t> u32() noexcept { return take<std::uint32_t>(); }
  [[nodiscard]] Result<std::uint64_t> u64() noexcept { return take<std::uint64_t>(); }
  [[nodiscard]] Result<std::int32_t> i32() noexcept {
    return take<std::uint32_t>().map([](std::uint32_t v) { return static_cast<std::int32_t>(v); });
  }

  /// The next `count` bytes, still in the input.
  [[nodiscard]] Result<ConstBytes> bytes(std::size_t count) noexcept {
    if (count > rest_.size()) {
      return fail(BaseErrc::truncated);
    }
    const auto front = rest_.first(count);
    rest_ = rest_.subspan(count);
    return front;
  }

  [[nodiscard]] Result<void> skip(std::size_t count) noexcept {
    return bytes(count).map([](ConstBytes) {});
  }

  /// All that is left, which is then taken.
  [[nodiscard]] ConstBytes take_rest() noexcept {
    const auto rest = rest_;
    rest_ = {};
    return rest;
  }

  /// Fails with BaseErrc::trailing_bytes unless everything was read.
  [[nodiscard]] Result<void> expect_end() const noexcept {
    if (!rest_.empty()) {
      return fail(BaseErrc::trailing_bytes);
    }
    return {};
  }

  [[nodiscard]] std::size_t remaining() const noexcept { return rest_.size(); }
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  /// Bytes taken so far; where an error message points.
  [[nodiscard]] std::size_t offset() const noexcept { return all_.size() - rest_.size(); }
  /// What is left, not taken.
  [[nodiscard]] ConstBytes peek() const noexcept { return rest_; }

 private:
  template <std::unsigned_integral T>
  [[nodiscard]] Result<T> take() noexcept {
    if (rest_.size() < sizeof(T)) {
      return fail(BaseErrc::truncated);
    }
    const T value = load_le<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  ConstBytes all_;
  ConstBytes rest_;
};

}  // namespace corliss
