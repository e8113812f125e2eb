#include "bench/content_data.h"
#include "support/test_support.h"

#include <corliss/content/decode_pool.h>

#include <atomic>
#include <map>
#include <thread>

namespace corliss::content {
namespace {

using bench::ByteVector;
using Job = DecodePool::Job;
using OnError = DecodePool::OnError;

/// Joins in its destructor, also where a test ends early.
class Threads {
 public:
  template <class Run>
  void add(Run run) {
    threads_.emplace_back(std::move(run));
  }
  ~Threads() {
    for (auto& thread : threads_) {
      thread.join();
    }
  }

 private:
  std::vector<std::thread> threads_;
};

struct Work {
  std::vector<ByteVector> plain;
  std::vector<Job> jobs;

  explicit Work(std::size_t count, std::size_t size = 3000) {
    for (std::size_t i = 0; i < count; ++i) {
      plain.push_back(bench::game_bytes(size + i, i));
      const auto kind = static_cast<ChunkContainer>(i % 3);
      Job job;
      job.tag = i;
      job.body = bench::seal_body(bench::depot_key(), bench::pack(kind, plain.back()));
      job.spec = ChunkSpec(bench::describe_chunk(plain.back(), job.body.size()));
      jobs.push_back(std::move(job));
    }
  }
  void break_job(std::size_t index) { jobs[index].body[20] ^= 1; }
};

TEST(DecodePool, ManyThreadsGiveEveryChunkOnce) {
  Work work(60);
  DecodePool pool(bench::depot_key(), {.max_bytes = 40'000});
  Threads threads;
  for (int i = 0; i < 3; ++i) {
    threads.add([&pool] { pool.run(); });
  }
  threads.add([&] {
    for (const auto& job : work.jobs) {
      EXPECT_TRUE(pool.submit(job));
    }
    pool.close();
  });
  std::map<std::uint64_t, ByteVector> results;
  while (auto decoded = pool.next()) {
    const auto plain = decoded->plain();
    ASSERT_TRUE(plain) << plain.error().message();
    EXPECT_TRUE(results.emplace(decoded->tag(), ByteVector(plain->begin(), plain->end())).second);
  }
  ASSERT_EQ(results.size(), work.plain.size());
  for (std::size_t i = 0; i < work.plain.size(); ++i) {
    EXPECT_EQ(results[i], work.plain[i]);
  }
  EXPECT_FALSE(pool.next());
  EXPECT_EQ(pool.submit(work.jobs[0]).error(), Errc::pool_closed);
}

TEST(DecodePool, OneThreadCanDoItAll) {
  Work work(10);
  DecodePool pool(bench::depot_key(), {.max_bytes = 20'000});
  std::size_t next_job = 0;
  std::size_t done = 0;
  while (done < work.jobs.size()) {
    while (next_job < work.jobs.size() && pool.try_submit(work.jobs[next_job]).value()) {
      ++next_job;
    }
    ASSERT_TRUE(pool.run_one());
    const auto decoded = pool.try_next();
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->tag(), done);  // one worker keeps the order
    EXPECT_TRUE(decoded->plain());
    ++done;
  }
  EXPECT_FALSE(pool.run_one());
  EXPECT_FALSE(pool.try_next());
}

TEST(DecodePool, MemoryIsBounded) {
  Work work(3, 1000);
  const std::size_t need = work.jobs[0].body.size() + work.jobs[0].spec.size;
  DecodePool pool(bench::depot_key(), {.max_bytes = need});
  Job job = work.jobs[0];
  ASSERT_TRUE(pool.try_submit(job).value());
  Job second = work.jobs[0];
  EXPECT_FALSE(pool.try_submit(second).value());
  EXPECT_FALSE(second.body.empty());  // it is as it was
  EXPECT_TRUE(pool.run_one());
  {
    const auto decoded = pool.try_next();
    ASSERT_TRUE(decoded);
    EXPECT_FALSE(pool.try_submit(second).value());  // its bytes still count
  }
  EXPECT_TRUE(pool.try_submit(second).value());
  Job large = work.jobs[0];
  large.body.resize(need + 1);
  EXPECT_EQ(pool.try_submit(large).error(), Errc::too_large);
  EXPECT_EQ(pool.submit(large).error(), Errc::too_large);
  large.body.clear();
  large.spec.size = 0xffffffff;
  EXPECT_EQ(pool.submit(large).error(), Errc::too_large);
}

TEST(DecodePool, TheFirstFailureIsTheLastResult) {
  Work work(6);
  work.break_job(2);
  DecodePool pool(bench::depot_key(), {});
  for (auto& job : work.jobs) {
    ASSERT_TRUE(pool.submit(std::move(job)));
  }
  while (pool.run_one()) {
  }
  std::vector<std::error_code> results;
  while (auto decoded = pool.next()) {
    results.push_back(decoded->error());
  }
  ASSERT_EQ(results.size(), 3u);
  EXPECT_FALSE(results[0]);
  EXPECT_TRUE(results[2]);
  EXPECT_EQ(pool.submit(Job()).error(), Errc::pool_closed);
  pool.run();  // returns at once
}

TEST(DecodePool, AllFailuresCanBeCollected) {
  Work work(9);
  for (const std::size_t broken : {0U, 4U, 8U}) {
    work.break_job(broken);
  }
  DecodePool pool(bench::depot_key(), {.on_error = OnError::collect});
  for (auto& job : work.jobs) {
    ASSERT_TRUE(pool.submit(std::move(job)));
  }
  Job impossible;
  impossible.spec.size = max_chunk_size + 1;
  impossible.tag = 9;
  ASSERT_TRUE(pool.submit(std::move(impossible)));
  pool.close();
  pool.run();
  std::map<std::uint64_t, bool> failed;
  while (auto decoded = pool.next()) {
    failed[decoded->tag()] = !decoded->plain();
    if (decoded->tag() == 9) {
      EXPECT_EQ(decoded->error(), Errc::too_large);
    }
  }
  ASSERT_EQ(failed.size(), 10u);
  for (const auto& [tag, bad] : failed) {
    EXPECT_EQ(bad, tag == 0 || tag == 4 || tag == 8 || tag == 9) << tag;
  }
}

TEST(DecodePool, CancelEndsEverybody) {
  Work work(30);
  DecodePool pool(bench::depot_key(), {.max_bytes = 30'000});
  std::atomic<int> ended = 0;
  std::size_t taken = 0;
  {
    Threads threads;
    for (int i = 0; i < 2; ++i) {
      threads.add([&] {
        pool.run();
        ++ended;
      });
    }
    threads.add([&] {
      for (const auto& job : work.jobs) {
        if (!pool.submit(job)) {
          break;
        }
      }
      ++ended;
    });
    while (auto decoded = pool.next()) {
      if (++taken == 5) {
        pool.cancel();
      }
    }
  }
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(taken, 5u);
  EXPECT_FALSE(pool.try_next());
}

TEST(DecodePool, CancelWakesWhoWaits) {
  DecodePool pool(bench::depot_key(), {});
  Threads threads;
  threads.add([&] { pool.run(); });
  threads.add([&] { EXPECT_FALSE(pool.next()); });
  pool.cancel();
}

TEST(DecodePool, ResultsNotTakenAreDroppedWithThePool) {
  Work work(2);
  DecodePool pool(bench::depot_key(), {});
  ASSERT_TRUE(pool.submit(std::move(work.jobs[0])));
  ASSERT_TRUE(pool.submit(std::move(work.jobs[1])));
  EXPECT_TRUE(pool.run_one());
}

}  // namespace
}  // namespace corliss::content
