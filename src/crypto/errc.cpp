#include <corliss/crypto/errc.h>

#include <array>

namespace corliss::crypto {
namespace {

constexpr std::array<ErrcRow, 11> rows{{
    {"success", Fault::local},
    {"the packet does not authenticate", Fault::unauthenticated},
    {"the message is larger than a frame may be", Fault::limit},
    {"no packet kernel has this name", Fault::local},
    {"this CPU cannot run that packet kernel", Fault::local},
    {"not a usable key", Fault::malformed},
    {"wrong padding: the key or the data is wrong", Fault::unauthenticated},
    {"RSA failed: the key does not fit the data", Fault::unauthenticated},
    {"libcrypto failed", Fault::local},
    {"no key is known for this universe", Fault::malformed},
    {"input and output overlap", Fault::local},
}};

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.crypto", rows);
  return {static_cast<int>(errc), category};
}

}  // namespace corliss::crypto
