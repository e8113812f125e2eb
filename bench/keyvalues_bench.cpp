#include "bench/keyvalues_bench.h"

#include "bench/keyvalues_input.h"
#include "bench/keyvalues_reference.h"

#include <corliss/keyvalues/appinfo.h>
#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace corliss::bench {
namespace {

using namespace keyvalues;

Limits limits_of(std::size_t size) {
  Limits limits;
  limits.max_size = size;
  limits.max_nodes = size;  // a generated input may have more than the default
  return limits;
}

Result<void> read_into(Tree& tree, ConstBytes input, bool is_text) {
  if (is_text) {
    TextOptions options;
    options.limits = limits_of(input.size());
    return read_text_into(tree, input, options);
  }
  BinaryOptions options;
  options.limits = limits_of(input.size());
  return read_binary_into(tree, input, options);
}

// Whether both parsers saw the same, node by node.
bool same(Node node, const PlainNode& plain) {  // NOLINT(misc-no-recursion): generated input, six levels deep
  if (node.name() != plain.name || node.is_block() != plain.is_block) {
    return false;
  }
  if (!plain.is_block) {
    return node.text() == plain.value;
  }
  auto child = node.children().begin();
  for (const PlainNode& other : plain.children) {
    if (child == node.children().end() || !same(*child, other)) {
      return false;
    }
    ++child;
  }
  return child == node.children().end();
}

class Reading : public Subject {
 public:
  Reading(std::string name, ConstBytes bytes, bool text)
      : input(bytes), is_text(text), name_(std::move(name)) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::size_t units() const override { return input.size(); }

 protected:
  const ConstBytes input;
  const bool is_text;

 private:
  std::string name_;
};

class Copying final : public Reading {
 public:
  using Reading::Reading;
  void pass() override {
    out_.resize(input.size());
    std::memcpy(out_.data(), input.data(), input.size());
  }
  std::string check() override {
    pass();
    return std::equal(input.begin(), input.end(), out_.begin()) ? "" : "another copy";
  }

 private:
  std::vector<std::uint8_t> out_;
};

class Plain final : public Reading {
 public:
  using Reading::Reading;
  void prepare() override { tree_.reset(); }
  void pass() override { tree_ = is_text ? plain_read_text(input) : plain_read_binary(input); }
  std::string check() override {
    pass();
    const bool good = tree_.has_value();
    tree_.reset();
    return good ? "" : "the plain parser refuses the input";
  }

 private:
  std::optional<PlainNode> tree_;
};

class Ours final : public Reading {
 public:
  Ours(std::string name, ConstBytes bytes, bool text, bool reuse)
      : Reading(std::move(name), bytes, text), reuse_(reuse) {}
  void prepare() override {
    if (!reuse_) {
      tree_ = Tree();
    }
  }
  void pass() override { good_ = read_into(tree_, input, is_text).has_value(); }
  std::string check() override {
    prepare();
    pass();
    const auto plain = is_text ? plain_read_text(input) : plain_read_binary(input);
    return good_ && plain && same(tree_.root(), *plain) ? "" : "not the tree of the plain parser";
  }

 private:
  const bool reuse_;
  bool good_ = false;
  Tree tree_;
};

class Counter final : public Visitor {
 public:
  Next on_block(std::string_view, const NodeConditions&) override { return count(); }
  Next on_leaf(std::string_view, const Value&, const NodeConditions&) override { return count(); }
  Next on_end() override { return Next::go_on; }
  std::size_t nodes = 0;

 private:
  Next count() {
    ++nodes;
    return Next::go_on;
  }
};

class Streaming final : public Reading {
 public:
  using Reading::Reading;
  void pass() override {
    Counter counter;
    nodes_ = 0;
    if (is_text) {
      TextStream stream(counter);
      feed(stream);
      nodes_ = stream.finish() ? counter.nodes : 0;
    } else {
      BinaryStream stream(counter);
      feed(stream);
      nodes_ = stream.finish() ? counter.nodes : 0;
    }
  }
  std::string check() override {
    pass();
    Tree tree;
    return read_into(tree, input, is_text) && tree.node_count() == nodes_ ? "" : "another number of nodes";
  }

