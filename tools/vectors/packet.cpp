#include "vectors/packet.h"

#include <corliss/base/endian.h>
#include <corliss/base/hex.h>
#include <corliss/crypto/checksum.h>
#include <corliss/crypto/hash.h>
#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/rsa.h>
#include <corliss/crypto/universe_keys.h>

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace corliss::vectors {
namespace {

using nlohmann::json;

template <std::size_t N>
std::array<std::uint8_t, N> fixed_bytes(const json& text) {
  const auto bytes = bytes_of_hex(text);
  if (bytes.size() != N) {
    throw BadVectorFile("expected " + std::to_string(N) + " bytes, found " + std::to_string(bytes.size()));
  }
  std::array<std::uint8_t, N> out;
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

std::string difference(const Result<Bytes>& got, ConstBytes want) {
  if (!got) {
    return "refused: " + got.error().message();
  }
  return std::ranges::equal(*got, want)
             ? ""
             : "wrong bytes: " + to_hex(got->first(std::min<std::size_t>(got->size(), 32)));
}

/// One good packet: sealed apart and in place, opened apart and in place.
template <class Cipher, std::size_t N>
void check_good(Report& report, const json& vector, const std::array<std::uint8_t, N>& random) {
  const auto name = vector.at("name").get<std::string>();
  const Cipher cipher(fixed_bytes<32>(vector.at("key")));
  const auto plain = bytes_of_hex(vector.at("plaintext"));
  const auto packet = bytes_of_hex(vector.at("packet"));
  std::string why;
  const auto note = [&why](const char* step, const std::string& what) {
    if (why.empty() && !what.empty()) {
      why = std::string(step) + ": " + what;
    }
  };

  std::vector<std::uint8_t> buffer(Cipher::sealed_size(plain.size()));
  note("seal", difference(cipher.seal(plain, random, buffer), packet));
  std::fill(buffer.begin(), buffer.end(), std::uint8_t{0});
  std::copy(plain.begin(), plain.end(), buffer.begin() + 16);
  note("seal in place",
       difference(cipher.seal(Bytes(buffer).subspan(16, plain.size()), random, buffer), packet));
  buffer = packet;
  note("open in place", difference(cipher.open(buffer), plain));
  std::vector<std::uint8_t> apart(packet.size());
  note("open", difference(cipher.open(packet, apart), plain));
  report.expect(why.empty(), name, why);
}

template <class Cipher>
void check_reject(Report& report, const json& vector) {
  const Cipher cipher(fixed_bytes<32>(vector.at("key")));
  auto packet = bytes_of_hex(vector.at("packet"));
  const auto opened = cipher.open(packet);
  const bool wiped = std::ranges::all_of(packet, [](std::uint8_t byte) { return byte == 0; });
  report.expect(!opened && opened.error() == crypto::Errc::unauthenticated && wiped, vector.at("name"),
                opened ? "accepted"
                       : (wiped ? "another error: " + opened.error().message() : "the buffer is not wiped"));
}

void check_universe_key(Report& report, const json& vector) {
  const auto name = vector.at("name").get<std::string>();
  const auto der = bytes_of_hex(vector.at("spki_der"));
  const auto digest = crypto::sha256(der);
  report.expect(std::ranges::equal(digest, bytes_of_hex(vector.at("sha256_of_der"))), name + " universe key",
                "wrong SHA-256 of the DER");
}

/// A client's key blob: its CRC, and its plaintext where the file has the server's private key.
void check_handshake(Report& report, const json& file, const json& vector) {
  const auto name = vector.at("name").get<std::string>();
  const auto blob = bytes_of_hex(vector.at("rsa_blob"));
  std::array<std::uint8_t, 4> crc;
  store_le(crc.data(), crypto::crc32(blob));
  report.expect(to_hex(crc) == vector.at("crc32_le_bytes"), name + " CRC", to_hex(crc));
  if (!name.starts_with("mock-server-key")) {
    return;
  }
  const auto key =
      crypto::RsaPrivateKey::from_der(bytes_of_hex(file.at("mock_server_key").at("private_pkcs8_der")));
  if (!key) {
    throw BadVectorFile("mock_server_key: " + key.error().message());
  }
  std::vector<std::uint8_t> out(key->size());
  const auto why = difference(key->decrypt_oaep(blob, out), bytes_of_hex(vector.at("rsa_plaintext")));
  report.expect(why.empty(), name + " blob", why);
}

const json& section(const json& file, const char* name) {
  static const json empty = json::array();
  const auto found = file.find(name);
  return found == file.end() ? empty : *found;
}

}  // namespace

Report check_packets(const std::filesystem::path& path) {
  const json file = load_json(path);
  Report report;
  for (const json& vector : section(file, "hmac")) {
    check_good<crypto::PacketCipher>(report, vector, fixed_bytes<3>(vector.at("random")));
  }
  for (const json& vector : section(file, "legacy")) {
    check_good<crypto::LegacyPacketCipher>(report, vector, fixed_bytes<16>(vector.at("iv")));
  }
  for (const json& vector : section(file, "reject")) {
    if (vector.at("format") == "hmac") {
      check_reject<crypto::PacketCipher>(report, vector);
    } else {
      check_reject<crypto::LegacyPacketCipher>(report, vector);
    }
  }
  for (const json& vector : section(file, "legacy_undetected")) {
    auto packet = bytes_of_hex(vector.at("packet"));
    const crypto::LegacyPacketCipher cipher(fixed_bytes<32>(vector.at("key")));
    const auto why = difference(cipher.open(packet), bytes_of_hex(vector.at("decrypts_to")));
    report.expect(why.empty(), vector.at("name"), why);
  }
  for (const json& vector : section(file, "universe_keys")) {
    check_universe_key(report, vector);
  }
  for (const json& vector : section(file, "handshake")) {
    check_handshake(report, file, vector);
  }
  for (const json& vector : section(file, "crc32")) {
    const auto value = crypto::crc32(bytes_of_hex(vector.at("data")));
    std::array<std::uint8_t, 4> big;
    store_be(big.data(), value);
    report.expect(to_hex(big) == vector.at("crc32"), "crc32 of " + vector.at("data").get<std::string>(),
                  to_hex(big));
  }
  return report;
}

}  // namespace corliss::vectors
