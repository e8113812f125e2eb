#pragma once

#include <corliss/base/bytes.h>

#include <cstdint>

namespace corliss::keyvalues::detail {

/// CRC-32 as zip and PNG have it. The layer stands on `base` alone, and only small VBKV files need it.
[[nodiscard]] std::uint32_t crc32(ConstBytes bytes) noexcept;

}  // namespace corliss::keyvalues::detail
