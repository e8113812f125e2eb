#include <corliss/sim/errc.h>

#include <array>

namespace corliss::sim {
namespace {

constexpr std::array<ErrcRow, 8> rows{{
    {"success", Fault::local},
    {"a fault script that is not understood", Fault::malformed},
    {"a fault script above the size limit", Fault::limit},
    {"a fault that does not exist on this transport", Fault::local},
    {"ended by a fault on demand", Fault::closed},
    {"the client did not log on in time", Fault::timeout},
    {"the client's heartbeats stayed away", Fault::timeout},
    {"the client is logged off", Fault::closed},
}};

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.sim", rows);
  return {static_cast<int>(errc), category};
}

}  // namespace corliss::sim
