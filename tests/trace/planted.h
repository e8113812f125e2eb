#pragma once

#include <cstddef>
#include <cstdint>

/// Leaks that the tracer must find, and code that it must pass.
namespace corliss::test::planted {

void select_by_mask(std::uint8_t secret);
void branch(std::uint8_t secret);
void look_up(std::uint8_t secret);
void store_by_index(std::uint8_t secret);
void jump_table(std::uint8_t secret);
void copy_that_many(std::uint8_t secret);
void libc_copy_that_many(std::uint8_t secret);
void bit_in_memory(std::uint8_t secret);
void table_of_bytes(std::uint8_t secret);
void divide_by(std::uint8_t secret);
void gather(std::uint8_t secret);       ///< Needs AVX2.
void masked_load(std::uint8_t secret);  ///< Needs AVX-512BW and VL.
void undecodable(std::uint8_t secret);  ///< `push es`: no such instruction in 64-bit code.
void crash(std::uint8_t secret);

}  // namespace corliss::test::planted
