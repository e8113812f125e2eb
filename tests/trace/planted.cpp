#include "trace/planted.h"

#include <array>
#include <cstring>

#include <immintrin.h>

// In assembly where a compiler might otherwise find a harmless way.
namespace corliss::test::planted {
namespace {

alignas(64) std::array<std::uint8_t, 4096> table{};
volatile std::uint8_t sink;

}  // namespace

void select_by_mask(std::uint8_t secret) {
  std::uint32_t mask = secret;
  __asm__("neg %0; sbb %0, %0" : "+r"(mask)::"cc");
  sink = static_cast<std::uint8_t>((mask & 17U) | (~mask & 42U));
}

void branch(std::uint8_t secret) {
  __asm__ volatile("test $1, %0; jz 1f; nop; 1:" ::"r"(secret) : "cc");
}

void look_up(std::uint8_t secret) {
  __asm__ volatile("movzbl (%0, %1), %%eax" ::"r"(table.data()), "r"(std::size_t{secret}) : "eax", "memory");
}

void store_by_index(std::uint8_t secret) {
  __asm__ volatile("movb $1, (%0, %1, 2)" ::"r"(table.data()), "r"(std::size_t{secret}) : "memory");
}

void jump_table(std::uint8_t secret) {
  __asm__ volatile(
      "lea 1f(%%rip), %%rax; add %0, %%rax; jmp *%%rax; 1: nop; nop; nop; nop" ::"r"(std::size_t{secret} & 3U)
      : "rax", "cc");
}

void copy_that_many(std::uint8_t secret) {
  const std::uint8_t* from = table.data();
  std::uint8_t* to = table.data() + 2048;
  std::size_t count = secret;
  __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count)::"memory");
}

void libc_copy_that_many(std::uint8_t secret) {
  volatile std::size_t count = std::size_t{secret} * 4;
  std::memcpy(table.data() + 2048, table.data(), count);
}

void bit_in_memory(std::uint8_t secret) {
  __asm__ volatile("bt %1, (%0)" ::"r"(table.data()), "r"(std::size_t{secret} * 8) : "cc", "memory");
}

void table_of_bytes(std::uint8_t secret) {
  std::uint64_t al = secret;
  __asm__ volatile("xlatb" : "+a"(al) : "b"(table.data()) : "memory");
}

void divide_by(std::uint8_t secret) {
  std::uint32_t low = 1000;
  std::uint32_t high = 0;
  __asm__ volatile("divl %2" : "+a"(low), "+d"(high) : "r"(std::uint32_t{secret} + 1) : "cc");
}

__attribute__((target("avx2"))) void gather(std::uint8_t secret) {
  const __m256i index = _mm256_set1_epi32(secret);
  const __m256i got = _mm256_i32gather_epi32(reinterpret_cast<const int*>(table.data()), index, 4);
  sink = static_cast<std::uint8_t>(_mm256_extract_epi8(got, 0));
}

__attribute__((target("avx512bw,avx512vl"))) void masked_load(std::uint8_t secret) {
  const __m128i got = _mm_maskz_loadu_epi8(static_cast<__mmask16>(secret), table.data());
  sink = static_cast<std::uint8_t>(_mm_extract_epi8(got, 0));
}

void undecodable(std::uint8_t /*secret*/) {
  __asm__ volatile(".byte 0x06");
}

void crash(std::uint8_t /*secret*/) {
  __asm__ volatile("ud2");
}

}  // namespace corliss::test::planted
