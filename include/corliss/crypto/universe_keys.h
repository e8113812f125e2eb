#pragma once

#include <corliss/base/result.h>
#include <corliss/crypto/errc.h>
#include <corliss/crypto/rsa.h>

namespace corliss::crypto {

/// The SubjectPublicKeyInfo (DER, 160 bytes) of a universe's key: 1 Public (retail Steam), 2 Beta, 3
/// Internal, 4 Dev. All are RSA with 1024 bits and exponent 17. Lives for the whole program. Empty for any
/// other number. Source: SteamKit2 KeyDictionary, JavaSteam KeyDictionary (identical in both).
[[nodiscard]] ConstBytes universe_spki(std::int32_t universe) noexcept;

/// The same as a key, ready to encrypt a session key to. Errors: Errc::no_universe_key: close the connection.
[[nodiscard]] Result<RsaPublicKey> universe_key(std::int32_t universe);

}  // namespace corliss::crypto
