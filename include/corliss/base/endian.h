#pragma once

#include <corliss/base/bytes.h>

#include <bit>
#include <concepts>
#include <cstring>

namespace corliss {
namespace detail {
template <std::unsigned_integral T>
constexpr T byte_swap(T value) noexcept {
  if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else if constexpr (sizeof(T) == 8) {
    return __builtin_bswap64(value);
  } else {
    return value;
  }
}
}  // namespace detail

/// Reads a little-endian `T` from `from`, which must have sizeof(T) readable bytes; any alignment.
template <std::unsigned_integral T>
[[nodiscard]] T load_le(const std::uint8_t* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return std::endian::native == std::endian::little ? value : detail::byte_swap(value);
}

/// Reads a big-endian `T` from `from`, which must have sizeof(T) readable bytes; any alignment.
template <std::unsigned_integral T>
[[nodiscard]] T load_be(const std::uint8_t* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return std::endian::native == std::endian::big ? value : detail::byte_swap(value);
}

/// Writes `value` little-endian to `to`, which must have sizeof(T) writable bytes; any alignment.
template <std::unsigned_integral T>
void store_le(std::uint8_t* to, T value) noexcept {
  value = std::endian::native == std::endian::little ? value : detail::byte_swap(value);
  std::memcpy(to, &value, sizeof value);
}

/// Writes `value` big-endian to `to`, which must have sizeof(T) writable bytes; any alignment.
template <std::unsigned_integral T>
void store_be(std::uint8_t* to, T value) noexcept {
  value = std::endian::native == std::endian::big ? value : detail::byte_swap(value);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace corliss
