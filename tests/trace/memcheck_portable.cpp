// The portable kernel with its secrets marked undefined: memcheck then reports each branch and each address
// that depends on one. docs/constant-time.md. Run by valgrind; the code under test is built with
// CORLISS_MEMCHECK.
#include "trace/packets.h"

#include <corliss/base/bytes.h>
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include <valgrind/memcheck.h>

namespace corliss::test {
namespace {

using crypto::LegacyPacketCipher;
using crypto::PacketCipher;

constexpr std::string_view kernel = "portable";
int failures = 0;

void expect(bool condition, const char* what) {
  if (!condition) {
    std::printf("memcheck_portable: %s\n", what);
    ++failures;
  }
}

template <class T>
T secret(T value) {
  VALGRIND_MAKE_MEM_UNDEFINED(&value, sizeof value);
  return value;
}
std::vector<std::uint8_t> secret(std::vector<std::uint8_t> bytes) {
  VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size());
  return bytes;
}
void tell(ConstBytes bytes) {
  VALGRIND_MAKE_MEM_DEFINED(bytes.data(), bytes.size());
}

template <class Cipher>
void seal_and_open(std::size_t size) {
  const SessionKey key{1, 2, 3};
  const std::array<std::uint8_t, 16> nonce{4, 5, 6};
  const std::vector<std::uint8_t> plain(size, 0x5a);
  const Cipher hidden(secret(key), kernel);
  const auto hidden_plain = secret(plain);
  const auto hidden_nonce = secret(nonce);
  std::vector<std::uint8_t> packet(crypto::sealed_size(size));
  const auto sealed = [&] {
    if constexpr (std::is_same_v<Cipher, PacketCipher>) {
      return hidden.seal(hidden_plain, std::span(hidden_nonce).template first<3>(), packet);
    } else {
      return hidden.seal(hidden_plain, hidden_nonce, packet);
    }
  }();
  expect(sealed.has_value(), "seal failed");
  tell(packet);
  const auto opened = hidden.open(packet);
  expect(opened.has_value() && opened->size() == size, "open failed");
  tell(packet);
  expect(opened.has_value() && std::equal(plain.begin(), plain.end(), opened->begin()), "another plaintext");
}

template <class Cipher>
void open_all(const std::vector<Packet>& packets) {
  constexpr bool has_mac = std::is_same_v<Cipher, PacketCipher>;
  for (const auto& packet : packets) {
    const Cipher hidden(secret(packet.key), kernel);
    auto sealed = packet.sealed;
    const bool good = packet.good_padding && (packet.good_mac || !has_mac);
    expect(hidden.open(sealed).has_value() == good, packet.name.c_str());
  }
}

void open_in_one_batch(const std::vector<Packet>& packets) {
  std::vector<PacketCipher> ciphers;
  std::vector<std::vector<std::uint8_t>> buffers;
  std::vector<crypto::OpenItem> items(packets.size());
  for (const auto& packet : packets) {
    ciphers.emplace_back(secret(packet.key), kernel);
    buffers.push_back(packet.sealed);
  }
  for (std::size_t i = 0; i < packets.size(); ++i) {
    items[i].cipher = &ciphers[i];
    items[i].sealed = buffers[i];
  }
  crypto::open_batch(items);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    expect(!items[i].error == (packets[i].good_padding && packets[i].good_mac), packets[i].name.c_str());
  }
}

// Marked undefined and looked at: unless valgrind counts that as an error, it sees nothing of the rest
// either.
void expect_leak_is_seen() {
  const auto before = VALGRIND_COUNT_ERRORS;
  if (secret(std::uint8_t{1}) != 0) {
    VALGRIND_PRINTF("(the report above is of a planted leak)\n");
  }
  expect(VALGRIND_COUNT_ERRORS == before + 1, "memcheck did not see the planted branch on a secret");
}

int run() {
  if (RUNNING_ON_VALGRIND == 0) {
    std::printf("memcheck_portable: shows nothing unless valgrind runs it\n");
    return 2;
  }
  expect_leak_is_seen();
  const auto before = VALGRIND_COUNT_ERRORS;
  for (const std::size_t size : {0, 15, 16, 52, 53, 64, 670}) {
    seal_and_open<PacketCipher>(size);
    seal_and_open<LegacyPacketCipher>(size);
  }
  for (const std::size_t length : {16, 64, 80, 640, 672}) {
    open_all<PacketCipher>(packets_of(length));
  }
  open_all<LegacyPacketCipher>(packets_of(80));
  open_in_one_batch(few_packets_of(64));
  const auto leaks = VALGRIND_COUNT_ERRORS - before;
  std::printf("memcheck_portable: %u reports, %d failures\n", static_cast<unsigned>(leaks), failures);
  return leaks == 0 && failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace corliss::test

int main() {
  return corliss::test::run();
}
