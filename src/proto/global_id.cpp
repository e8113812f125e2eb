#include <corliss/proto/global_id.h>

#include <limits>

namespace corliss::proto {

Result<GlobalId> GlobalId::parse(std::string_view text) noexcept {
  return detail::parse_decimal(text, std::numeric_limits<std::uint64_t>::max()).map([](std::uint64_t value) {
    return GlobalId(value);
  });
}

}  // namespace corliss::proto
