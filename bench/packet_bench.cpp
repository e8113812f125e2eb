#include "bench/packet_bench.h"

#include "bench/packet_subjects.h"

#include <corliss/crypto/kernel.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>

namespace corliss::bench {
namespace {

using namespace std::chrono_literals;

/// Subjects of one group with what their rows say.
class RowGroup {
 public:
  struct Label {
    Op op = Op::seal;
    std::string impl;
    std::string kernel;
    std::size_t size = 0;
    Workload workload;
    bool report = true;  // false: it stands here as a base only
  };

  std::size_t add(Label label, std::unique_ptr<Subject> subject) {
    labels_.push_back(std::move(label));
    return group_.add(std::move(subject));
  }
  void measure(const Budget& budget) { group_.measure(budget); }
  [[nodiscard]] const Group& group() const noexcept { return group_; }

  /// Rows of everything that is reported; ratios against subject `kept`.
  void rows(std::optional<std::size_t> kept, std::vector<PacketRow>& out) const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const auto& label = labels_[i];
      if (!label.report) {
        continue;
      }
      PacketRow row;
      row.op = name_of(label.op);
      row.impl = label.impl;
      row.kernel = label.kernel;
      row.size = label.size;
      row.batch = label.workload.batch;
      row.sessions = label.workload.sessions;
      row.ns_per_packet = group_.time(i);
      row.allocs_per_packet = group_.measurement(i).allocations_per_unit;
      row.alloc_bytes_per_packet = group_.measurement(i).allocated_bytes_per_unit;
      if (kept) {
        row.ratio_to_kept = group_.ratio(i, *kept);
      }
      double bytes = 0;
      for (const std::size_t size : label.workload.sizes) {
        bytes += static_cast<double>(size);
      }
      row.mean_size = bytes / static_cast<double>(std::max<std::size_t>(label.workload.sizes.size(), 1));
      out.push_back(std::move(row));
    }
  }

 private:
  Group group_;
  std::vector<Label> labels_;
};

