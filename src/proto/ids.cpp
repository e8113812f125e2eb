#include <corliss/proto/errc.h>
#include <corliss/proto/ids.h>

namespace corliss::proto::detail {

Result<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t max) noexcept {
  if (text.empty()) {
    return fail(Errc::bad_id);
  }
  std::uint64_t value = 0;
  bool fits = true;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return fail(Errc::bad_id);
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    fits = fits && digit <= max && value <= (max - digit) / 10;
    value = fits ? value * 10 + digit : 0;
  }
  if (!fits) {
    return fail(Errc::id_out_of_range);
  }
  return value;
}

}  // namespace corliss::proto::detail
