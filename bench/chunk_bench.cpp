#include "bench/content_bench.h"
#include "bench/content_data.h"
#include "content/container.h"

#include <corliss/content/chunk.h>
#include <corliss/content/decode_pool.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>
#include <array>
#include <functional>
#include <thread>

namespace corliss::bench {
namespace {

using content::ChunkContainer;
using content::detail::Container;
using content::detail::Decompressor;

struct Input {
  ByteVector plain;
  ByteVector container;
  ByteVector body;
  content::ChunkSpec spec;

  Input(ChunkContainer kind, std::size_t size, std::uint64_t seed)
      : plain(game_bytes(size, seed)), container(pack(kind, plain)), body(seal_body(depot_key(), container)) {
    spec = content::ChunkSpec(describe_chunk(plain, body.size()));
  }
};

/// Everything, as a user calls it.
class Corliss final : public Subject {
 public:
  explicit Corliss(const Input& input) : input_(input), decoder_(depot_key()), out_(input.plain.size()) {}
  std::string name() const override { return "corliss"; }
  std::size_t units() const override { return 1; }
  void prepare() override { body_ = input_.body; }
  void pass() override { good_ = decoder_.decode(body_, input_.spec, out_).has_value(); }
  std::string check() override {
    prepare();
    pass();
    return good_ && out_ == input_.plain ? "" : "the chunk was not decoded";
  }

 private:
  const Input& input_;
  content::ChunkDecoder decoder_;
  ByteVector body_;
  ByteVector out_;
  bool good_ = false;
};

enum class Part : std::uint8_t { decrypt, decompress, adler, crc, sha1 };
constexpr std::array parts{Part::decrypt, Part::decompress, Part::adler, Part::crc, Part::sha1};

const char* name_of(Part part) {
  static constexpr const char* names[] = {"decrypt alone", "decompress alone", "Adler-32 alone",
                                          "CRC-32 alone", "SHA-1 alone"};
  return names[static_cast<std::size_t>(part)];
}

/// One primitive alone, its state kept from call to call.
class Primitive final : public Subject {
 public:
  Primitive(const Input& input, Part part)
      : input_(input),
        part_(part),
        cipher_(depot_key()),
        container_(content::detail::open_container(input.container).value()),
        out_(input.plain.size()) {}
  std::string name() const override { return name_of(part_); }
  std::size_t units() const override { return 1; }
  void prepare() override { body_ = input_.body; }
  void pass() override {
    switch (part_) {
      case Part::decrypt:
        good_ = cipher_.open(body_).has_value();
        break;
      case Part::decompress:
        good_ = decompressor_.unpack(container_, out_).has_value();
        break;
      case Part::adler:
        good_ = crypto::adler32(input_.plain, crypto::adler32_depot_seed) == *input_.spec.checksum;
        break;
      case Part::crc:
        good_ = crypto::crc32(input_.plain) == container_.crc;
        break;
      case Part::sha1:
        sha1_.update(input_.plain);
        good_ = content::ChunkId(sha1_.finish()) == *input_.spec.id;
        break;
    }
  }
  std::string check() override {
    prepare();
    pass();
    return good_ ? "" : "wrong result";
  }

 private:
  const Input& input_;
  Part part_;
  crypto::DepotCipher cipher_;
  Container container_;
  Decompressor decompressor_;
  crypto::Sha1 sha1_;
  ByteVector body_;
  ByteVector out_;
  bool good_ = false;
};

/// Many chunks through the decode pool.
class Pool final : public Subject {
 public:
  Pool(const std::vector<Input>& inputs, unsigned threads) : inputs_(inputs), threads_(threads) {}
  std::string name() const override { return "pool"; }
  std::size_t units() const override { return inputs_.size(); }
  void prepare() override {
    jobs_.clear();
    for (const auto& input : inputs_) {
      jobs_.push_back({jobs_.size(), input.spec, input.body});
    }
  }
  void pass() override {
    content::DecodePool pool(depot_key(), {.max_bytes = std::size_t{1} << 30});
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads_; ++i) {
      workers.emplace_back([&pool] { pool.run(); });
    }
    for (auto& job : jobs_) {
      if (!pool.submit(std::move(job))) {
        break;
      }
    }
    pool.close();
    done_ = 0;
    while (const auto decoded = pool.next()) {
      const auto plain = decoded->plain();
      done_ += plain && std::ranges::equal(*plain, inputs_[decoded->tag()].plain) ? 1 : 0;
    }
    for (auto& worker : workers) {
      worker.join();
    }
  }
  std::string check() override {
    prepare();
    pass();
    return done_ == inputs_.size() ? "" : "not every chunk came out";
  }

