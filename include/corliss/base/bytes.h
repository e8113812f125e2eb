#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// `base`: what every layer speaks: bytes, results, faults, secrets, randomness, time. Lives in `corliss`
/// itself.
namespace corliss {

/// Writable bytes of somebody else's buffer. A function that takes one says how much of it it writes.
using Bytes = std::span<std::uint8_t>;
/// Readable bytes of somebody else's buffer.
using ConstBytes = std::span<const std::uint8_t>;

/// The bytes of `text`, without a terminator. Lives as long as `text`.
[[nodiscard]] inline ConstBytes bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// `bytes` seen as text (any bytes, not checked for UTF-8). Lives as long as `bytes`.
[[nodiscard]] inline std::string_view text_of(ConstBytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace corliss
