// Turns addresses and differences into text.
#include "trace/decode.h"
#include "trace/tracer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include <Zydis/Zydis.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace corliss::test {
namespace {

struct Function {
  std::uint64_t size = 0;
  std::string name;
};

// Functions of this program by address, static ones too: dladdr knows only exported ones.
const std::map<std::uint64_t, Function>& own_functions() {
  static const auto functions = [] {
    std::map<std::uint64_t, Function> out;
    std::ifstream in("/proc/self/exe", std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(in), {}};
    const auto base = [] {
      std::uint64_t bias = 0;
      dl_iterate_phdr(  // the program itself comes first
          [](dl_phdr_info* info, std::size_t, void* to) {
            *static_cast<std::uint64_t*>(to) = info->dlpi_addr;
            return 1;
          },
          &bias);
      return bias;
    }();
    const auto get = [&image]<class T>(std::size_t offset, T& value) {
      if (offset + sizeof(T) > image.size()) {
        return false;
      }
      std::memcpy(&value, image.data() + offset, sizeof(T));
      return true;
    };
    Elf64_Ehdr header;
    if (!get(0, header)) {
      return out;
    }
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      Elf64_Shdr names;
      if (!get(header.e_shoff + i * sizeof section, section) || section.sh_type != SHT_SYMTAB ||
          !get(header.e_shoff + section.sh_link * sizeof names, names)) {
        continue;
      }
      for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        if (get(section.sh_offset + at, symbol) && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
            symbol.st_size != 0) {
          out[base + symbol.st_value] = {symbol.st_size, image.c_str() + names.sh_offset + symbol.st_name};
        }
      }
    }
    return out;
  }();
  return functions;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 ? text.get() : name;
}

struct Place {
  std::string function;
  std::string file;
  std::uint64_t offset = 0;  // from the function, or from the file where no function is known
};

Place place(std::uint64_t address) {
  const auto& functions = own_functions();
  if (auto after = functions.upper_bound(address); after != functions.begin()) {
    const auto& [start, function] = *std::prev(after);
    if (address < start + function.size) {
      return {demangled(function.name.c_str()), "", address - start};
    }
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0) {
    return {"", "?", address};
  }
  const std::string path = info.dli_fname == nullptr ? "?" : info.dli_fname;
  const auto file = path.substr(path.rfind('/') + 1);
  if (info.dli_sname == nullptr) {
    return {"", file, address - reinterpret_cast<std::uint64_t>(info.dli_fbase)};
  }
  return {demangled(info.dli_sname), file, address - reinterpret_cast<std::uint64_t>(info.dli_saddr)};
}

std::string hex_number(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string disassembly(std::uint64_t address) {
  ZydisDisassembledInstruction instruction;
  if (!ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, address,
                                          reinterpret_cast<const void*>(address), 15, &instruction))) {
    return "(undecodable)";
  }
  return instruction.text;
}

std::string at(std::uint64_t address) {
  return "`" + disassembly(address) + "` at " + symbol_at(address);
}

}  // namespace

std::vector<FunctionCode> functions_named(std::string_view part) {
  std::vector<FunctionCode> out;
  for (const auto& [start, function] : own_functions()) {
    auto name = demangled(function.name.c_str());
    if (name.find(part) != std::string::npos) {
      out.push_back({std::move(name), {reinterpret_cast<const std::uint8_t*>(start), function.size}});
    }
  }
  return out;
}

std::string inspect_all(const FunctionCode& function, std::size_t& instructions) {
  const Decoder decoder;
  for (auto rest = function.code; !rest.empty();) {
    const auto address = reinterpret_cast<std::uint64_t>(rest.data());
    const auto found = decoder.decode(rest.data(), rest.size(), address);
    ++instructions;
    if (found.problem != Problem::none) {
      return std::string(to_string(found.problem)) + ": " + at(address);
    }
    rest = rest.subspan(found.length);
  }
  return {};
}

std::string function_at(std::uint64_t address) {
  return place(address).function;
}

std::string symbol_at(std::uint64_t address) {
  const auto where = place(address);
  return where.function + "+" + hex_number(where.offset) +
         (where.file.empty() ? "" : " (" + where.file + ")");
}

const char* to_string(Problem problem) {
  switch (problem) {
    case Problem::none:
      return "none";
    case Problem::undecodable:
      return "an instruction that cannot be decoded";
    case Problem::gather:
      return "a gather or scatter";
    case Problem::unfollowed:
      return "a memory operand that cannot be followed";
    case Problem::too_long:
      return "too many instructions";
    case Problem::crashed:
      return "a crash";
    case Problem::unexpected:
      return "a run that did not do what it was meant to do";
  }
  return "?";
}

std::uint64_t Trace::hash() const {
  std::uint64_t h = 0xcbf29ce484222325U;  // FNV-1a over words, folded
  const auto add = [&h](std::uint64_t word) {
    h = (h ^ word) * 0x100000001b3U;
    h ^= h >> 29;
  };
  for (const auto& step : steps) {
    add(step.rip);
    for (const auto value : step.values) {
      add(value);
    }
  }
  return h;
}

std::string Trace::describe_problem() const {
  if (problem == Problem::none) {
    return {};
  }
  std::string text = to_string(problem);
  return problem_at == 0 ? text : text + ": " + at(problem_at) + ", step " + std::to_string(steps.size());
}

std::optional<Difference> first_difference(const Trace& a, const Trace& b) {
  const auto [x, y] = std::mismatch(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end());
  if (x == a.steps.end() && y == b.steps.end()) {
    return std::nullopt;
  }
  Difference out;
  out.step = static_cast<std::size_t>(x - a.steps.begin());
  const bool both = x != a.steps.end() && y != b.steps.end();
  const std::string number =
      "step " + std::to_string(out.step) + " of " + std::to_string(a.steps.size()) + ": ";
  if (both && x->rip == y->rip) {
    out.rip = x->rip;
    out.text = number + at(out.rip) + " touched";
    for (std::size_t i = 0; i < x->values.size(); ++i) {
      if (x->values[i] != y->values[i]) {
        out.text +=
            " " + hex_number(x->values[i]) + " in one run, " + hex_number(y->values[i]) + " in the other";
        break;
      }
    }
    return out;
  }
  out.is_branch = true;
  out.rip = x == a.steps.begin() ? 0 : std::prev(x)->rip;
  out.text = number + "after " + at(out.rip) + " one run goes to " +
             (x == a.steps.end() ? "its end" : symbol_at(x->rip)) + ", the other to " +
             (y == b.steps.end() ? "its end" : symbol_at(y->rip));
  return out;
}

}  // namespace corliss::test
