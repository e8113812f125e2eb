#include "crypto/allocation_count.h"
#include "crypto/kernels.h"
#include "crypto/packet_support.h"

#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/random_pool.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <sys/mman.h>

namespace corliss::crypto {
namespace {

using test::allocated_bytes;
using test::allocations;

class PacketSecrets : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, PacketSecrets, testing::ValuesIn(supported_kernels()), name_of_kernel);

// ---- A planted key

/// The forms in which a key shows: itself, and the blocks that key HMAC. Kept inverted, so that the places to
/// search hold no copy of our making.
struct Pattern {
  std::array<std::uint8_t, 16> inverted;
};
std::array<Pattern, 4> patterns;
std::atomic<int> found{0};
/// The key itself; neither on a stack nor on the heap.
std::array<std::uint8_t, session_key_size> planted;

void plant(const Vec& key) {
  std::copy(key.begin(), key.end(), planted.begin());
  for (std::size_t i = 0; i < 16; ++i) {
    patterns[0].inverted[i] = static_cast<std::uint8_t>(~planted[i]);
    patterns[1].inverted[i] = static_cast<std::uint8_t>(~planted[16 + i]);
    patterns[2].inverted[i] = static_cast<std::uint8_t>(~(planted[i] ^ 0x36));
    patterns[3].inverted[i] = static_cast<std::uint8_t>(~(planted[i] ^ 0x5c));
  }
}

/// Counts places where eight bytes in a row are of a pattern, either half.
void look(ConstBytes place) {
  for (std::size_t at = 0; at + 8 <= place.size(); ++at) {
    for (const auto& pattern : patterns) {
      for (const std::size_t half : {0, 8}) {
        std::size_t same = 0;
        while (same < 8 && place[at + same] == static_cast<std::uint8_t>(~pattern.inverted[half + same])) {
          ++same;
        }
        found += same == 8 ? 1 : 0;
      }
    }
  }
}

/// Looks through the vector registers: a signal, a switch of threads or lazy binding writes them to memory.
__attribute__((noinline)) void look_at_registers() {
#if defined(__x86_64__)
  alignas(64) static std::array<std::uint8_t, 16384> area;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  if ((ecx & bit_OSXSAVE) != 0) {
    __asm__ volatile("xsave64 (%0)" : : "r"(area.data()), "a"(-1), "d"(-1) : "memory");
  } else {
    __asm__ volatile("fxsave64 (%0)" : : "r"(area.data()) : "memory");
  }
  look(area);
#endif
}

/// Runs `work` to its end on a stack of our own, and looks through that afterwards.
void on_watched_stack(void (*work)(const char*), const char* argument) {
  constexpr std::size_t size = std::size_t{1} << 20;
  void* stack = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct Task {
    void (*work)(const char*);
    const char* argument;
  } task{work, argument};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* pointer) -> void* {
                  const auto* own = static_cast<Task*>(pointer);
                  own->work(own->argument);
                  return nullptr;
                },
                &task),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  look({static_cast<std::uint8_t*>(stack), size});
  munmap(stack, size);
}

void use_the_key(const char* kernel) {
  static std::array<std::uint8_t, 8192> buffer;
  const Bytes all(buffer);
  {
    const PacketCipher cipher(planted, kernel);
    look_at_registers();
    const LegacyPacketCipher legacy(planted, kernel);
    const auto round = [&](const auto& of, std::size_t size) {
      const auto sealed = of.seal(all.subspan(packet_iv_size, size), all);
      look_at_registers();
      (void)of.open(*sealed);
      look_at_registers();
      (void)of.open(all.first(sealed_size(size)));  // refused, with a MAC
      look_at_registers();
    };
    for (const std::size_t size : {0, 5, 64, 670, 3000}) {
      round(cipher, size);
      round(legacy, size);
    }
    for (const std::size_t count : {2, 5, 9, 20}) {
      std::array<SealItem, 20> seal{};
      std::array<OpenItem, 20> open{};
      for (std::size_t i = 0; i < count; ++i) {
        const auto part = all.subspan(i * 400, 400);
        seal[i] = {&cipher, part.subspan(packet_iv_size, 18 * i), {}, part, {}, {}};
      }
      seal_batch(std::span(seal).first(count), system_rng());
      look_at_registers();
      for (std::size_t i = 0; i < count; ++i) {
        open[i] = {&cipher, seal[i].sealed, {}, {}};
      }
      open_batch(std::span(open).first(count));
      look_at_registers();
    }
  }
  test::for_each_watched_block(look);
}

TEST_P(PacketSecrets, NoCopyOfAKeyOutlivesItsObject) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer's own calls put registers on the stack";
#endif
  test::TestRng rng;
  plant(rng.bytes(session_key_size));
  const std::string kernel = GetParam();
  found = 0;
  test::watch_frees(look);
  on_watched_stack(use_the_key, kernel.c_str());
  test::watch_frees(nullptr);
  EXPECT_EQ(found, 0);
}