 private:
  template <class Stream>
  void feed(Stream& stream) {
    constexpr std::size_t piece = std::size_t{64} << 10;
    for (std::size_t at = 0; at < input.size(); at += piece) {
      if (!stream.feed(input.subspan(at, std::min(piece, input.size() - at)))) {
        return;
      }
    }
  }
  std::size_t nodes_ = 0;
};

// An appinfo.vdf, every app read into one tree, or all passed over.
class Apps final : public Reading {
 public:
  Apps(std::string name, ConstBytes bytes, bool skip) : Reading(std::move(name), bytes, false), skip_(skip) {}
  void pass() override {
    apps_ = 0;
    const auto file = AppInfo::open(input);
    if (!file) {
      return;
    }
    AppInfoCursor cursor(*file);
    for (;;) {
      const auto entry = cursor.next();
      if (!entry || !*entry || (!skip_ && !file->read_into(tree_, **entry))) {
        ended_ = entry && !*entry;
        return;
      }
      ++apps_;
    }
  }
  std::string check() override {
    pass();
    return ended_ && apps_ > 0 ? "" : "the file is refused";
  }

 private:
  const bool skip_;
  bool ended_ = false;
  std::size_t apps_ = 0;
  Tree tree_;
};

Spread inverse(const Spread& time, double scale) {
  return {scale / time.median, scale / time.max, scale / time.min};
}

void measure_form(KeyValuesReport& report, const KeyValuesOptions& options, const std::string& form,
                  ConstBytes input) {
  const bool is_text = form == "text";
  Group group;
  const std::size_t copy = group.add(std::make_unique<Copying>("memcpy", input, is_text));
  std::vector<std::string> names{"memcpy"};
  const auto add = [&](const char* name, std::unique_ptr<Subject> subject) {
    names.emplace_back(name);
    return group.add(std::move(subject));
  };
  std::optional<std::size_t> plain;
  if (form == "appinfo") {
    add("tree-reused", std::make_unique<Apps>("app by app", input, false));
    add("skip", std::make_unique<Apps>("skipping", input, true));
  } else {
    plain = add("plain", std::make_unique<Plain>("plain", input, is_text));
    add("tree", std::make_unique<Ours>("tree", input, is_text, false));
    add("tree-reused", std::make_unique<Ours>("tree-reused", input, is_text, true));
    add("stream", std::make_unique<Streaming>("stream", input, is_text));
  }
  Budget budget;
  budget.total = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(options.seconds / 3));
  budget.min_rounds = 5;
  group.measure(budget);
  for (std::size_t i = 0; i < group.size(); ++i) {
    KeyValuesRow row;
    row.form = form;
    row.impl = names[i];
    row.bytes = input.size();
    row.megabytes_per_second = inverse(group.time(i), 1e3);
    if (plain) {
      row.times_plain = inverse(group.ratio(i, *plain), 1);
    }
    row.share_of_memcpy = inverse(group.ratio(i, copy), 1);
    row.allocations = group.measurement(i).allocations_per_unit * static_cast<double>(input.size());
    report.rows.push_back(std::move(row));
  }
}

// A field of /proc/self/status in bytes.
std::size_t memory_status(std::string_view field) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(field)) {
      return static_cast<std::size_t>(std::strtoull(line.c_str() + field.size() + 1, nullptr, 10)) * 1024;
    }
  }
  return 0;
}

struct ChildResult {
  bool good = false;
  std::size_t growth = 0;  ///< of memory, in bytes
  std::size_t count = 0;   ///< nodes that were read, or bytes that were written
};

ChildResult read_in_child(int input_file, std::size_t size, bool is_text) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts from here
  const std::size_t before = memory_status("VmRSS");
  std::vector<std::uint8_t> input(size);
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::pread(input_file, input.data() + have, size - have, static_cast<off_t>(have));
    if (got <= 0) {
      return {};
    }
    have += static_cast<std::size_t>(got);
  }
  Tree tree;
  if (!read_into(tree, input, is_text)) {
    return {};
  }
  return {true, memory_status("VmHWM") - before, tree.node_count()};
}

