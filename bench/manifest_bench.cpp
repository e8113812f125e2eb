#include "bench/content_bench.h"
#include "bench/content_data.h"
#include "content/base64.h"

#include <corliss/base/endian.h>
#include <corliss/bench/content_manifest.pb.h>
#include <corliss/content/manifest.h>

#include <algorithm>

#include <google/protobuf/arena.h>

namespace corliss::bench {
namespace {

using content::Manifest;

/// Bytes that repeat; IVs for the generated names.
class CountingRng final : public Rng {
 public:
  Result<void> fill(Bytes out) noexcept override {
    for (auto& byte : out) {
      byte = static_cast<std::uint8_t>(next_ >> 56);
      next_ = next_ * 6364136223846793005U + 1442695040888963407U;
    }
    return {};
  }

 private:
  std::uint64_t next_ = 1;
};

struct Input {
  ByteVector file;
  ConstBytes payload;
  std::size_t files = 0;

  explicit Input(std::size_t count) : files(count) {
    auto manifest = game_manifest(count, 1);
    crypto::DepotCipher cipher(depot_key());
    CountingRng rng;
    if (!manifest.encrypt_names(cipher, rng)) {
      throw WrongResult("the names do not encrypt");
    }
    file = manifest.write();
    const std::size_t size = load_le<std::uint32_t>(file.data() + 4);
    payload = ConstBytes(file).subspan(8, size);
  }
};

class Corliss final : public Subject {
 public:
  Corliss(const Input& input, bool decrypt) : input_(input), decrypt_(decrypt), cipher_(depot_key()) {}
  std::string name() const override { return decrypt_ ? "corliss" : "corliss, parse alone"; }
  std::size_t units() const override { return 1; }
  void prepare() override { manifest_ = Manifest(); }
  void pass() override {
    auto manifest = Manifest::parse(input_.file);
    if (manifest && decrypt_ && !manifest->decrypt_names(cipher_)) {
      return;
    }
    if (manifest) {
      manifest_ = *std::move(manifest);
    }
  }
  std::string check() override {
    prepare();
    pass();
    if (manifest_.file_count() != input_.files || manifest_.info().names_encrypted == decrypt_) {
      return "the manifest was not read";
    }
    if (decrypt_) {
      auto names = Manifest::parse(input_.file).value();
      for (std::size_t i = 0; i < input_.files; ++i) {
        if (!manifest_.safe_path(i)) {
          return "a path was refused";
        }
      }
    }
    return {};
  }

 private:
  const Input& input_;
  bool decrypt_;
  crypto::DepotCipher cipher_;
  Manifest manifest_;
};

/// protobuf's own parse, and on request raw base64 and AES over all names.
class Protobuf final : public Subject {
 public:
  Protobuf(const Input& input, bool arena, bool names)
      : input_(input), use_arena_(arena), names_(names), cipher_(depot_key()) {
    sealed_.resize(input.file.size());
    plain_.resize(input.file.size());
  }
  std::string name() const override {
    return std::string(use_arena_ ? "protobuf, arena" : "protobuf") + (names_ ? " + base64 + AES" : "");
  }
  std::size_t units() const override { return 1; }
  void prepare() override {
    message_ = nullptr;
    own_ = {};
    arena_.reset();
    if (use_arena_) {
      arena_ = std::make_unique<google::protobuf::Arena>();
    }
  }
  void pass() override {
    own_ = use_arena_ ? nullptr : std::make_unique<ContentManifestPayload>();
    message_ = use_arena_ ? google::protobuf::Arena::CreateMessage<ContentManifestPayload>(arena_.get())
                          : own_.get();
    parsed_ = message_->ParseFromArray(input_.payload.data(), static_cast<int>(input_.payload.size()));
    if (names_) {
      std::size_t used = 0;
      for (const auto& mapping : message_->mappings()) {
        used += content::detail::decode_base64(mapping.filename(), sealed_.data() + used).value_or(0);
      }
      decrypted_ =
          cipher_.decrypt_blocks(ConstBytes(sealed_).first(used), Bytes(plain_).first(used)).has_value();
    }
  }
  std::string check() override {
    prepare();
    pass();
    const bool whole = parsed_ && static_cast<std::size_t>(message_->mappings_size()) == input_.files;
    return whole && (decrypted_ || !names_) ? "" : "the payload was not read";
  }

 private:
  const Input& input_;
  bool use_arena_;
  bool names_;
  crypto::DepotCipher cipher_;
  std::unique_ptr<google::protobuf::Arena> arena_;
  std::unique_ptr<ContentManifestPayload> own_;
  ContentManifestPayload* message_ = nullptr;
  ByteVector sealed_;
  ByteVector plain_;
  bool parsed_ = false;
  bool decrypted_ = false;
};

}  // namespace

ContentReport run_manifest_bench(const ManifestBenchOptions& options) {
  const Input input(options.files);
  Group group;
  const auto corliss = group.add(std::make_unique<Corliss>(input, true));
  const auto parse = group.add(std::make_unique<Corliss>(input, false));
  const std::size_t others[] = {group.add(std::make_unique<Protobuf>(input, false, true)),
                                group.add(std::make_unique<Protobuf>(input, true, true)),
                                group.add(std::make_unique<Protobuf>(input, false, false)),
                                group.add(std::make_unique<Protobuf>(input, true, false))};
  static constexpr const char* names[] = {"protobuf + base64 + AES", "protobuf in an arena + base64 + AES",
                                          "protobuf", "protobuf in an arena"};
  Budget budget;
  budget.total = budget_of(options.quick, options.seconds, std::chrono::seconds(20));
  budget.min_rounds = options.seconds ? 2 : 5;
  group.measure(budget);

  ContentReport report;
  report.machine = describe_machine();
  const auto add = [&](const char* impl, std::size_t subject, bool with_ratio) {
    ContentRow row;
    row.op = "manifest";
    row.impl = impl;
    row.bytes = input.file.size();
    row.files = input.files;
    row.ns = group.time(subject);
    row.allocations = group.measurement(subject).allocations_per_unit;
    if (with_ratio) {
      row.ratio = group.ratio(corliss, subject);
    }
    report.rows.push_back(std::move(row));
  };
  add("corliss", corliss, false);
  add("corliss, parse alone", parse, false);
  for (std::size_t i = 0; i < std::size(others); ++i) {
    add(names[i], others[i], true);
  }
  return report;
}

}  // namespace corliss::bench
