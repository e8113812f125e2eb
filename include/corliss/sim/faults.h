#pragma once

#include <corliss/base/result.h>
#include <corliss/base/time.h>
#include <corliss/io/endpoint.h>
#include <corliss/proto/eresult.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// Faults on demand: what a server of ours does wrong, to which of its connections. docs/faults.md has the
/// script form of all this, and what a good client makes of each.
namespace corliss::sim {

using io::Scheme;
inline constexpr std::size_t scheme_count = 4;

/// A set of transports.
class Schemes {
 public:
  constexpr Schemes() noexcept = default;
  constexpr Schemes(Scheme one) noexcept : Schemes(bit(one)) {}  // NOLINT: a transport is a set of one
  static constexpr Schemes all() noexcept { return Schemes(0xFU); }

  [[nodiscard]] constexpr bool has(Scheme one) const noexcept { return (bits_ & bit(one)) != 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  friend constexpr Schemes operator|(Schemes a, Schemes b) noexcept {
    return Schemes(unsigned{a.bits_} | b.bits_);
  }
  friend constexpr Schemes operator&(Schemes a, Schemes b) noexcept {
    return Schemes(unsigned{a.bits_} & b.bits_);
  }
  friend constexpr bool operator==(Schemes, Schemes) noexcept = default;

 private:
  constexpr explicit Schemes(unsigned bits) noexcept : bits_(static_cast<std::uint8_t>(bits)) {}
  static constexpr unsigned bit(Scheme one) noexcept { return 1U << static_cast<unsigned>(one); }
  std::uint8_t bits_ = 0;
};
[[nodiscard]] constexpr Schemes operator|(Scheme a, Scheme b) noexcept {
  return Schemes(a) | Schemes(b);
}

/// "Messages" are those of the application, which a CM sends once the connection stands; bytes are all that
/// the server writes to its socket, from the first of the handshake. Both are counted from 0.
enum class FaultKind : std::uint8_t {
  refuse,  ///< The connection ends as it comes in, before a byte. UDP: the request is answered by Disconnect.
  delay,   ///< All that the server sends comes `by` later.
  split,   ///< All that the server sends comes in writes of one byte. Not UDP.
  stall,   ///< After `after_bytes` nothing comes any more; the connection stays open.
  reset,   ///< After `after_bytes` the connection is reset. Not UDP.
  half_close,      ///< After `after_bytes` the server's direction ends; it still reads. Not UDP.
  garble,          ///< One bit of byte number `after_bytes` is changed.
  wrong_mac,       ///< Message number `after_messages` has a changed MAC. Not WebSocket, which has none.
  replay,          ///< The sealed bytes of message number `after_messages` come twice.
  duplicate,       ///< Message number `after_messages` is sent twice.
  oversized,       ///< Message number `after_messages` says it is 1 byte longer than net::max_frame_size.
  multi_bomb,      ///< Before message number `after_messages` comes a Multi that unpacks to 2 GiB, it says.
  result,          ///< `at` is answered by `result`. At the channel: not WebSocket.
  drop,            ///< `percent` of the datagrams are lost, in either direction. UDP only.
  late,            ///< What the CM answers comes `by` later.
  try_another_cm,  ///< After `after_messages` the client is sent away: TryAnotherCM, as answer to its logon
                   ///< (0) or as ClientLoggedOff.
};
inline constexpr std::size_t fault_kind_count = 16;

/// `half_close`: the name in scripts.
[[nodiscard]] std::string_view name_of(FaultKind kind) noexcept;
/// Where it exists.
[[nodiscard]] Schemes schemes_of(FaultKind kind) noexcept;

/// What a FaultKind::result refuses.
enum class FaultPoint : std::uint8_t { channel, logon };

/// One fault for some connections. Of the parameters only those that its kind names above mean something.
struct FaultRule {
  FaultKind kind = FaultKind::refuse;
  Schemes on = Schemes::all();  ///< Those without this fault are left alone.
  /// The connections it strikes, counted from 1 for each transport as they come in.
  std::uint64_t first_connection = 1;
  std::uint64_t last_connection = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t after_bytes = 0;
  std::uint64_t after_messages = 0;
  Duration by{};
  unsigned percent = 100;
  FaultPoint at = FaultPoint::logon;
  proto::EResult result = proto::EResult::ServiceUnavailable;
};

/// Several faults may strike one connection at once.
using FaultRules = std::vector<FaultRule>;

/// Errors: Errc::bad_fault, where its kind exists on none of its transports.
[[nodiscard]] Result<void> check(const FaultRule& rule) noexcept;

/// Those that strike connection number `number` (from 1) of `transport`.
[[nodiscard]] FaultRules rules_for(const FaultRules& all, Scheme transport, std::uint64_t number);

/// Limits of a script and of the numbers in it.
inline constexpr std::size_t max_script_size = std::size_t{1} << 20;
inline constexpr std::size_t max_script_faults = 1000;
inline constexpr Duration max_fault_delay = std::chrono::hours(1);
inline constexpr std::uint64_t max_fault_count = std::uint64_t{1} << 40;  ///< bytes, messages, connections

/// Reads a fault script (JSON, docs/faults.md): {"faults": [{"fault": "stall", "after_bytes": 100}]}.
/// Whatever it does not know it refuses. Errors: Errc::bad_script, Errc::script_too_large; `why` then says,
/// in one line, which entry, what is wrong with it and what is allowed.
[[nodiscard]] Result<FaultRules> parse_fault_script(std::string_view json, std::string& why);

}  // namespace corliss::sim
