#pragma once

#include "net/packet_codec.h"

#include <corliss/base/result.h>
#include <corliss/base/secret.h>
#include <corliss/net/handshake.h>

#include <array>
#include <optional>
#include <variant>
#include <vector>

namespace corliss::net {

/// One side of the channel handshake, a message at a time, whatever carries them. After an error it is over.
class Handshake {
 public:
  Handshake(ClientHandshake&& options, Rng& rng) : options_(std::move(options)), rng_(&rng) {}
  Handshake(ServerHandshake&& options, Rng& rng) : options_(std::move(options)), rng_(&rng) {}

  /// The server's request, when the transport is connected; nothing from a client.
  [[nodiscard]] Result<ConstBytes> start();
  /// Takes the peer's next message and returns the answer, if there is one; it lives until the next call.
  /// Errors: those of the handshake in errc.h, and of RSA. With an error `farewell` may hold a last answer.
  [[nodiscard]] Result<ConstBytes> on_message(ConstBytes message);
  [[nodiscard]] ConstBytes farewell() const noexcept { return farewell_; }
  /// The EResult that refused us, with Errc::handshake_refused.
  [[nodiscard]] std::int32_t refusal() const noexcept { return refusal_; }

  [[nodiscard]] bool done() const noexcept { return state_ == State::done; }
  /// The format of the connection, when done; once.
  [[nodiscard]] PacketCodec take_codec() noexcept { return std::move(codec_); }

 private:
  enum class State {
    idle,               ///< server: before `start`
    awaiting_request,   ///< client
    awaiting_response,  ///< server
    awaiting_result,    ///< client
    done,
  };

  Result<ConstBytes> on_request(ConstBytes body);
  Result<ConstBytes> on_response(ConstBytes body);
  Result<ConstBytes> on_result(ConstBytes body);
  Result<void> open_blob(ConstBytes blob, ConstBytes challenge);
  Result<void> set_key(std::span<const std::uint8_t, crypto::session_key_size> key, ConstBytes blob,
                       bool legacy);

  std::variant<ClientHandshake, ServerHandshake> options_;
  Rng* rng_;
  State state_ = std::holds_alternative<ClientHandshake>(options_) ? State::awaiting_request : State::idle;
  std::array<std::uint8_t, min_challenge_size> challenge_{};  ///< server: what was sent
  std::vector<std::uint8_t> answer_;
  ConstBytes farewell_;
  std::int32_t refusal_ = 0;
  PacketCodec codec_;
};

}  // namespace corliss::net
