#pragma once

#include <corliss/base/result.h>

#include <string>

namespace corliss::sim {

/// A certificate that vouches for itself, and its key: PEM.
struct Certificate {
  std::string chain_pem;
  std::string key_pem;
};

/// A new one for `localhost`, 127.0.0.1 and ::1, P-256, good for a year; a client trusts it as its own CA.
/// Errors: crypto::Errc::library.
[[nodiscard]] Result<Certificate> make_certificate();

}  // namespace corliss::sim