 private:
  const std::vector<Input>& inputs_;
  unsigned threads_;
  std::vector<content::DecodePool::Job> jobs_;
  std::size_t done_ = 0;
};

void measure_container(ChunkContainer kind, const ChunkBenchOptions& options, ContentReport& report) {
  const Input input(kind, options.size, 1);
  Group group;
  const auto corliss = group.add(std::make_unique<Corliss>(input));
  std::vector<std::size_t> primitives;
  primitives.reserve(std::size(parts));
  for (const auto part : parts) {
    primitives.push_back(group.add(std::make_unique<Primitive>(input, part)));
  }
  Budget budget;
  budget.total = budget_of(options.quick, options.seconds, std::chrono::seconds(6));
  budget.min_rounds = options.seconds ? 2 : 15;
  group.measure(budget);

  const auto add = [&](std::string impl, Spread ns, std::optional<double> allocations,
                       std::optional<Spread> ratio) {
    ContentRow row;
    row.op = content::to_string(kind);
    row.impl = std::move(impl);
    row.bytes = options.size;
    row.ns = ns;
    row.allocations = allocations;
    row.ratio = ratio;
    report.rows.push_back(std::move(row));
  };
  const auto& mine = group.measurement(corliss);
  std::vector<double> sums(mine.ns_per_unit.size());
  std::vector<double> ratios(sums.size());
  for (std::size_t round = 0; round < sums.size(); ++round) {
    for (const auto primitive : primitives) {
      sums[round] += group.measurement(primitive).ns_per_unit[round];
    }
    ratios[round] = mine.ns_per_unit[round] / sums[round];
  }
  add("corliss", group.time(corliss), mine.allocations_per_unit, std::nullopt);
  add("sum of the primitives", spread(sums), std::nullopt, spread(ratios));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    add(name_of(parts[i]), group.time(primitives[i]), group.measurement(primitives[i]).allocations_per_unit,
        std::nullopt);
  }
}

void measure_threads(const ChunkBenchOptions& options, ContentReport& report) {
  constexpr std::size_t chunks = 24;
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < chunks; ++i) {
    inputs.emplace_back(ChunkContainer::lzma, options.size, i);
  }
  Group group;
  const auto two = group.add(std::make_unique<Pool>(inputs, 2));
  const auto one = group.add(std::make_unique<Pool>(inputs, 1));
  Budget budget;
  budget.total = budget_of(options.quick, options.seconds, std::chrono::seconds(10));
  budget.min_rounds = options.seconds ? 2 : 5;
  group.measure(budget);
  for (const auto& [impl, subject] : {std::pair("pool, two threads", two), {"pool, one thread", one}}) {
    ContentRow row;
    row.op = "lzma";
    row.impl = impl;
    row.bytes = options.size;
    row.ns = group.time(subject);
    if (subject == one) {
      row.ratio = group.ratio(two, one);
    }
    report.rows.push_back(std::move(row));
  }
}

}  // namespace

ContentReport run_chunk_bench(const ChunkBenchOptions& options) {
  ContentReport report;
  report.machine = describe_machine();
  for (const auto kind : {ChunkContainer::zip, ChunkContainer::lzma, ChunkContainer::zstd}) {
    measure_container(kind, options, report);
  }
  if (options.threads) {
    measure_threads(options, report);
  }
  return report;
}

}  // namespace corliss::bench
