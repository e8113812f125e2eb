#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/rng.h>
#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/rsa.h>
#include <corliss/net/limits.h>
#include <corliss/proto/enums.h>
#include <corliss/proto/eresult.h>

#include <cstdint>
#include <functional>
#include <span>

namespace corliss::net {

inline constexpr std::uint32_t channel_protocol_version = 1;
/// A challenge of today's servers. Shorter ones, but for none at all, are refused.
inline constexpr std::size_t min_challenge_size = 16;
/// What fits behind a session key into RSA-OAEP with 1024 bits.
inline constexpr std::size_t max_challenge_size = 54;

/// Called with each session key as it is agreed, so that captures can be decrypted later: the RSA blob of
/// ChannelEncryptResponse, which identifies the connection, and the key. Both live for the call only. Whoever
/// has the key reads and forges the connection.
using KeyLog = std::function<void(ConstBytes rsa_blob,
                                  std::span<const std::uint8_t, crypto::session_key_size> session_key)>;

/// The client's side of the channel handshake (TCP, UDP). Source: SteamKit2 EnvelopeEncryptedConnection;
/// docs/wire/transport.md.
struct ClientHandshake {
  proto::EUniverse universe = proto::EUniverse::Public;  ///< A server of another is refused.
  /// The server's key; null for the universe's own. For tests and private servers. Must live until
  /// `Connected`.
  const crypto::RsaPublicKey* key = nullptr;
  /// Accepts a server without a challenge and then speaks the format without a MAC. Only for very old
  /// servers.
  bool allow_legacy = false;
  KeyLog key_log{};
};

/// The server's side.
struct ServerHandshake {
  enum class Legacy {
    off,    ///< A client that leaves the challenge out of its key blob is refused.
    allow,  ///< Such a client gets the legacy format.
    only,   ///< No challenge is sent.
  };
  const crypto::RsaPrivateKey* key = nullptr;  ///< Must be given, and live until `Connected`.
  proto::EUniverse universe = proto::EUniverse::Public;
  Legacy legacy = Legacy::off;
  proto::EResult result = proto::EResult::OK;  ///< To answer with; any other refuses the client.
  KeyLog key_log{};
};

/// What every channel needs.
struct ChannelOptions {
  Limits limits{};
  Timeouts timeouts{};
};

}  // namespace corliss::net
