#pragma once

#include <corliss/base/bytes.h>

namespace corliss::crypto {

/// The CRC-32 of zlib, PNG and zip: reflected polynomial 0xEDB88320, initial value and final XOR 0xFFFFFFFF;
/// "123456789" gives 0xCBF43926. For data in pieces pass the value of the pieces before.
/// Source: protocol RSA blobs (ChannelEncryptResponse), Multi, depot containers. Allocates nothing, any
/// thread.
[[nodiscard]] std::uint32_t crc32(ConstBytes bytes, std::uint32_t previous = 0) noexcept;

/// What Adler-32 starts from. Depot data (the `crc` field of a manifest's chunk) starts from 0 where zlib
/// starts from 1, so a buffer of zeros of any length has checksum 0.
inline constexpr std::uint32_t adler32_depot_seed = 0;
inline constexpr std::uint32_t adler32_zlib_seed = 1;

/// Adler-32 from any `seed`: a start value from above, or the value of the pieces before. Each half of a seed
/// is taken modulo 65521. Allocates nothing, any thread.
[[nodiscard]] std::uint32_t adler32(ConstBytes bytes, std::uint32_t seed) noexcept;

}  // namespace corliss::crypto
