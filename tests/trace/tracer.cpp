#include "trace/tracer.h"

#include "trace/decode.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <system_error>

#include <cpuid.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

namespace corliss::test {
namespace {

constexpr std::size_t max_steps = std::size_t{1} << 18;
constexpr greg_t trap_flag = 0x100;
constexpr std::uint8_t int3 = 0xcc;

// What the child leaves to its parent.
struct Record {
  std::size_t count;
  Problem problem;
  std::uint64_t problem_at;
  std::array<Step, max_steps> steps;
};

// Decoded instructions by address. The handler neither allocates nor locks.
class Cache {
 public:
  const Instruction& at(std::uint64_t rip) {
    auto& slot = slots_[(rip * 0x9e3779b97f4a7c15U) >> 48];
    if (slot.rip != rip) {
      // Up to 15 bytes, but not into the next page, which may be absent.
      const auto* code = reinterpret_cast<const std::uint8_t*>(rip);
      slot = decoder_.decode(code, std::min<std::size_t>(15, 4096 - rip % 4096), rip);
      if (slot.problem == Problem::undecodable && rip % 4096 > 4096 - 15) {
        slot = decoder_.decode(code, 15, rip);
      }
    }
    return slot;
  }

 private:
  Decoder decoder_;
  std::array<Instruction, 65536> slots_{};
};

struct Tracer {
  Record* record = nullptr;
  Cache cache;
  bool on = false;
  std::size_t masks_offset = 0;  // of k0 in the XSAVE area; 0 without AVX-512
};
Tracer* tracer = nullptr;

void stop_with(Problem problem, std::uint64_t at) {
  tracer->record->problem = problem;
  tracer->record->problem_at = at;
  _exit(0);
}

Registers read_registers(const ucontext_t& context) {
  const auto& g = context.uc_mcontext.gregs;
  const auto u = [&g](int index) { return static_cast<std::uint64_t>(g[index]); };
  Registers out;
  out.general = {u(REG_RAX), u(REG_RCX), u(REG_RDX), u(REG_RBX), u(REG_RSP), u(REG_RBP),
                 u(REG_RSI), u(REG_RDI), u(REG_R8),  u(REG_R9),  u(REG_R10), u(REG_R11),
                 u(REG_R12), u(REG_R13), u(REG_R14), u(REG_R15)};
  __asm__("mov %%fs:0, %0" : "=r"(out.fs_base));  // the ABI keeps the thread pointer there
  if (tracer->masks_offset != 0) {
    const auto* area = reinterpret_cast<const std::uint8_t*>(context.uc_mcontext.fpregs);
    std::memcpy(out.masks.data(), area + tracer->masks_offset, sizeof out.masks);
  }
  return out;
}

// After each instruction the CPU traps with the address of the next one; an `int3` starts and ends the
// tracing.
void on_trap(int /*signal*/, siginfo_t* /*info*/, void* raw) {
  auto& context = *static_cast<ucontext_t*>(raw);
  auto& flags = context.uc_mcontext.gregs[REG_EFL];
  auto& rip = context.uc_mcontext.gregs[REG_RIP];
  const auto at = static_cast<std::uint64_t>(rip);
  if (!tracer->on) {
    tracer->on = true;
    flags |= trap_flag;
  } else if (*reinterpret_cast<const std::uint8_t*>(at) == int3) {
    tracer->on = false;
    flags &= ~trap_flag;
    rip += 1;
    return;
  }
  const auto& instruction = tracer->cache.at(at);
  if (instruction.problem != Problem::none) {
    stop_with(instruction.problem, at);
  }
  auto& record = *tracer->record;
  if (record.count == max_steps) {
    stop_with(Problem::too_long, at);
  }
  const auto registers = read_registers(context);
  Step& step = record.steps[record.count++];
  step.rip = at;
  for (std::size_t i = 0; i < instruction.count; ++i) {
    step.values[i] = evaluate(instruction.observed[i], registers);
  }
}

void catch_traps() {
  static std::array<std::uint8_t, std::size_t{64} << 10> stack;
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  struct sigaction action {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaltstack(&alternate, nullptr) != 0 || sigaction(SIGTRAP, &action, nullptr) != 0) {
    throw std::system_error(errno, std::system_category(), "sigaction");
  }
}

std::size_t find_masks() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool has = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 16)) != 0;
  return has && __get_cpuid_count(0xd, 5, &a, &b, &c, &d) != 0 ? b : 0;
}

// The first trap comes with the instruction after the first int3, the last with the second int3.
__attribute__((noinline)) void run_traced(Subject& subject) {
  __asm__ volatile("int3" ::: "memory");
  subject.run();
  __asm__ volatile("int3" ::: "memory");
}

[[noreturn]] void child(const MakeSubject& make, std::size_t i) {
  try {
    const auto subject = make(i);
    subject->prepare();
    catch_traps();
    run_traced(*subject);
    if (!subject->as_expected()) {
      tracer->record->problem = Problem::unexpected;
    }
  } catch (...) {
    tracer->record->problem = Problem::crashed;
  }
  _exit(0);
}

}  // namespace

std::vector<Trace> trace_all(std::size_t count, const MakeSubject& make) {
  if (tracer == nullptr) {
    static const auto owner = std::make_unique<Tracer>();
    tracer = owner.get();
    tracer->masks_offset = find_masks();
  }
  std::vector<Trace> traces(count);
  std::vector<int> statuses(count);
  const std::size_t size = sizeof(Record) * count;
  void* shared =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) {
    throw std::bad_alloc();
  }
  const std::span records(static_cast<Record*>(shared), count);
  for (std::size_t i = 0; i < count; ++i) {
    tracer->record = &records[i];
    const pid_t pid = fork();
    if (pid == 0) {
      child(make, i);
    }
    if (pid < 0 || waitpid(pid, &statuses[i], 0) != pid) {
      throw std::system_error(errno, std::system_category(), "fork");
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Record& record = records[i];
    auto& trace = traces[i];
    trace.steps.assign(record.steps.begin(),
                       record.steps.begin() + static_cast<std::ptrdiff_t>(record.count));
    trace.problem = record.problem;
    trace.problem_at = record.problem_at;
    if (!WIFEXITED(statuses[i])) {
      trace.problem = Problem::crashed;
      trace.problem_at = trace.steps.empty() ? 0 : trace.steps.back().rip;
    }
  }
  munmap(shared, size);
  return traces;
}

const char* why_not_traceable() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "the code of a sanitizer build is not the code that ships, and its checks look at addresses";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
  return "the code of a sanitizer build is not the code that ships, and its checks look at addresses";
#endif
#endif
#ifdef RUNNING_ON_VALGRIND
  if (RUNNING_ON_VALGRIND != 0) {
    return "valgrind has no trap flag";
  }
#endif
  return nullptr;
}

}  // namespace corliss::test
