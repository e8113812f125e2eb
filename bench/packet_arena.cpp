#include "bench/packet_arena.h"

#include "bench/message.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace corliss::bench {
namespace {

constexpr std::size_t frame_header = 8;
constexpr std::size_t iv_size = 16;
constexpr std::size_t cache_share = std::size_t{16} * 1024;
constexpr std::size_t max_packets = 64;

std::size_t packet_size_of(std::size_t plain) {
  return iv_size + (plain / 16 + 1) * 16;
}

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

void require(bool good) {
  if (!good) {
    throw std::runtime_error("libcrypto failed in the reference");
  }
}

}  // namespace

Workload uniform_workload(std::size_t size, std::size_t batch, std::size_t sessions) {
  const std::size_t wanted =
      std::clamp<std::size_t>(cache_share / std::max<std::size_t>(size, 1), 1, max_packets);
  const std::size_t batches = std::max<std::size_t>(1, (wanted + batch - 1) / batch);
  return {std::vector<std::size_t>(batches * batch, size), batch, sessions};
}

Workload mixed_workload() {
  // Not std::uniform_int_distribution, whose values are the library's own choice.
  std::mt19937 engine(1500);
  std::vector<std::size_t> sizes(max_packets);
  for (auto& size : sizes) {
    size = 16 + engine() % (1500 - 16 + 1);
  }
  return {std::move(sizes), max_packets, 1};
}

SessionKey session_key(std::size_t session) {
  SessionKey key;
  std::mt19937 engine(static_cast<std::uint32_t>(session + 1));
  std::generate(key.begin(), key.end(), [&engine] { return static_cast<std::uint8_t>(engine()); });
  return key;
}

Arena::Arena(Workload workload) : workload_(std::move(workload)) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < workload_.sizes.size(); ++i) {
    Slot slot;
    slot.session = i % workload_.sessions;
    slot.offset = end + frame_header;
    slot.plain_size = workload_.sizes[i];
    slot.packet_size = packet_size_of(slot.plain_size);
    end = (slot.offset + slot.packet_size + 63) / 64 * 64;
    slots_.push_back(slot);
  }
  buffer_.resize(end);
  plain_image_.resize(end);
  packet_image_.resize(end);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& slot = slots_[i];
    const auto message = product_info_message(slot.plain_size);
    std::copy(message.begin(), message.end(),
              plain_image_.begin() + static_cast<std::ptrdiff_t>(slot.offset + iv_size));
    const auto packet =
        reference_packet(session_key(slot.session), message,
                         {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8), 0x5A});
    std::copy(packet.begin(), packet.end(), packet_image_.begin() + static_cast<std::ptrdiff_t>(slot.offset));
  }
}

std::size_t Arena::plain_bytes() const noexcept {
  return std::accumulate(workload_.sizes.begin(), workload_.sizes.end(), std::size_t{0});
}

void Arena::fill_plain() {
  std::copy(plain_image_.begin(), plain_image_.end(), buffer_.begin());
}
void Arena::fill_packets() {
  std::copy(packet_image_.begin(), packet_image_.end(), buffer_.begin());
}

std::string Arena::check_packets() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& slot = slots_[i];
    const ConstBytes made(packet(slot), slot.packet_size);
    const ConstBytes message = ConstBytes(plain_image_).subspan(slot.offset + iv_size, slot.plain_size);
    const auto key = session_key(slot.session);
    const auto expected = reference_packet(key, message, reference_nonce(key, made));
    if (!std::equal(made.begin(), made.end(), expected.begin(), expected.end())) {
      return "packet " + std::to_string(i) + " of " + std::to_string(slot.plain_size) +
             " bytes is sealed wrongly";
    }
  }
  return {};
}

std::string Arena::check_refusal(std::size_t broken) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& slot = slots_[i];
    const auto what = "packet " + std::to_string(i) + " of " + std::to_string(slot.plain_size) + " bytes ";
    if (slot.accepted != (i != broken)) {
      return what +
             (slot.accepted ? "is accepted though one bit was changed" : "is refused though it is good");
    }
    const auto* expected = plain_image_.data() + slot.offset + iv_size;
    if (slot.accepted && !std::equal(expected, expected + slot.plain_size, plain(slot))) {
      return what + "is opened wrongly";
    }
  }
  return {};
}

std::string Arena::check_plain() {
  return check_refusal(slots_.size());
}

std::vector<std::uint8_t> reference_packet(const SessionKey& key, ConstBytes plain,
                                           const std::array<std::uint8_t, 3>& nonce) {
  std::vector<std::uint8_t> input(nonce.begin(), nonce.end());
  input.insert(input.end(), plain.begin(), plain.end());
  std::array<std::uint8_t, 20> mac;
  require(HMAC(EVP_sha1(), key.data(), 16, input.data(), input.size(), mac.data(), nullptr) != nullptr);
  std::array<std::uint8_t, iv_size> iv;
  std::copy_n(mac.begin(), 13, iv.begin());
  std::copy(nonce.begin(), nonce.end(), iv.begin() + 13);

  std::vector<std::uint8_t> out(packet_size_of(plain.size()));
  int size = 0;
  const Context ecb(EVP_CIPHER_CTX_new());
  require(EVP_EncryptInit_ex2(ecb.get(), EVP_aes_256_ecb(), key.data(), nullptr, nullptr) == 1);
  require(EVP_EncryptUpdate(ecb.get(), out.data(), &size, iv.data(), iv_size) == 1 && size == iv_size);
  const Context cbc(EVP_CIPHER_CTX_new());
  require(EVP_EncryptInit_ex2(cbc.get(), EVP_aes_256_cbc(), key.data(), iv.data(), nullptr) == 1);
  require(EVP_EncryptUpdate(cbc.get(), out.data() + iv_size, &size, plain.data(),
                            static_cast<int>(plain.size())) == 1);
  int last = 0;
  require(EVP_EncryptFinal_ex(cbc.get(), out.data() + iv_size + size, &last) == 1);
  require(static_cast<std::size_t>(size + last) + iv_size == out.size());
  return out;
}

std::array<std::uint8_t, 3> reference_nonce(const SessionKey& key, ConstBytes packet) {
  std::array<std::uint8_t, iv_size + 16> iv;
  int size = 0;
  const Context ecb(EVP_CIPHER_CTX_new());
  require(EVP_DecryptInit_ex2(ecb.get(), EVP_aes_256_ecb(), key.data(), nullptr, nullptr) == 1);
  require(EVP_CIPHER_CTX_set_padding(ecb.get(), 0) == 1);
  require(EVP_DecryptUpdate(ecb.get(), iv.data(), &size, packet.data(), iv_size) == 1 && size == iv_size);
  return {iv[13], iv[14], iv[15]};
}

}  // namespace corliss::bench
