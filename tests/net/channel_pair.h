#pragma once

#include "support/test_support.h"

#include <corliss/base/rng.h>
#include <corliss/crypto/rsa.h>
#include <corliss/net/channel.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace corliss::net::test {

using Message = std::vector<std::uint8_t>;

/// What a channel told so far.
struct Told {
  int connected = 0;
  std::vector<Message> messages;
  std::optional<Closed> closed;

  friend bool operator==(const Told& a, const Told& b) {
    return a.connected == b.connected && a.messages == b.messages &&
           a.closed.has_value() == b.closed.has_value() &&
           (!a.closed || (a.closed->reason == b.closed->reason && a.closed->detail == b.closed->detail));
  }
};

inline void drain(Channel& channel, Told& told) {
  while (auto event = channel.poll_event()) {
    EXPECT_FALSE(told.closed) << "Closed is the last event";
    if (std::holds_alternative<Connected>(*event)) {
      EXPECT_TRUE(told.messages.empty()) << "Connected comes first";
      ++told.connected;
    } else if (const auto* received = std::get_if<Received>(&*event)) {
      told.messages.emplace_back(received->message.begin(), received->message.end());
    } else {
      told.closed = std::get<Closed>(*event);
    }
  }
}

/// Everything that `channel` wants to write, as one piece.
inline Message take_outgoing(Channel& channel, TimePoint now = {}) {
  Message all;
  for (auto out = channel.outgoing(); !out.empty(); out = channel.outgoing()) {
    all.insert(all.end(), out.begin(), out.end());
    channel.sent(out.size(), now);
  }
  return all;
}

/// Feeds `stream` in pieces of `piece` bytes and drains after each; stops where the channel ends.
inline void feed_all(Channel& channel, Message stream, Told& told, std::size_t piece = SIZE_MAX,
                     TimePoint now = {}) {
  for (std::size_t at = 0; at < stream.size() && !told.closed; at += piece) {
    const std::size_t count = std::min(piece, stream.size() - at);
    (void)channel.feed(Bytes(stream).subspan(at, count), now);
    drain(channel, told);
    if (count < piece) {
      break;
    }
  }
}

/// The key that the vectors made for mock servers.
inline const crypto::RsaPrivateKey& server_key() {
  static const auto key = [] {
    const auto cases = nlohmann::json::parse(std::ifstream(corliss::test::data("crypto/channel.json")));
    return crypto::RsaPrivateKey::from_der(corliss::test::hex(cases["mock_server_key"]["private_pkcs8_der"]))
        .value();
  }();
  return key;
}
inline const crypto::RsaPublicKey& server_public_key() {
  static const auto key = server_key().public_key().value();
  return key;
}

/// Gives the bytes that a vector wants.
class FixedRng final : public Rng {
 public:
  explicit FixedRng(Message bytes) : bytes_(std::move(bytes)) {}
  Result<void> fill(Bytes out) noexcept override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = bytes_.empty() ? std::uint8_t{0} : bytes_[i % bytes_.size()];
    }
    return {};
  }

 private:
  Message bytes_;
};

class BrokenRng final : public Rng {
 public:
  Result<void> fill(Bytes out) noexcept override {
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    return fail(BaseErrc::random_unavailable);
  }
};

}  // namespace corliss::net::test
