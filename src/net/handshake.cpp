#include "net/handshake.h"

#include <corliss/base/reader.h>
#include <corliss/base/writer.h>
#include <corliss/crypto/checksum.h>
#include <corliss/crypto/universe_keys.h>
#include <corliss/net/errc.h>
#include <corliss/proto/message.h>

#include <algorithm>

namespace corliss::net {
namespace {

using proto::EMsg;
using proto::EResult;

constexpr std::size_t key_size = crypto::session_key_size;

std::vector<std::uint8_t> make_message(EMsg emsg, ConstBytes body) {
  std::vector<std::uint8_t> out(proto::message_size(proto::MsgHdr{}, body));
  (void)proto::write_message(emsg, proto::MsgHdr{}, body, out);  // it has just the size
  return out;
}

std::vector<std::uint8_t> result_message(EResult result) {
  std::array<std::uint8_t, 4> body;
  store_le<std::uint32_t>(body.data(), static_cast<std::uint32_t>(result));
  return make_message(EMsg::ChannelEncryptResult, body);
}

}  // namespace

Result<ConstBytes> Handshake::start() {
  const auto* server = std::get_if<ServerHandshake>(&options_);
  if (server == nullptr || state_ != State::idle) {
    return ConstBytes{};
  }
  Writer body(8 + challenge_.size());
  body.u32(channel_protocol_version);
  body.i32(static_cast<std::int32_t>(server->universe));
  if (server->legacy != ServerHandshake::Legacy::only) {
    CORLISS_CHECK(rng_->fill(challenge_));
    body.bytes(challenge_);
  }
  answer_ = make_message(EMsg::ChannelEncryptRequest, body.view());
  state_ = State::awaiting_response;
  return ConstBytes(answer_);
}

Result<ConstBytes> Handshake::on_message(ConstBytes message) {
  if (message.size() < 4) {
    return fail(message.empty() ? Errc::empty_message : Errc::bad_handshake_message);
  }
  const std::uint32_t word = load_le<std::uint32_t>(message.data());
  EMsg expected = EMsg::Invalid;
  switch (state_) {
    case State::awaiting_request:
      expected = EMsg::ChannelEncryptRequest;
      break;
    case State::awaiting_response:
      expected = EMsg::ChannelEncryptResponse;
      break;
    case State::awaiting_result:
      expected = EMsg::ChannelEncryptResult;
      break;
    case State::idle:
    case State::done:
      return fail(Errc::unexpected_message);
  }
  if (proto::emsg_of_word(word) != expected) {
    return fail(Errc::unexpected_message);
  }
  const auto parts = proto::split_message(message);
  if (!parts) {
    return fail(Errc::bad_handshake_message);
  }
  switch (state_) {
    case State::awaiting_request:
      return on_request(parts->body);
    case State::awaiting_response:
      return on_response(parts->body);
    default:
      return on_result(parts->body);
  }
}

Result<ConstBytes> Handshake::on_request(ConstBytes body) {
  const auto& client = std::get<ClientHandshake>(options_);
  Reader in(body);
  const auto version = in.u32();
  const auto universe = in.i32();
  if (!version || !universe) {
    return fail(Errc::bad_handshake_message);
  }
  if (*version != channel_protocol_version) {
    return fail(Errc::wrong_protocol_version);
  }
  if (client.key == nullptr && crypto::universe_spki(*universe).empty()) {
    return fail(Errc::unknown_universe);
  }
  if (*universe != static_cast<std::int32_t>(client.universe)) {
    return fail(Errc::wrong_universe);
  }
  const ConstBytes challenge = in.take_rest();
  if (challenge.empty()) {
    if (!client.allow_legacy) {
      return fail(Errc::legacy_refused);
    }
  } else if (challenge.size() < min_challenge_size || challenge.size() > max_challenge_size) {
    return fail(Errc::bad_challenge);
  }

  std::optional<crypto::RsaPublicKey> universe_key;
  const crypto::RsaPublicKey* key = client.key;
  if (key == nullptr) {
    CORLISS_TRY(universe_key, crypto::universe_key(*universe));
    key = &*universe_key;
  }
  Secret<key_size + max_challenge_size> plain;
  const auto session_key = plain.reveal().first<key_size>();
  CORLISS_CHECK(rng_->fill(session_key));
  std::copy(challenge.begin(), challenge.end(), plain.reveal().begin() + key_size);
  std::vector<std::uint8_t> blob(key->size());
  CORLISS_CHECK(key->encrypt_oaep(plain.reveal().first(key_size + challenge.size()), blob));

  Writer out(8 + blob.size() + 8);
  out.u32(channel_protocol_version);
  out.u32(static_cast<std::uint32_t>(blob.size()));
  out.bytes(blob);
  out.u32(crypto::crc32(blob));
  out.u32(0);
  CORLISS_CHECK(set_key(session_key, blob, challenge.empty()));
  answer_ = make_message(EMsg::ChannelEncryptResponse, out.view());
  state_ = State::awaiting_result;
  return ConstBytes(answer_);
}

Result<ConstBytes> Handshake::on_result(ConstBytes body) {
  if (body.size() != 4) {
    return fail(Errc::bad_handshake_message);
  }
  const auto result = static_cast<std::int32_t>(load_le<std::uint32_t>(body.data()));
  if (result != static_cast<std::int32_t>(EResult::OK)) {
    refusal_ = result;
    return fail(Errc::handshake_refused);
  }
  state_ = State::done;
  return ConstBytes{};
}

Result<ConstBytes> Handshake::on_response(ConstBytes body) {
  const auto& server = std::get<ServerHandshake>(options_);
  Reader in(body);
  const auto version = in.u32();
  const auto blob_size = in.u32();
  if (!version || !blob_size || *blob_size != server.key->size() || in.remaining() != *blob_size + 8) {
    return fail(Errc::bad_handshake_message);
  }
  if (*version != channel_protocol_version) {
    return fail(Errc::wrong_protocol_version);
  }
  CORLISS_TRY(const ConstBytes blob, in.bytes(*blob_size));
  CORLISS_TRY(const std::uint32_t checksum, in.u32());
  // One answer for whatever is wrong with the blob.
  if (checksum != crypto::crc32(blob) || !open_blob(blob, challenge_)) {
    answer_ = result_message(EResult::Fail);
    farewell_ = answer_;
    return fail(Errc::bad_key_exchange);
  }
  answer_ = result_message(server.result);
  if (server.result != EResult::OK) {
    farewell_ = answer_;
    refusal_ = static_cast<std::int32_t>(server.result);
    return fail(Errc::handshake_refused);
  }
  state_ = State::done;
  return ConstBytes(answer_);
}

Result<void> Handshake::open_blob(ConstBytes blob, ConstBytes challenge) {
  const auto& server = std::get<ServerHandshake>(options_);
  Secret<crypto::max_rsa_bits / 8> room;
  CORLISS_TRY(const Bytes plain, server.key->decrypt_oaep(blob, room.reveal()));
  if (plain.size() < key_size) {
    return fail(Errc::bad_key_exchange);
  }
  using Legacy = ServerHandshake::Legacy;
  const ConstBytes answered = plain.subspan(key_size);
  const bool legacy = answered.empty() && server.legacy != Legacy::off;
  if (!legacy && (server.legacy == Legacy::only || !constant_time_equal(answered, challenge))) {
    return fail(Errc::bad_key_exchange);
  }
  return set_key(plain.first<key_size>(), blob, legacy);
}

Result<void> Handshake::set_key(std::span<const std::uint8_t, key_size> key, ConstBytes blob, bool legacy) {
  try {
    codec_ = legacy ? PacketCodec(crypto::LegacyPacketCipher(key)) : PacketCodec(crypto::PacketCipher(key));
  } catch (const std::system_error& error) {  // no such kernel
    return fail(error.code());
  }
  const auto& log = std::visit([](const auto& side) -> const KeyLog& { return side.key_log; }, options_);
  if (log) {
    log(blob, key);
  }
  return {};
}

}  // namespace corliss::net
