#include "crypto/packet_support.h"
#include "crypto/random_source.h"

#include <corliss/crypto/packet_cipher.h>
#include <corliss/crypto/random_pool.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace corliss::crypto {
namespace {

using Draw = std::array<std::uint8_t, 48>;

/// Puts another source behind the pools for one test.
class SourceGuard {
 public:
  explicit SourceGuard(const std::function<void(detail::RandomSource&)>& change) {
    before_ = detail::exchange_random_source({});
    auto next = before_;
    change(next);
    detail::exchange_random_source(next);
  }
  ~SourceGuard() { detail::exchange_random_source(before_); }
  SourceGuard(const SourceGuard&) = delete;
  SourceGuard& operator=(const SourceGuard&) = delete;

 private:
  detail::RandomSource before_{};
};

Draw draw() {
  Draw out;
  if (!system_rng().fill(out)) {
    throw std::runtime_error("no randomness");
  }
  return out;
}

/// What a child made by `make_child` draws first, and what its parent draws next.
std::pair<Draw, Draw> child_and_parent(pid_t (*make_child)()) {
  (void)draw();  // the pool is filled
  int ends[2];
  if (pipe(ends) != 0) {
    throw std::runtime_error("pipe");
  }
  const pid_t child = make_child();
  if (child == 0) {
    const auto own = draw();
    _exit(write(ends[1], own.data(), own.size()) == static_cast<ssize_t>(own.size()) ? 0 : 1);
  }
  Draw from_child{};
  EXPECT_EQ(read(ends[0], from_child.data(), from_child.size()), static_cast<ssize_t>(from_child.size()));
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  return {from_child, draw()};
}

pid_t by_fork() {
  return fork();
}
pid_t by_raw_clone() {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0L));
}

TEST(RandomPool, AForkedChildDoesNotRepeatItsParent) {
  const auto [child, parent] = child_and_parent(by_fork);
  EXPECT_NE(child, parent);
}

TEST(RandomPool, ARawClonedChildDoesNotRepeatItsParent) {
  const auto [child, parent] = child_and_parent(by_raw_clone);
  EXPECT_NE(child, parent);
}

TEST(RandomPool, WithoutTheWipeAChildWouldRepeatItsParent) {
  // Shows that the two tests above can fail: advice that claims to work and does nothing.
  const SourceGuard guard([](auto& source) { source.advise = [](void*, std::size_t, int) { return 0; }; });
  const auto [child, parent] = child_and_parent(by_raw_clone);
  EXPECT_EQ(child, parent);
}

TEST(RandomPool, WhereTheAdviceFailsForkIsStillCovered) {
  const SourceGuard guard([](auto& source) { source.advise = [](void*, std::size_t, int) { return -1; }; });
  const auto [child, parent] = child_and_parent(by_fork);
  EXPECT_NE(child, parent);
}

TEST(RandomPool, BytesAreWipedAsTheyAreTaken) {
  const auto taken = draw();
  const auto page = detail::random_pool_page();
  ASSERT_FALSE(page.empty());
  EXPECT_EQ(std::search(page.begin(), page.end(), taken.begin(), taken.end()), page.end());
  EXPECT_EQ(std::search(page.begin(), page.end(), taken.begin(), taken.begin() + 8), page.end());
}

std::atomic<int> unmapped{0};
std::atomic<int> unmapped_dirty{0};
int looking_unmap(void* page, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(page);
  ++unmapped;
  if (std::any_of(bytes, bytes + size, [](std::uint8_t byte) { return byte != 0; })) {
    ++unmapped_dirty;
  }
  return munmap(page, size);
}

TEST(RandomPool, IsWipedWhenTheThreadEnds) {
  const SourceGuard guard([](auto& source) { source.unmap = looking_unmap; });
  unmapped = 0;
  std::thread([] { (void)draw(); }).join();
  EXPECT_EQ(unmapped, 1);
  EXPECT_EQ(unmapped_dirty, 0);
}

struct DrawsLate {
  Draw* drawn = nullptr;
  ~DrawsLate() {
    if (drawn != nullptr) {
      *drawn = draw();
    }
  }
};

TEST(RandomPool, IsUsableWhileItsThreadEnds) {
  Draw late{};
  std::thread([&] {
    static thread_local DrawsLate first;  // made before the pool, so destroyed after it
    first.drawn = &late;
    (void)draw();
  }).join();
  EXPECT_NE(late, Draw{});
}

TEST(RandomPool, DrawsOneBlockForMany) {
  static std::atomic<int> calls;
  calls = 0;
  const SourceGuard guard([](auto& source) {
    source.generate = [](unsigned char* out, int count) {
      std::fill_n(out, count, static_cast<unsigned char>(++calls));
      return 1;
    };
  });
  Nonce nonce;
  for (std::size_t i = 0; i < detail::random_pool_size / nonce.size(); ++i) {
    ASSERT_TRUE(system_rng().fill(nonce));
    ASSERT_EQ(nonce, (Nonce{1, 1, 1}));
  }
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(system_rng().fill(nonce));
  EXPECT_EQ(nonce, (Nonce{2, 2, 2}));
  Vec large(detail::random_pool_size);
  ASSERT_TRUE(system_rng().fill(large));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(large, Vec(large.size(), 3)) << "straight from the source";
  ASSERT_TRUE(system_rng().fill({}));
}

TEST(RandomPool, AFailingSourceIsAnErrorAndNothingIsSealed) {
  const Vec key(session_key_size, 5);
  const PacketCipher cipher{key_of(key)};
  const LegacyPacketCipher legacy{key_of(key)};
  const Vec plain(50, 1);
  Vec out(200, 0xee);
  const auto untouched = out;
  {
    const SourceGuard guard([](auto& source) {
      source.generate = [](unsigned char* bytes, int count) {
        std::fill_n(bytes, count / 2, 0x77);
        return 0;
      };
    });
    EXPECT_EQ(cipher.seal(plain, out).error(), BaseErrc::random_unavailable);
    EXPECT_EQ(legacy.seal(plain, out).error(), BaseErrc::random_unavailable);
    std::array<SealItem, 3> items{};
    for (auto& item : items) {
      item = {&cipher, plain, {}, Bytes(out).first(sealed_size(plain.size())), Bytes(out), {}};
    }
    seal_batch(items, system_rng());
    for (const auto& item : items) {
      EXPECT_EQ(item.error, BaseErrc::random_unavailable);
      EXPECT_TRUE(item.sealed.empty());
    }
    EXPECT_EQ(out, untouched);
    for (const std::size_t size : {3, 900}) {
      Vec wanted(size, 9);
      EXPECT_EQ(system_rng().fill(wanted).error(), BaseErrc::random_unavailable);
      EXPECT_EQ(wanted, Vec(size));
    }
    const auto page = detail::random_pool_page();
    EXPECT_EQ(std::find(page.begin(), page.end(), 0x77), page.end()) << "no half-filled pool is kept";
  }
  EXPECT_TRUE(cipher.seal(plain, out)) << "usable again once the source is";
}

}  // namespace
}  // namespace corliss::crypto
