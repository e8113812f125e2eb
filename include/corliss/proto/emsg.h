#pragma once

#include <corliss/proto/emsg_values.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace corliss::proto {

/// Set in the first word of a message that has a protobuf header; not part of its EMsg.
inline constexpr std::uint32_t protobuf_flag = 0x80000000;

/// The EMsg in the first word of a message, known or not.
[[nodiscard]] constexpr EMsg emsg_of_word(std::uint32_t word) noexcept {
  return static_cast<EMsg>(word & ~protobuf_flag);
}

/// `ClientHello`, or nothing for a number without a name. Lives forever.
[[nodiscard]] std::string_view name_of(EMsg emsg) noexcept;

/// The EMsg of exactly this name.
[[nodiscard]] std::optional<EMsg> emsg_of_name(std::string_view name) noexcept;

/// `ClientHello (9805)`, or `EMsg 4711` for a number without a name.
[[nodiscard]] std::string to_string(EMsg emsg);

}  // namespace corliss::proto
