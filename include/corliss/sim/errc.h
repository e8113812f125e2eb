#pragma once

#include <corliss/base/fault.h>

#include <system_error>

namespace corliss::sim {

/// What can go wrong in `sim`, on the server's side.
enum class Errc {
  bad_script = 1,    ///< A fault script that is not understood; the text beside it says where and what is
                     ///< allowed. Fault::malformed.
  script_too_large,  ///< Above `max_script_size` or `max_script_faults`. Fault::limit.
  bad_fault,         ///< A FaultRule whose fault does not exist on any of its transports. Fault::local.
  fault_injected,    ///< A connection ended because a FaultRule said so. Fault::closed.
  logon_timeout,     ///< No logon within CmOptions::logon_timeout. Fault::timeout.
  heartbeat_missed,  ///< Nothing from a logged-on client for too long. Fault::timeout.
  logged_off,        ///< The client logged off, or was logged off. Fault::closed.
};

std::error_code make_error_code(Errc errc) noexcept;

}  // namespace corliss::sim

template <>
struct std::is_error_code_enum<corliss::sim::Errc> : std::true_type {};
