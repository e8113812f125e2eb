#pragma once

#include "trace/tracer.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <Zydis/Zydis.h>

/// What one instruction does to memory, in a form that a signal handler can evaluate without allocation.
namespace corliss::test {

/// No index into Registers::general.
inline constexpr std::uint8_t no_register = 0xff;

struct Observed {
  enum class Kind : std::uint8_t {
    address,    // base + index * scale + displacement + segment
    value,      // base, as a number
    low_value,  // the same, low 32 bits
    loaded,     // what memory holds at the address
    mask,       // opmask register number `base`
  };
  Kind kind = Kind::address;
  std::uint8_t base = no_register;
  std::uint8_t index = no_register;
  std::uint8_t scale = 0;
  std::uint8_t size = 0;          // of `loaded`, in bytes
  bool byte_index = false;        // xlat: al
  bool narrow = false;            // a 32-bit address
  bool from_fs = false;           // relative to the thread pointer
  std::int64_t displacement = 0;  // rip-relative: absolute
};

struct Instruction {
  std::uint64_t rip = 0;  // 0: an empty slot of the cache
  Problem problem = Problem::none;
  std::uint8_t length = 0;
  std::uint8_t count = 0;
  std::array<Observed, 4> observed{};
};

/// Registers in the order rax rcx rdx rbx rsp rbp rsi rdi r8 … r15, as instructions number them.
struct Registers {
  std::array<std::uint64_t, 16> general{};
  std::array<std::uint64_t, 8> masks{};
  std::uint64_t fs_base = 0;
};

class Decoder {
 public:
  Decoder();
  /// Allocates nothing. `code` must hold 15 readable bytes or end where the page ends.
  [[nodiscard]] Instruction decode(const std::uint8_t* code, std::size_t size, std::uint64_t rip) const;

 private:
  ZydisDecoder decoder_{};
};

[[nodiscard]] std::uint64_t evaluate(const Observed& what, const Registers& registers);

}  // namespace corliss::test
