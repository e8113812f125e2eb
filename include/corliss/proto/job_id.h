#pragma once

#include <corliss/proto/global_id.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace corliss::proto {

/// Ties an answer to its request: the answer's target is the request's source. Chosen by whoever asks and
/// opaque to the other side; a default one is `none`, 2^64-1, on the wire the same as absent. 0 is not none,
/// but better avoided. Source: SteamKit JobID.cs.
class JobId {
 public:
  constexpr JobId() noexcept = default;
  constexpr explicit JobId(std::uint64_t value) noexcept : value_(value) {}

  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  [[nodiscard]] constexpr bool is_none() const noexcept { return value_ == none; }
  /// The same number seen as Valve's own jobs lay it out; clients may choose any other way.
  [[nodiscard]] constexpr GlobalId as_global_id() const noexcept { return GlobalId(value_); }

  friend constexpr bool operator==(JobId, JobId) noexcept = default;
  friend constexpr auto operator<=>(JobId, JobId) noexcept = default;

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t value_ = none;
};

/// The decimal form.
[[nodiscard]] inline std::string to_string(JobId id) {
  return std::to_string(id.value());
}

}  // namespace corliss::proto

template <>
struct std::hash<corliss::proto::JobId> {
  std::size_t operator()(corliss::proto::JobId id) const noexcept {
    return std::hash<std::uint64_t>()(id.value());
  }
};
