#include "trace/decode.h"

#include <cstring>
#include <stdexcept>

namespace corliss::test {
namespace {

// The 64-bit register that `reg` is part of; `no_register` for what is not a general register.
std::uint8_t general_index(ZydisRegister reg) {
  const auto wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (wide < ZYDIS_REGISTER_RAX || wide > ZYDIS_REGISTER_R15) {
    return no_register;
  }
  return static_cast<std::uint8_t>(wide - ZYDIS_REGISTER_RAX);
}

bool is_bit_test(ZydisMnemonic mnemonic) {
  return mnemonic == ZYDIS_MNEMONIC_BT || mnemonic == ZYDIS_MNEMONIC_BTS || mnemonic == ZYDIS_MNEMONIC_BTR ||
         mnemonic == ZYDIS_MNEMONIC_BTC;
}

bool takes_data_dependent_time(ZydisMnemonic mnemonic) {
  return mnemonic == ZYDIS_MNEMONIC_DIV || mnemonic == ZYDIS_MNEMONIC_IDIV ||
         mnemonic == ZYDIS_MNEMONIC_PDEP || mnemonic == ZYDIS_MNEMONIC_PEXT;
}

// Masked by the sign bits of a vector register, which we do not read.
bool is_vector_masked(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_MASKMOVQ:
      return true;
    default:
      return false;
  }
}

// Fills `out` from a memory operand; false for registers that we do not follow.
bool follow(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand& operand, std::uint64_t rip,
            Observed& out) {
  const auto& mem = operand.mem;
  out.narrow = instruction.address_width == 32;
  out.displacement = mem.disp.has_displacement ? mem.disp.value : 0;
  out.size = static_cast<std::uint8_t>(operand.size / 8);
  if (mem.base == ZYDIS_REGISTER_RIP || mem.base == ZYDIS_REGISTER_EIP) {
    out.displacement += static_cast<std::int64_t>(rip + instruction.length);
  } else if (mem.base != ZYDIS_REGISTER_NONE) {
    out.base = general_index(mem.base);
    if (out.base == no_register) {
      return false;
    }
  }
  if (instruction.mnemonic == ZYDIS_MNEMONIC_XLAT) {  // rbx + al, of which Zydis names rbx alone
    out.index = general_index(ZYDIS_REGISTER_AL);
    out.scale = 1;
    out.byte_index = true;
  } else if (mem.index != ZYDIS_REGISTER_NONE) {
    out.index = general_index(mem.index);
    out.scale = mem.scale;
    if (out.index == no_register || ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, mem.index) < 32) {
      return false;
    }
  }
  out.from_fs = mem.segment == ZYDIS_REGISTER_FS;
  return mem.segment != ZYDIS_REGISTER_GS;
}

}  // namespace

Decoder::Decoder() {
  if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64))) {
    throw std::runtime_error("ZydisDecoderInit failed");
  }
}

Instruction Decoder::decode(const std::uint8_t* code, std::size_t size, std::uint64_t rip) const {
  Instruction result;
  result.rip = rip;
  ZydisDecodedInstruction instruction;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code, size, &instruction, operands.data()))) {
    result.problem = Problem::undecodable;
    return result;
  }
  result.length = instruction.length;
  const auto fail = [&result](Problem problem) {
    result.problem = problem;
    return result;
  };
  const auto add = [&result](const Observed& what) {
    if (result.count == result.observed.size()) {
      return false;
    }
    result.observed[result.count++] = what;
    return true;
  };
  if (instruction.mnemonic == ZYDIS_MNEMONIC_NOP) {  // its operand is not accessed
    return result;
  }

  const bool counted = takes_data_dependent_time(instruction.mnemonic);
  bool touches_memory = false;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    const auto& operand = operands[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
        continue;
      }
      if (operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
        return fail(Problem::gather);
      }
      Observed what;
      if (operand.mem.type != ZYDIS_MEMOP_TYPE_MEM || !follow(instruction, operand, rip, what) ||
          !add(what)) {
        return fail(Problem::unfollowed);
      }
      touches_memory = true;
      if (counted) {
        what.kind = Observed::Kind::loaded;
        if (!add(what)) {
          return fail(Problem::unfollowed);
        }
      }
    } else if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && counted &&
               (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) {
      Observed what;
      what.base = general_index(operand.reg.value);
      if (what.base == no_register) {  // flags
        continue;
      }
      const bool whole = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value) == 64;
      what.kind = whole ? Observed::Kind::value : Observed::Kind::low_value;
      if (!add(what)) {
        return fail(Problem::unfollowed);
      }
    }
  }
  if (!touches_memory) {
    return result;
  }
  if (is_vector_masked(instruction.mnemonic)) {
    return fail(Problem::unfollowed);
  }
  if (is_bit_test(instruction.mnemonic) && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
    Observed what;
    what.kind = Observed::Kind::value;
    what.base = general_index(operands[1].reg.value);
    if (!add(what)) {
      return fail(Problem::unfollowed);
    }
  }
  const auto mask = instruction.avx.mask.reg;
  if (mask > ZYDIS_REGISTER_K0 && mask <= ZYDIS_REGISTER_K7) {
    Observed what;
    what.kind = Observed::Kind::mask;
    what.base = static_cast<std::uint8_t>(mask - ZYDIS_REGISTER_K0);
    if (!add(what)) {
      return fail(Problem::unfollowed);
    }
  }
  return result;
}

std::uint64_t evaluate(const Observed& what, const Registers& registers) {
  using Kind = Observed::Kind;
  if (what.kind == Kind::mask) {
    return registers.masks[what.base];
  }
  std::uint64_t sum = what.base == no_register ? 0 : registers.general[what.base];
  if (what.kind == Kind::value) {
    return sum;
  }
  if (what.kind == Kind::low_value) {
    return sum & 0xffffffffU;
  }
  if (what.index != no_register) {
    const auto index = registers.general[what.index];
    sum += (what.byte_index ? index & 0xffU : index) * what.scale;
  }
  sum += static_cast<std::uint64_t>(what.displacement);
  if (what.narrow) {
    sum &= 0xffffffffU;
  }
  if (what.from_fs) {
    sum += registers.fs_base;
  }
  if (what.kind == Kind::loaded) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(sum),
                what.size <= sizeof value ? what.size : sizeof value);
    return value;
  }
  return sum;
}

Problem inspect(std::span<const std::uint8_t> code) {
  return Decoder().decode(code.data(), code.size(), 0x1000).problem;
}

}  // namespace corliss::test
