#include "crypto/random_source.h"

#include <corliss/base/secret.h>
#include <corliss/crypto/random_pool.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include <openssl/rand.h>
#include <pthread.h>
#include <sys/mman.h>

namespace corliss::crypto {
namespace detail {
namespace {

/// Lies in a page of its own. All zero in a child process, and so empty.
struct Pool {
  std::uint32_t filled;    // 0 or 1
  std::uint32_t position;  // bytes before it are taken, and wiped
  std::uint8_t bytes[random_pool_size];
};
constexpr std::size_t page_size = 4096;
static_assert(sizeof(Pool) <= page_size);

RandomSource source{RAND_priv_bytes, madvise, munmap};
constinit thread_local Pool* pool = nullptr;
constinit thread_local bool pool_ended = false;

void end_pool() noexcept {
  if (pool != nullptr) {
    wipe({reinterpret_cast<std::uint8_t*>(pool), sizeof(Pool)});
    source.unmap(pool, page_size);
    pool = nullptr;
  }
}

/// Its destructor runs when the thread ends. Apart from `pool`, so that reading that needs no guard.
struct PoolEnd {
  bool armed = false;
  ~PoolEnd() {
    end_pool();
    pool_ended = true;  // destructors that run later draw from the source itself
  }
};
thread_local PoolEnd pool_end;

void wipe_in_child() noexcept {
  if (pool != nullptr) {
    wipe({reinterpret_cast<std::uint8_t*>(pool), sizeof(Pool)});
  }
}

bool wiped_on_fork(void* page) noexcept {
  if (source.advise(page, page_size, MADV_WIPEONFORK) == 0) {
    return true;
  }
  // Linux before 4.14. The forking thread is the only one in the child, so its pool is the only one that can
  // repeat.
  static const bool registered = pthread_atfork(nullptr, nullptr, wipe_in_child) == 0;
  return registered;
}

Pool* start_pool() noexcept {
  if (pool_ended) {
    return nullptr;
  }
  void* page = mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    return nullptr;
  }
  if (!wiped_on_fork(page)) {
    munmap(page, page_size);
    return nullptr;
  }
  madvise(page, page_size, MADV_DONTDUMP);  // keeps it out of core files; no harm where it fails
  pool_end.armed = true;
  pool = static_cast<Pool*>(page);
  return pool;
}

bool generate(Bytes out) noexcept {
  constexpr std::size_t most = std::size_t{1} << 30;  // the source takes an int
  while (!out.empty()) {
    const auto part = out.first(out.size() < most ? out.size() : most);
    if (source.generate(part.data(), static_cast<int>(part.size())) != 1) {
      return false;
    }
    out = out.subspan(part.size());
  }
  return true;
}

}  // namespace

RandomSource exchange_random_source(RandomSource next) noexcept {
  end_pool();
  const auto before = source;
  source = next;
  return before;
}

ConstBytes random_pool_page() noexcept {
  return pool == nullptr ? ConstBytes{}
                         : ConstBytes(reinterpret_cast<const std::uint8_t*>(pool), sizeof(Pool));
}

Result<void> draw_random(Bytes out) noexcept {
  Pool* own = pool;
  if (own == nullptr) {
    own = start_pool();
  }
  if (own == nullptr || out.size() > random_pool_size / 4) {
    if (!generate(out)) {
      wipe(out);
      return fail(BaseErrc::random_unavailable);
    }
    return {};
  }
  if (own->filled == 0 || random_pool_size - own->position < out.size()) {
    own->filled = 0;
    if (!generate(own->bytes)) {
      wipe(own->bytes);
      wipe(out);
      return fail(BaseErrc::random_unavailable);
    }
    own->position = 0;
    own->filled = 1;
  }
  if (!out.empty()) {
    auto* from = own->bytes + own->position;
    own->position += static_cast<std::uint32_t>(out.size());
    std::memcpy(out.data(), from, out.size());
    std::memset(from, 0, out.size());
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the page outlives us: the store stays
  }
  return {};
}

}  // namespace detail

namespace {
class SystemRng final : public Rng {
 public:
  Result<void> fill(Bytes out) noexcept override { return detail::draw_random(out); }
};
}  // namespace

Rng& system_rng() noexcept {
  static SystemRng rng;
  return rng;
}

}  // namespace corliss::crypto
