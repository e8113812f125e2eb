#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Runs code under the trap flag and notes, for each instruction, where it lies and which memory it touches.
/// Two runs that differ in secrets only must leave the same trace. docs/constant-time.md says what that
/// shows, and what not.
namespace corliss::test {

/// What runs. Each object is made and used in a child process of its own, and all children start from the
/// same heap, stack and library state: what they allocate alike lies at the same address in each.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;
  /// Not traced: makes objects, and calls what is to be traced once (lazy binding, first-call initialisation)
  /// with inputs that do not depend on the secret of this run.
  virtual void prepare() = 0;
  virtual void run() = 0;
  /// Not traced: whether `run` did what it was meant to do with these inputs.
  [[nodiscard]] virtual bool as_expected() = 0;
};

/// One instruction, before it runs.
struct Step {
  std::uint64_t rip = 0;
  /// The effective address of each memory operand, implicit ones included; then the operands of instructions
  /// whose time depends on them (division, pdep, pext), bit offsets of bt into memory, masks of masked memory
  /// operands.
  std::array<std::uint64_t, 4> values{};
  bool operator==(const Step&) const = default;
};

enum class Problem {
  none,
  undecodable,  ///< Bytes that the decoder does not know.
  gather,       ///< A gather or scatter: its addresses come from data.
  unfollowed,   ///< Decoded, but we cannot tell which memory it touches.
  too_long,
  crashed,     ///< The child ended by a signal, or by an exception.
  unexpected,  ///< `as_expected` said no.
};
[[nodiscard]] const char* to_string(Problem problem);

struct Trace {
  std::vector<Step> steps;
  Problem problem = Problem::none;
  std::uint64_t problem_at = 0;  ///< Its address.
  [[nodiscard]] std::uint64_t hash() const;
  /// The problem with its instruction and symbol, for people.
  [[nodiscard]] std::string describe_problem() const;
};

/// Makes, in its child, the subject of run `i`; its allocations must not depend on the secrets.
using MakeSubject = std::function<std::unique_ptr<Subject>(std::size_t i)>;
/// Traces runs 0 to count - 1. Nothing is allocated in this process between the first and the last.
[[nodiscard]] std::vector<Trace> trace_all(std::size_t count, const MakeSubject& make);

/// Where two traces part.
struct Difference {
  std::size_t step = 0;
  /// The instruction to blame: the branch that went two ways, or the one that touched two addresses.
  std::uint64_t rip = 0;
  bool is_branch = false;
  std::string text;
};
[[nodiscard]] std::optional<Difference> first_difference(const Trace& a, const Trace& b);

/// What the tracer would say of the instruction that these bytes begin with; for those that this CPU cannot
/// run.
[[nodiscard]] Problem inspect(std::span<const std::uint8_t> code);

/// The code of one function of this program.
struct FunctionCode {
  std::string name;  ///< Demangled.
  std::span<const std::uint8_t> code;
};
/// All that have `part` in their name.
[[nodiscard]] std::vector<FunctionCode> functions_named(std::string_view part);
/// The first instruction of a function that `inspect` objects to, as text; empty where there is none. For
/// code that this CPU cannot run. Counts what it looked at in `instructions`.
[[nodiscard]] std::string inspect_all(const FunctionCode& function, std::size_t& instructions);

/// `function+0x1f (file)` for an address in this process.
[[nodiscard]] std::string symbol_at(std::uint64_t address);
/// The function's name alone, demangled; empty where unknown.
[[nodiscard]] std::string function_at(std::uint64_t address);

/// Why nothing can be traced here (a sanitizer, valgrind), or null.
[[nodiscard]] const char* why_not_traceable();

}  // namespace corliss::test
