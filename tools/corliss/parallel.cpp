#include "corliss/parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace corliss::tools {

void parallel_for(std::size_t count, unsigned threads, const std::string& label, std::uint64_t total,
                  const std::function<void(std::size_t, std::atomic<std::uint64_t>&)>& work) {
  if (threads == 0) {
    threads = std::max(1U, std::thread::hardware_concurrency());
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> done = 0;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = std::min<std::size_t>(threads, std::max<std::size_t>(count, 1));
  std::exception_ptr failure;

  const auto run = [&] {
    std::exception_ptr own_failure;
    try {
      for (std::size_t index = next++; index < count; index = next++) {
        work(index, done);
      }
    } catch (...) {
      own_failure = std::current_exception();
      next = count;
    }
    const std::lock_guard lock(mutex);
    failure = failure ? failure : own_failure;
    --running;
    ended.notify_all();
  };

  std::vector<std::thread> workers;
  for (std::size_t i = running; i > 0; --i) {
    workers.emplace_back(run);
  }
  {
    Progress progress(label, total);
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      progress.update(done);
    }
  }
  for (auto& worker : workers) {
    worker.join();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace corliss::tools
