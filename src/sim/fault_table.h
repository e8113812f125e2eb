#pragma once

#include <corliss/sim/faults.h>

#include <array>
#include <string_view>

namespace corliss::sim {

/// The parameters of faults, as bits.
enum FaultParameter : unsigned {
  no_parameter = 0,
  with_after_bytes = 1U << 0,
  with_after_messages = 1U << 1,
  with_by = 1U << 2,
  with_percent = 1U << 3,
  with_at = 1U << 4,
  with_result = 1U << 5,
};

struct FaultRow {
  std::string_view name;
  Schemes on;
  unsigned allowed;
  unsigned required;
};

inline constexpr Schemes streams = Scheme::tcp | Scheme::ws | Scheme::wss;
inline constexpr Schemes sealed_channels = Scheme::tcp | Scheme::udp;
inline constexpr Schemes macs = sealed_channels | Scheme::wss;
inline constexpr Schemes everywhere = Schemes::all();

/// By FaultKind.
inline constexpr std::array<FaultRow, fault_kind_count> fault_table{{
    {"refuse", everywhere, no_parameter, no_parameter},
    {"delay", everywhere, with_by, with_by},
    {"split", streams, no_parameter, no_parameter},
    {"stall", everywhere, with_after_bytes, no_parameter},
    {"reset", streams, with_after_bytes, no_parameter},
    {"half_close", streams, with_after_bytes, no_parameter},
    {"garble", everywhere, with_after_bytes, no_parameter},
    {"wrong_mac", macs, with_after_messages, no_parameter},
    {"replay", everywhere, with_after_messages, no_parameter},
    {"duplicate", everywhere, with_after_messages, no_parameter},
    {"oversized", everywhere, with_after_messages, no_parameter},
    {"multi_bomb", everywhere, with_after_messages, no_parameter},
    {"result", everywhere, with_at | with_result, with_result},
    {"drop", Scheme::udp, with_percent, with_percent},
    {"late", everywhere, with_by, with_by},
    {"try_another_cm", everywhere, with_after_messages, no_parameter},
}};

/// Where the rule means something: that of its kind, less for a result at the channel.
[[nodiscard]] constexpr Schemes schemes_of(const FaultRule& rule) noexcept {
  const bool at_channel = rule.kind == FaultKind::result && rule.at == FaultPoint::channel;
  return at_channel ? sealed_channels : fault_table[static_cast<std::size_t>(rule.kind)].on;
}

}  // namespace corliss::sim