// Runs `work` in a child and returns what it returns; nothing of its memory stays with us.
ChildResult in_child(const std::function<ChildResult()>& work) {
  const auto check = [](bool good) {
    if (!good) {
      throw std::system_error(errno, std::generic_category(), "measuring memory");
    }
  };
  std::array<int, 2> ends{};
  check(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  check(child >= 0);
  if (child == 0) {
    const ChildResult result = work();
    const bool sent = ::write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  ChildResult result{};
  const bool got = ::read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (!got) {
    throw WrongResult("the child that measures memory ended early");
  }
  return result;
}

// Before anything large was allocated in this process: what malloc keeps of it would be used again,
// uncounted.
KeyValuesMemory measure_memory(const std::string& form, std::size_t size) {
  const bool is_text = form == "text";
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) {
    throw std::system_error(errno, std::generic_category(), "a temporary file");
  }
  const auto made = in_child([file, is_text, size]() -> ChildResult {
    const auto write = [file](ConstBytes input) -> ChildResult {
      return {std::fwrite(input.data(), 1, input.size(), file) == input.size() && std::fflush(file) == 0, 0,
              input.size()};
    };
    return is_text ? write(bytes_of(app_info_text(size))) : write(app_info_binary(size));
  });
  const std::size_t bytes = made.count;
  const auto result =
      in_child([file, bytes, is_text] { return read_in_child(::fileno(file), bytes, is_text); });
  std::fclose(file);
  if (!made.good || !result.good) {
    throw WrongResult("the child that measures memory did not read the input");
  }
  return {form, bytes, result.count, static_cast<double>(result.growth) / static_cast<double>(bytes)};
}

}  // namespace

KeyValuesReport run_keyvalues_bench(const KeyValuesOptions& options) {
  KeyValuesReport report;
  report.machine = describe_machine();
  const auto step = [&options](std::size_t done) {
    if (options.progress) {
      options.progress(done, 3);
    }
  };
  step(0);
  for (const char* form : {"text", "binary"}) {
    report.memory.push_back(measure_memory(form, options.size));
  }
  {
    const std::string text = app_info_text(options.size);
    measure_form(report, options, "text", bytes_of(text));
  }
  step(1);
  {
    const auto binary = app_info_binary(options.size);
    measure_form(report, options, "binary", binary);
  }
  step(2);
  measure_form(report, options, "appinfo", app_info_file(options.size));
  step(3);
  return report;
}

nlohmann::json to_json(const KeyValuesReport& report) {
  const auto spread_json = [](const Spread& s) {
    return nlohmann::json{{"median", s.median}, {"min", s.min}, {"max", s.max}};
  };
  auto rows = nlohmann::json::array();
  for (const auto& row : report.rows) {
    rows.push_back({{"form", row.form},
                    {"impl", row.impl},
                    {"bytes", row.bytes},
                    {"mb_per_s", spread_json(row.megabytes_per_second)},
                    {"times_plain", row.times_plain ? spread_json(*row.times_plain) : nlohmann::json()},
                    {"share_of_memcpy", spread_json(row.share_of_memcpy)},
                    {"allocs_per_pass", row.allocations}});
  }
  auto memory = nlohmann::json::array();
  for (const auto& row : report.memory) {
    memory.push_back({{"form", row.form},
                      {"bytes", row.bytes},
                      {"nodes", row.nodes},
                      {"peak_times_input", row.times_input}});
  }
  return {{"machine",
           {{"cpu", report.machine.cpu},
            {"features", report.machine.features},
            {"compiler", report.machine.compiler},
            {"openssl", report.machine.openssl}}},
          {"rows", rows},
          {"memory", memory}};
}

std::string to_text(const KeyValuesReport& report) {
  std::string out = fmt::format("{}, {}\n\n{:<8} {:<12} {:>8} {:>19} {:>22} {:>14} {:>8}\n",
                                report.machine.cpu, report.machine.compiler, "form", "impl", "MB/s",
                                "(range)", "times plain (range)", "of memcpy", "allocs");
  for (const auto& row : report.rows) {
    const auto& speed = row.megabytes_per_second;
    const std::string times = row.times_plain ? fmt::format("{:.2f} ({:.2f}-{:.2f})", row.times_plain->median,
                                                            row.times_plain->min, row.times_plain->max)
                                              : "";
    out += fmt::format("{:<8} {:<12} {:>8.0f} {:>19} {:>22} {:>13.1f}% {:>8.0f}\n", row.form, row.impl,
                       speed.median, fmt::format("({:.0f}-{:.0f})", speed.min, speed.max), times,
                       100 * row.share_of_memcpy.median, row.allocations);
  }
  out += "\npeak memory of input and tree together, over the size of the input:\n";
  for (const auto& row : report.memory) {
    out +=
        fmt::format("{:<8} {:.2f} ({} bytes, {} nodes)\n", row.form, row.times_input, row.bytes, row.nodes);
  }
  return out;
}

}  // namespace corliss::bench
