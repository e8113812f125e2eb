// No branch and no address in a packet kernel depends on a secret: docs/constant-time.md.
#include "trace/kernel_fixture.h"
#include "trace/packets.h"
#include "trace/runs.h"

#include <corliss/base/bytes.h>
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace corliss::test {
namespace {

using crypto::LegacyPacketCipher;
using crypto::PacketCipher;

// Where accepted and refused may part: in the `open` of a kernel or in what calls it, with no more left to do
// than wiping the stack and returning.
const MayTell open_may_tell{{"::open", "::shani_open"}, 80};

alignas(64) std::array<std::uint8_t, 2048> buffer;
alignas(64) std::array<std::uint8_t, 2048> other_buffer;

enum class Place { in_place, apart };

// Seals and opens a packet that is the same in every run of these sizes, and has one refused.
template <class Cipher>
void warm_up(const Cipher& cipher, std::size_t plain_size) {
  std::array<std::uint8_t, 16> nonce{};
  for (const bool broken : {false, true}) {
    buffer.fill(0);
    const auto body = Bytes(buffer).subspan(16, plain_size);
    const auto sealed = [&] {
      if constexpr (std::is_same_v<Cipher, PacketCipher>) {
        return cipher.seal(body, std::span(nonce).template first<3>(), buffer).value();
      } else {
        return cipher.seal(body, nonce, buffer).value();
      }
    }();
    if (broken) {
      std::fill(sealed.end() - 32, sealed.end(), std::uint8_t{0});
    }
    (void)cipher.open(sealed);
    (void)cipher.open(ConstBytes(sealed), other_buffer);
  }
}

bool is_wiped(ConstBytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

template <class Cipher>
class OpenSubject final : public Subject {
 public:
  OpenSubject(const Packet& packet, std::string_view kernel, Place place)
      : packet_(packet), size_(packet.sealed.size()), kernel_(kernel), place_(place) {}
  void prepare() override {
    cipher_.emplace(packet_.key, kernel_);
    warm_up(*cipher_, packet_.sealed.size() - 17);
    other_buffer.fill(0);
    std::copy(packet_.sealed.begin(), packet_.sealed.end(), buffer.begin());
  }
  void run() override {
    const auto sealed = Bytes(buffer).first(size_);
    result_ =
        place_ == Place::in_place ? cipher_->open(sealed) : cipher_->open(ConstBytes(sealed), other_buffer);
  }
  bool as_expected() override {
    constexpr bool has_mac = std::is_same_v<Cipher, PacketCipher>;
    const bool good = packet_.good_padding && (packet_.good_mac || !has_mac);
    return good ? result_.has_value()
                : !result_ && is_wiped(place_ == Place::in_place ? buffer : other_buffer);
  }

 private:
  const Packet& packet_;  // at another address in each run
  std::size_t size_;
  std::string_view kernel_;
  Place place_;
  std::optional<Cipher> cipher_;
  Result<Bytes> result_;
};

template <class Cipher>
class SealSubject final : public Subject {
 public:
  SealSubject(std::string_view kernel, SessionKey key, std::array<std::uint8_t, 16> nonce,
              std::vector<std::uint8_t> plain)
      : kernel_(kernel), key_(key), nonce_(nonce), plain_(std::move(plain)) {}
  void prepare() override {
    cipher_.emplace(key_, kernel_);
    warm_up(*cipher_, plain_.size());
    std::copy(plain_.begin(), plain_.end(), buffer.begin() + 16);
  }
  void run() override {
    const auto body = Bytes(buffer).subspan(16, plain_.size());
    if constexpr (std::is_same_v<Cipher, PacketCipher>) {
      result_ = cipher_->seal(body, std::span(nonce_).template first<3>(), buffer);
    } else {
      result_ = cipher_->seal(body, nonce_, buffer);
    }
  }
  bool as_expected() override {
    return result_ && cipher_->open(*result_) &&
           std::equal(plain_.begin(), plain_.end(), buffer.begin() + 16);
  }

 private:
  std::string_view kernel_;
  SessionKey key_;
  std::array<std::uint8_t, 16> nonce_;
  std::vector<std::uint8_t> plain_;
  std::optional<Cipher> cipher_;
  Result<Bytes> result_;
};

class KeySubject final : public Subject {
 public:
  KeySubject(std::string_view kernel, SessionKey key) : kernel_(kernel), key_(key) {}
  void prepare() override { warm_up(PacketCipher(SessionKey{}, kernel_), 64); }
  void run() override {
    cipher_.emplace(key_, kernel_);
    cipher_.reset();
  }
  bool as_expected() override { return !cipher_; }

 private:
  std::string_view kernel_;
  SessionKey key_;
  std::optional<PacketCipher> cipher_;
};

class PacketTrace : public KernelFixture {
 protected:
  template <class Cipher>
  static void open_all(std::string_view what, const std::vector<Packet>& packets,
                       Place place = Place::in_place) {
    std::vector<Variant> variants;
    for (const auto& packet : packets) {
      const bool good =
          packet.good_padding && (packet.good_mac || std::is_same_v<Cipher, LegacyPacketCipher>);
      variants.push_back({packet.name, good ? "accepted" : "refused"});
    }
    const auto make = [&](std::size_t i) {
      return std::make_unique<OpenSubject<Cipher>>(packets[i], GetParam(), place);
    };
    expect_constant(what, packets.front().sealed.size() - 16, judge(variants, make, open_may_tell));
  }

  template <class Cipher>
  static void seal_all(std::string_view what, std::size_t size) {
    const auto make = [size](std::size_t i) {
      const auto secrets = secrets_of(i, 48 + size);
      SessionKey key{};
      std::array<std::uint8_t, 16> nonce{};
      std::copy_n(secrets.begin(), 32, key.begin());
      std::copy_n(secrets.begin() + 32, 16, nonce.begin());
      return std::make_unique<SealSubject<Cipher>>(
          GetParam(), key, nonce, std::vector<std::uint8_t>(secrets.begin() + 48, secrets.end()));
    };
    expect_constant(what, size, judge(some_secrets, make));
  }

  inline static const std::vector<Variant> some_secrets{
      {"zeros", "done"}, {"ones", "done"}, {"random", "done"}, {"random again", "done"}};
};

TEST_P(PacketTrace, Key) {
  const auto make = [](std::size_t i) { return std::make_unique<KeySubject>(GetParam(), secret_key(i, 0)); };
  expect_constant("key", 32, judge(some_secrets, make));
}

TEST_P(PacketTrace, Seal) {
  for (const std::size_t size : {0, 15, 52, 53, 670}) {
    seal_all<PacketCipher>("seal", size);
  }
}

TEST_P(PacketTrace, SealLegacy) {
  for (const std::size_t size : {0, 63, 200}) {
    seal_all<LegacyPacketCipher>("legacy seal", size);
  }
}

TEST_P(PacketTrace, Open) {
  for (const std::size_t length : {64, 80, 640, 672}) {
    open_all<PacketCipher>("open", packets_of(length));
  }
}

TEST_P(PacketTrace, OpenSmall) {
  for (const std::size_t length : {16, 32, 48, 128}) {
    open_all<PacketCipher>("open", few_packets_of(length));
  }
}

TEST_P(PacketTrace, OpenApart) {
  open_all<PacketCipher>("open apart", few_packets_of(80), Place::apart);
}

TEST_P(PacketTrace, OpenLegacy) {
  open_all<LegacyPacketCipher>("legacy open", packets_of(80));
}

// Also of kernels that this CPU cannot run: every instruction is known, and none is a gather or scatter.
TEST(PacketCode, HasNoGatherAndIsDecodable) {
  const auto functions = functions_named("corliss::crypto::detail::");
  ASSERT_GT(functions.size(), 20U);
  std::size_t instructions = 0;
  for (const auto& function : functions) {
    EXPECT_EQ(inspect_all(function, instructions), "") << function.name;
  }
  std::printf("%zu instructions of %zu functions\n", instructions, functions.size());
}

TEST(PacketCode, GatherIsFound) {
  std::size_t instructions = 0;
  const auto found = inspect_all(functions_named("planted::gather").at(0), instructions);
  EXPECT_NE(found.find("gather"), std::string::npos) << found;
}

INSTANTIATE_TEST_SUITE_P(Kernels, PacketTrace, ::testing::ValuesIn(kernel_names()), kernel_test_name);

}  // namespace
}  // namespace corliss::test