class PacketBench {
 public:
  explicit PacketBench(const PacketOptions& options) : options_(options), kernel_(kernel_of(options)) {
    all_groups_ = options.sizes.size() * (2 + 2 * options.batches.size()) +
                  (options.breakdown ? options.sizes.size() * 6 : 0) + (options.mixed ? 2 : 0);
    const auto groups = static_cast<int>(all_groups_);
    auto whole = options.quick ? std::chrono::nanoseconds(6s) : std::chrono::nanoseconds(1500ms) * groups;
    if (options.seconds > 0) {
      whole = std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(options.seconds));
    }
    budget_.total = whole / groups;
    deadline_ = std::chrono::steady_clock::now() + whole;
    budget_.slice = options.quick ? 60us : 150us;
    budget_.min_rounds = options.quick ? 5 : 25;
  }

  PacketReport run() {
    report_.machine = describe_machine();
    variants_ = ipsec_variants();
    for (const std::size_t size : options_.sizes) {
      for (const Op op : {Op::seal, Op::open}) {
        for (const std::size_t batch : options_.batches) {
          if (batch == 1) {
            one_at_a_time(op, size);
          } else {
            batches(op, size, batch);
          }
        }
      }
      alone(Op::mac, size);
      alone(Op::key, size);
    }
    if (options_.mixed) {
      for (const Op op : {Op::seal, Op::open}) {
        mixed(op);
      }
    }
    if (options_.breakdown) {
      for (const std::size_t size : options_.sizes) {
        for (const Op op : {Op::seal, Op::open}) {
          breakdown(op, size);
        }
      }
    }
    return std::move(report_);
  }

 private:
  using Label = RowGroup::Label;

  static std::string kernel_of(const PacketOptions& options) {
    if (!options.kernel.empty()) {
      return options.kernel;
    }
    const auto kernel = crypto::default_kernel();
    if (!kernel) {
      throw std::system_error(kernel.error());
    }
    return std::string(*kernel);
  }

  /// Measures one more group.
  template <class AnyGroup>
  void measure(AnyGroup& group) {
    if (options_.quick) {
      // What a busy machine took beyond its share so far is taken from the groups to come.
      const auto left = deadline_ - std::chrono::steady_clock::now();
      budget_.total =
          std::max<std::chrono::nanoseconds>(left, 0ns) / static_cast<int>(all_groups_ - done_groups_);
    }
    group.measure(budget_);
    ++done_groups_;
    if (options_.progress) {
      options_.progress(done_groups_, all_groups_);
    }
  }

  [[nodiscard]] Label ours(Op op, std::size_t size, const Workload& workload) const {
    return {op, "corliss", kernel_, size, workload, true};
  }

  void compare(const RowGroup& group, Op op, std::string what, std::size_t size, std::size_t batch,
               std::size_t subject, std::size_t base) {
    report_.comparisons.push_back(
        {std::string(name_of(op)), std::move(what), size, batch, group.group().ratio(subject, base)});
  }

  /// Adds the fastest variant of ipsec-mb for this workload, which a short run of each finds.
  std::optional<std::size_t> add_ipsec(RowGroup& group, Op op, std::size_t size,
                                       const Workload& workload) const {
    const IpsecVariant* best = nullptr;
    double best_time = std::numeric_limits<double>::infinity();
    for (const auto& variant : variants_) {
      const auto subject = make_ipsec(op, workload, variant);
      const double time = quick_time(*subject, options_.quick ? 2ms : 20ms);
      if (time < best_time) {
        best = &variant;
        best_time = time;
      }
    }
    if (best == nullptr) {
      return std::nullopt;
    }
    return group.add({op, "ipsec-mb", best->name, size, workload, true}, make_ipsec(op, workload, *best));
  }

  void one_at_a_time(Op op, std::size_t size) {
    const auto workload = uniform_workload(size, 1, 1);
    RowGroup group;
    const auto mine = group.add(ours(op, size, workload), make_corliss(op, workload, kernel_));
    const auto kept = group.add({op, "kept", "libcrypto", size, workload, true}, make_kept(op, workload));
    std::optional<std::size_t> pool;
    std::optional<std::size_t> mac;
    if (op == Op::seal) {
      pool = group.add({op, "kept-pool", "libcrypto", size, workload, true}, make_kept_pool(op, workload));
    } else {
      mac = group.add({Op::mac, "corliss", kernel_, size, workload, false},
                      make_corliss(Op::mac, workload, kernel_));
    }
    group.add({op, "fresh", "libcrypto", size, workload, true}, make_fresh(op, workload));
    const auto rival = add_ipsec(group, op, size, workload);
    measure(group);
    group.rows(kept, report_.rows);
    if (pool) {
      compare(group, op, "corliss / kept-pool", size, 1, mine, *pool);
    }
    if (mac) {
      compare(group, op, "corliss / its HMAC alone", size, 1, mine, *mac);
    }
    if (rival) {
      compare(group, op, "corliss / ipsec-mb", size, 1, mine, *rival);
    }
  }

  void batches(Op op, std::size_t size, std::size_t batch) {
    const auto one = uniform_workload(size, 1, 1);
    const auto workload = uniform_workload(size, batch, 1);
    const auto many_sessions = uniform_workload(size, batch, batch);
    RowGroup group;
    const auto kept = group.add({op, "kept", "libcrypto", size, one, false}, make_kept(op, one));
    const auto mine = group.add(ours(op, size, workload), make_corliss(op, workload, kernel_));
    const auto many = group.add(ours(op, size, many_sessions), make_corliss(op, many_sessions, kernel_));
    const auto rival = add_ipsec(group, op, size, workload);
    measure(group);
    group.rows(kept, report_.rows);
    compare(group, op, "each of its own session / all of one", size, batch, many, mine);
    if (rival) {
      compare(group, op, "corliss / ipsec-mb", size, batch, mine, *rival);
    }
  }

  void alone(Op op, std::size_t size) {
    const auto workload = uniform_workload(size, 1, 1);
    RowGroup group;
    group.add(ours(op, size, workload), make_corliss(op, workload, kernel_));
    const auto kept = group.add({op, "kept", "libcrypto", size, workload, true}, make_kept(op, workload));
    measure(group);
    group.rows(kept, report_.rows);
  }

  void mixed(Op op) {
    constexpr std::size_t usual = 670;
    const auto workload = mixed_workload();
    const auto uniform = uniform_workload(usual, workload.batch, 1);
    RowGroup group;
    const auto kept =
        group.add({op, "kept", "libcrypto", mixed_size, workload, true}, make_kept(op, one_by_one(workload)));
    const auto mine = group.add(ours(op, mixed_size, workload), make_corliss(op, workload, kernel_));
    const auto base =
        group.add({op, "corliss", kernel_, usual, uniform, false}, make_corliss(op, uniform, kernel_));
    add_ipsec(group, op, mixed_size, workload);
    measure(group);
    std::vector<PacketRow> rows;
    group.rows(kept, rows);
    rows.front().batch = 1;  // `kept` takes the mixed packets one at a time
    // Per byte, so each time goes down by its own mean size.
    const double scale = static_cast<double>(usual) / rows.front().mean_size;
    Spread ratio = group.group().ratio(mine, base);
    ratio = {ratio.median * scale, ratio.min * scale, ratio.max * scale};
    report_.comparisons.push_back({std::string(name_of(op)), "64 of 16–1500 bytes / 64 of 670, per byte",
                                   mixed_size, workload.batch, ratio});
    report_.rows.insert(report_.rows.end(), rows.begin(), rows.end());
  }

  static Workload one_by_one(Workload workload) {
    workload.batch = 1;
    return workload;
  }

  void breakdown(Op op, std::size_t size) {
    const auto workload = uniform_workload(size, 1, 1);
    for (const std::string impl : {"fresh", "kept", "corliss"}) {
      const auto make = [&](Part part) {
        return impl == "fresh"  ? make_fresh(op, workload, part)
               : impl == "kept" ? make_kept(op, workload, part)
                                : make_corliss(op, workload, kernel_, part);
      };
      Group group;
      group.add(make(Part::whole));
      group.add(make(Part::mac));
      group.add(make(Part::cipher));
      if (op == Op::seal) {
        group.add(make(Part::random));
      }
      measure(group);
      PacketBreakdown parts{std::string(name_of(op)), impl, size};
      parts.total = group.time(0).median;
      parts.mac = group.time(1).median;
      parts.cipher = group.time(2).median;
      parts.random = op == Op::seal ? group.time(3).median : 0;
      report_.breakdown.push_back(std::move(parts));
    }
  }

  PacketOptions options_;
  std::string kernel_;
  Budget budget_;
  std::chrono::steady_clock::time_point deadline_;  // of a quick run
  std::size_t all_groups_ = 0;
  std::size_t done_groups_ = 0;
  std::vector<IpsecVariant> variants_;
  PacketReport report_;
};

}  // namespace

PacketReport run_packet_bench(const PacketOptions& options) {
  return PacketBench(options).run();
}

}  // namespace corliss::bench
