// As packet_trace_test.cpp, for batches: what a batch tells is the sizes, and which packets were refused.
#include "support/test_support.h"
#include "trace/kernel_fixture.h"
#include "trace/packets.h"
#include "trace/runs.h"

#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace corliss::test {
namespace {

using crypto::PacketCipher;

// Every way to be at the end of a block, packets of one block and of many, equal ones side by side and apart:
// enough of them for sixteen lanes and a rest. `portable` does one after the other, and a few will do.
const std::vector<std::size_t>& plain_sizes(std::string_view kernel) {
  static const std::vector<std::size_t> many{300, 0,  64, 15, 64, 64, 52, 1,   200, 33,
                                             52,  53, 80, 16, 16, 47, 90, 117, 300};
  static const std::vector<std::size_t> few{52, 0, 80, 15};
  return kernel == "portable" ? few : many;
}

struct Buffers {
  alignas(64) std::array<std::array<std::uint8_t, 512>, 20> bytes{};
  Bytes at(std::size_t i, std::size_t size) { return Bytes(bytes[i]).first(size); }
};

class SealBatchSubject final : public Subject {
 public:
  SealBatchSubject(std::string_view kernel, std::vector<std::size_t> sizes, std::size_t variant)
      : sizes_(std::move(sizes)), variant_(variant) {
    for (std::size_t i = 0; i < 3; ++i) {
      ciphers_[i] = std::make_unique<PacketCipher>(secret_key(variant, i), kernel);
    }
  }
  void prepare() override {
    for (const bool secret : {false, true}) {
      items_.assign(sizes_.size(), {});
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const auto plain = buffers_.at(i, sizes_[i] + 32).subspan(16, sizes_[i]);
        const auto bytes = secrets_of(secret ? variant_ : 0, sizes_[i] + 3);
        std::copy(bytes.begin() + 3, bytes.end(), plain.begin());
        std::copy_n(bytes.begin(), 3, items_[i].nonce.begin());
        items_[i].cipher = ciphers_[i % 3].get();
        items_[i].plain = plain;
        items_[i].out = buffers_.at(i, sizes_[i] + 32);
      }
      if (!secret) {
        run();
      }
    }
  }
  void run() override { crypto::seal_batch(items_); }
  bool as_expected() override {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto bytes = secrets_of(variant_, sizes_[i] + 3);
      const auto opened = items_[i].cipher->open(items_[i].sealed);
      if (!opened || !std::equal(opened->begin(), opened->end(), bytes.begin() + 3, bytes.end())) {
        return false;
      }
    }
    return true;
  }

 private:
  std::vector<std::size_t> sizes_;
  std::size_t variant_;
  std::array<std::unique_ptr<PacketCipher>, 3> ciphers_;
  Buffers buffers_;
  std::vector<crypto::SealItem> items_;
};

class OpenBatchSubject final : public Subject {
 public:
  // Packet i has plain size sizes[i] or up to 15 bytes less or more; those in `forged` are broken.
  OpenBatchSubject(std::string_view kernel, const std::vector<std::size_t>& sizes, std::size_t variant,
                   const std::set<std::size_t>& forged)
      : forged_(forged), items_(sizes.size()) {
    TestRng rng(seed() + variant);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto candidates = few_packets_of(sizes[i] / 16 * 16 + 16);
      const bool good = forged.count(i) == 0;
      const auto is_wanted = [good](const Packet& p) { return (p.good_mac && p.good_padding) == good; };
      const Packet* chosen = nullptr;
      while (chosen == nullptr || !is_wanted(*chosen)) {
        chosen = &candidates[rng.between(0, candidates.size() - 1)];
      }
      sealed_.push_back(chosen->sealed);
      ciphers_.push_back(std::make_unique<PacketCipher>(chosen->key, kernel));
      items_[i].cipher = ciphers_.back().get();
      items_[i].sealed = buffers_.at(i, chosen->sealed.size());
    }
  }
  void prepare() override {
    run();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      std::copy(sealed_[i].begin(), sealed_[i].end(), items_[i].sealed.begin());
    }
  }
  void run() override { crypto::open_batch(items_); }
  bool as_expected() override {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (bool(items_[i].error) != (forged_.count(i) != 0)) {
        return false;
      }
    }
    return true;
  }

 private:
  const std::set<std::size_t>& forged_;  // not for `run`: at another address in each variant
  std::vector<std::vector<std::uint8_t>> sealed_;
  std::vector<std::unique_ptr<PacketCipher>> ciphers_;
  Buffers buffers_;
  std::vector<crypto::OpenItem> items_;
};

class BatchTrace : public KernelFixture {
 protected:
  void seal_sizes(const std::vector<std::size_t>& sizes) {
    const auto make = [&](std::size_t i) { return std::make_unique<SealBatchSubject>(GetParam(), sizes, i); };
    expect_constant("seal_batch of", sizes.size(), judge(few_secrets, make));
  }
  void open_sizes(const std::vector<std::size_t>& sizes, const std::set<std::size_t>& forged) {
    const std::set<std::size_t> none;
    std::vector<Variant> variants(3, {"all good", "accepted"});
    variants.resize(6, {"some forged", "refused"});
    const auto make = [&](std::size_t i) {
      return std::make_unique<OpenBatchSubject>(GetParam(), sizes, i, i < 3 ? none : forged);
    };
    expect_constant("open_batch of", sizes.size(), judge(variants, make, {{"open"}, 1U << 20}));
  }
  inline static const std::vector<Variant> few_secrets{
      {"zeros", "done"}, {"ones", "done"}, {"random", "done"}};
};

TEST_P(BatchTrace, Seal) {
  seal_sizes(plain_sizes(GetParam()));
}

TEST_P(BatchTrace, SealOfTwoAndThree) {
  seal_sizes({64, 64});
  seal_sizes({100, 0, 64});
}

TEST_P(BatchTrace, Open) {
  open_sizes(plain_sizes(GetParam()), {0, 2, 3});
}

TEST_P(BatchTrace, OpenOfTwoAndThree) {
  open_sizes({64, 64}, {1});
  open_sizes({100, 0, 64}, {0, 2});
}

INSTANTIATE_TEST_SUITE_P(Kernels, BatchTrace, ::testing::ValuesIn(kernel_names()), kernel_test_name);

}  // namespace
}  // namespace corliss::test
