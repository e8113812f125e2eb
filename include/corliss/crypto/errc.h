#pragma once

#include <corliss/base/fault.h>

#include <system_error>

namespace corliss::crypto {

/// What can go wrong in `crypto`.
enum class Errc {
  unauthenticated =
      1,      ///< Length, padding or MAC is wrong, on purpose not told which. Fault::unauthenticated: close.
  too_large,  ///< More than `max_plaintext_size`. Fault::limit: split the message.
  kernel_unknown,      ///< No kernel has this name. Fault::local: `corliss packet kernels` lists them.
  kernel_unsupported,  ///< This CPU lacks what the kernel needs. Fault::local: choose another.
  bad_key,             ///< Not a key of the expected kind or size. Fault::malformed.
  bad_padding,         ///< Depot data (no MAC there): wrong length or padding; a wrong key shows so.
                       ///< Fault::unauthenticated.
  rsa_failed,          ///< RSA refused: plaintext too long, or ciphertext not made with this key.
                       ///< Fault::unauthenticated.
  library,             ///< libcrypto failed where it should not, out of memory most likely. Fault::local.
  no_universe_key,     ///< The server names a universe that has no known key. Fault::malformed: close.
  buffers_overlap,     ///< Input and output overlap, and not at the one offset that is allowed. Fault::local.
};

std::error_code make_error_code(Errc errc) noexcept;

}  // namespace corliss::crypto

template <>
struct std::is_error_code_enum<corliss::crypto::Errc> : std::true_type {};
