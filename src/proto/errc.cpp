#include <corliss/proto/errc.h>

#include <array>

namespace corliss::proto {
namespace {

constexpr std::array<ErrcRow, 4> rows{{
    {"success", Fault::local},
    {"not an id of this form", Fault::malformed},
    {"a number of the id is too large", Fault::malformed},
    {"only a clan has a clan chat", Fault::local},
}};

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.proto", rows);
  return {static_cast<int>(errc), category};
}

}  // namespace corliss::proto