void leave_the_key(const char*) {
  std::array<std::array<std::uint8_t, session_key_size>, 64> local;  // the thread's end writes over some
  local.fill(planted);
  auto* heap = new std::array<std::uint8_t, session_key_size>(planted);
  __asm__ volatile("" : : "r"(&local), "r"(heap) : "memory");
  delete heap;
}

TEST(PacketSecretsSearch, FindsWhatIsLeft) {
  test::TestRng rng;
  plant(rng.bytes(session_key_size));
  found = 0;
  test::watch_frees(look);
  on_watched_stack(leave_the_key, nullptr);
  test::watch_frees(nullptr);
  EXPECT_GE(found, 8) << "two halves of two patterns, on stack and heap";
}

/// A thread that meets another in one session keys a context of its own: that must not keep the key.
void use_the_key_of_a_busy_session(const char*) {
  static std::array<std::uint8_t, 1024> buffer;
  const auto* kernel = &detail::portable_kernel;
  const auto* session = kernel->make(planted);
  detail::occupy_portable(*session, true);
  const std::array<std::uint8_t, 3> nonce{1, 2, 3};
  (void)kernel->seal(*session, buffer.data() + 16, 670, nonce.data(), buffer.data());
  (void)kernel->open(*session, buffer.data(), sealed_size(670), buffer.data() + 16);
  detail::occupy_portable(*session, false);
  kernel->destroy(session);
  test::for_each_watched_block(look);  // the thread's own contexts are alive here
}

TEST(PacketSecretsSearch, AThreadsOwnContextForgetsTheKey) {
  test::TestRng rng;
  plant(rng.bytes(session_key_size));
  found = 0;
  test::watch_frees(look);
  on_watched_stack(use_the_key_of_a_busy_session, nullptr);
  test::watch_frees(nullptr);
  EXPECT_EQ(found, 0);
}

// ---- Allocations

TEST_P(PacketSecrets, NothingIsAllocatedPerPacket) {
  test::TestRng rng;
  const auto key = rng.bytes(session_key_size);
  const PacketCipher cipher(key_of(key), GetParam());
  const LegacyPacketCipher legacy(key_of(key), GetParam());
  Vec buffer(70000);
  const Bytes all(buffer);
  const auto round = [&](std::size_t size) {
    const auto plain = all.subspan(packet_iv_size, size);
    if (!cipher.open(*cipher.seal(plain, all)) || !legacy.open(*legacy.seal(plain, all)) ||
        cipher.open(all.first(sealed_size(size)))) {
      throw std::logic_error("round");
    }
  };
  const auto batch = [&] {
    std::array<SealItem, 40> seal{};
    std::array<OpenItem, 40> open{};
    for (std::size_t i = 0; i < seal.size(); ++i) {
      const auto part = all.subspan(i * 1700, 1700);
      seal[i] = {&cipher, part.subspan(packet_iv_size, 40 * i), {}, part, {}, {}};
    }
    seal_batch(seal, system_rng());
    for (std::size_t i = 0; i < seal.size(); ++i) {
      open[i] = {&cipher, seal[i].sealed, {}, {}};
    }
    open_batch(open);
    if (std::any_of(open.begin(), open.end(), [](const auto& item) { return bool(item.error); })) {
      throw std::logic_error("batch");
    }
  };
  round(1);
  batch();
  const auto before = allocations();
  for (const std::size_t size : {0, 1, 15, 16, 63, 64, 65, 670, 4096, 65536}) {
    round(size);
  }
  batch();
  EXPECT_EQ(allocations() - before, 0U);
}

TEST(PacketSecretsSearch, NothingIsAllocatedPerPacketInABusySession) {
  const Vec key(session_key_size, 1);
  const auto* kernel = &detail::portable_kernel;
  const auto* session = kernel->make(key_of(key));
  detail::occupy_portable(*session, true);
  Vec buffer(1024);
  const std::array<std::uint8_t, 3> nonce{};
  const auto round = [&] {
    return kernel->seal(*session, buffer.data() + 16, 670, nonce.data(), buffer.data()) &&
           kernel->open(*session, buffer.data(), sealed_size(670), buffer.data() + 16) == 670;
  };
  EXPECT_TRUE(round());
  const auto before = allocations();
  EXPECT_TRUE(round() && round() && round());
  EXPECT_EQ(allocations() - before, 0U);
  detail::occupy_portable(*session, false);
  kernel->destroy(session);
}

TEST_P(PacketSecrets, AnObjectIsSmall) {
  const Vec key(session_key_size, 3);
  { const PacketCipher warm(key_of(key), GetParam()); }
  const auto before = allocated_bytes();
  const PacketCipher cipher(key_of(key), GetParam());
  const auto size = allocated_bytes() - before + sizeof cipher;
  EXPECT_GT(size, 200U) << "counted at all?";
  EXPECT_LE(size, GetParam() == "portable" ? 4096U : 1024U);
}

}  // namespace
}  // namespace corliss::crypto
