#pragma once

#include "support/test_support.h"

#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <optional>
#include <string>
#include <vector>

/// What the tests of the packet cipher share.
namespace corliss::crypto {

using Vec = std::vector<std::uint8_t>;

/// The plain way through libcrypto, new contexts for everything: what every kernel must agree with.
namespace reference {
Vec mac(ConstBytes key, ConstBytes nonce, ConstBytes plain);
Vec seal(ConstBytes key, ConstBytes nonce, ConstBytes plain);
std::optional<Vec> open(ConstBytes key, ConstBytes packet);
Vec seal_legacy(ConstBytes key, ConstBytes iv, ConstBytes plain);
std::optional<Vec> open_legacy(ConstBytes key, ConstBytes packet);
/// The legacy format with `padded` as it is, whole blocks: for wrong paddings.
Vec encrypt_padded(ConstBytes key, ConstBytes iv, ConstBytes padded);
}  // namespace reference

inline std::vector<std::string> supported_kernels() {
  std::vector<std::string> names;
  for (const auto& kernel : kernels()) {
    if (kernel.supported) {
      names.emplace_back(kernel.name);
    }
  }
  return names;
}

inline std::string name_of_kernel(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

inline std::span<const std::uint8_t, session_key_size> key_of(const Vec& key) {
  return std::span<const std::uint8_t, session_key_size>(key);
}

inline Vec copy(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace corliss::crypto
