#include "bench/packet_subject_base.h"
#include "crypto/kernels.h"

#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/random_pool.h>

#include <stdexcept>
#include <system_error>

namespace corliss::bench {
namespace {

class CorlissSubject final : public PacketSubject {
 public:
  CorlissSubject(Op op, const Workload& workload, std::string_view kernel)
      : PacketSubject("corliss", op, Part::whole, workload) {
    ciphers_.reserve(workload.sessions);
    for (std::size_t i = 0; i < workload.sessions; ++i) {
      ciphers_.emplace_back(session_key(i), kernel);
    }
    for (const auto& slot : arena().slots()) {
      const auto* cipher = &ciphers_[slot.session];
      const Bytes packet(arena().packet(slot), slot.packet_size);
      crypto::SealItem seal;
      seal.cipher = cipher;
      seal.plain = {arena().plain(slot), slot.plain_size};
      seal.out = packet;
      seals_.push_back(seal);
      crypto::OpenItem open;
      open.cipher = cipher;
      open.sealed = packet;
      opens_.push_back(open);
    }
  }

 private:
  void collect() override {
    for (std::size_t i = 0; i < arena().size(); ++i) {
      arena().slots()[i].accepted = !opens_[i].error;
    }
  }

  void run(std::size_t first, std::size_t count) override {
    if (op() == Op::seal) {
      if (count == 1) {
        auto& item = seals_[first];
        require(item.cipher->seal(item.plain, item.out).has_value());
      } else {
        crypto::seal_batch(std::span(seals_).subspan(first, count), crypto::system_rng());
      }
    } else if (count == 1) {
      auto& item = opens_[first];
      const auto opened = item.cipher->open(item.sealed);
      item.error = opened ? std::error_code() : opened.error();
    } else {
      crypto::open_batch(std::span(opens_).subspan(first, count));
    }
  }

  static void require(bool good) {
    if (!good) {
      throw std::runtime_error("a packet could not be sealed");
    }
  }

  std::vector<crypto::PacketCipher> ciphers_;
  std::vector<crypto::SealItem> seals_;
  std::vector<crypto::OpenItem> opens_;
};

/// A part alone, through the functions of the kernel. The cipher part is the legacy format, which is that and
/// no more.
class CorlissPartSubject final : public PacketSubject {
 public:
  CorlissPartSubject(Op op, Part part, const Workload& workload, std::string_view kernel)
      : PacketSubject("corliss", op, part, workload) {
    const auto entry = crypto::detail::find_kernel(kernel);
    if (!entry) {
      throw std::system_error(entry.error());
    }
    functions_ = (*entry)->functions;
    session_ = functions_->make(session_key(0));
  }
  ~CorlissPartSubject() override { functions_->destroy(session_); }
  CorlissPartSubject(const CorlissPartSubject&) = delete;
  CorlissPartSubject& operator=(const CorlissPartSubject&) = delete;

 private:
  void run(std::size_t first, std::size_t count) override {
    for (std::size_t i = first; i < first + count; ++i) {
      const auto& slot = arena().slots()[i];
      std::uint8_t block[16] = {};
      if (op() == Op::mac || part() == Part::mac) {
        functions_->mac(*session_, given_nonce(), arena().plain(slot), slot.plain_size, mac_of(i));
      } else if (part() == Part::random) {
        (void)crypto::system_rng().fill({block, 3});
      } else if (op() == Op::seal) {
        functions_->seal_legacy(*session_, arena().plain(slot), slot.plain_size, block, arena().packet(slot));
      } else {
        functions_->open_legacy(*session_, arena().packet(slot), slot.packet_size, arena().plain(slot));
      }
    }
  }

  const crypto::detail::PacketKernel* functions_ = nullptr;
  const crypto::detail::Session* session_ = nullptr;
};

class CorlissKeying final : public Subject {
 public:
  explicit CorlissKeying(std::string_view kernel) : kernel_(kernel) {}
  [[nodiscard]] std::string name() const override { return "corliss key"; }
  [[nodiscard]] std::size_t units() const override { return 16; }
  void pass() override {
    for (std::size_t i = 0; i < units(); ++i) {
      const crypto::PacketCipher cipher(key_, kernel_);
      asm volatile("" : : "r"(&cipher) : "memory");
    }
  }
  [[nodiscard]] std::string check() override { return {}; }

 private:
  std::string kernel_;
  SessionKey key_ = session_key(0);
};

}  // namespace

std::unique_ptr<Subject> make_corliss(Op op, const Workload& workload, std::string_view kernel, Part part) {
  if (op == Op::key) {
    return std::make_unique<CorlissKeying>(kernel);
  }
  if (op == Op::mac || part != Part::whole) {
    return std::make_unique<CorlissPartSubject>(op, part, workload, kernel);
  }
  return std::make_unique<CorlissSubject>(op, workload, kernel);
}

}  // namespace corliss::bench
