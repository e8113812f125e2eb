#pragma once

#include <corliss/base/bytes.h>
#include <corliss/crypto/errc.h>
#include <corliss/crypto/packet_cipher.h>

#include <cstdint>
#include <system_error>

/// What is checked before a kernel is called; an unset error code is consent.
namespace corliss::crypto::detail {

/// Whether the two share no byte.
[[nodiscard]] inline bool apart(ConstBytes x, ConstBytes y) noexcept {
  const auto a = reinterpret_cast<std::uintptr_t>(x.data());
  const auto b = reinterpret_cast<std::uintptr_t>(y.data());
  return x.empty() || y.empty() || b >= a + x.size() || a >= b + y.size();
}

[[nodiscard]] inline std::error_code check_seal(ConstBytes plain, ConstBytes out) noexcept {
  if (plain.size() > max_plaintext_size) [[unlikely]] {
    return Errc::too_large;
  }
  const std::size_t size = sealed_size(plain.size());
  if (out.size() < size) [[unlikely]] {
    return BaseErrc::buffer_too_small;
  }
  const auto packet = out.first(size);
  if (plain.data() != packet.data() + packet_iv_size && !apart(plain, packet)) [[unlikely]] {
    return Errc::buffers_overlap;
  }
  return {};
}

[[nodiscard]] inline std::error_code check_sealed(std::size_t size) noexcept {
  if (size > max_packet_size) [[unlikely]] {
    return Errc::too_large;
  }
  if (size < 2 * packet_iv_size || size % packet_iv_size != 0) [[unlikely]] {
    return Errc::unauthenticated;
  }
  return {};
}

}  // namespace corliss::crypto::detail
