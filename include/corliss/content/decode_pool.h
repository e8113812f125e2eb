#pragma once

#include <corliss/base/result.h>
#include <corliss/base/secret.h>
#include <corliss/content/chunk.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace corliss::content {

/// Decodes many chunks of one depot on as many threads as the caller lends it. The library starts none:
/// whoever owns the threads lets each call `run`. Memory is bounded, results come in the order of their
/// completion.
///
///     DecodePool pool(depot_key, {.max_bytes = 64 << 20});
///     std::vector<std::jthread> threads;                       // the workers
///     for (int i = 0; i < n; ++i) threads.emplace_back([&] { pool.run(); });
///     std::jthread feeder([&] { for (auto& job : jobs) if (!pool.submit(std::move(job))) break;
///     pool.close(); }); while (auto decoded = pool.next()) { … }                 // nothing: all done, or
///     cancelled
///
/// Any thread may call any member. A thread that both submits and takes must use `try_submit` and `next` in
/// turn, since `submit` waits for room that only taken results make. Join all threads before the pool ends.
class DecodePool {
 public:
  enum class OnError : std::uint8_t {
    stop,     ///< The first failure is the last result; what waits is dropped.
    collect,  ///< Failures come among the results; every job gets one.
  };
  struct Options {
    /// Bound of bodies, plain bytes and results not yet given back, together. At least one job must fit.
    std::size_t max_bytes = std::size_t{64} << 20;
    OnError on_error = OnError::stop;
  };
  struct Job {
    std::uint64_t tag = 0;  ///< The caller's, given back with the result.
    ChunkSpec spec;
    std::vector<std::uint8_t> body;  ///< As the server sent it.
  };

  /// A result. Its bytes count against the pool's memory until it is destroyed, which must be before the pool
  /// is.
  class Decoded {
   public:
    Decoded(Decoded&& other) noexcept;
    Decoded& operator=(Decoded&&) = delete;
    ~Decoded();

    [[nodiscard]] std::uint64_t tag() const noexcept { return tag_; }
    /// The plain bytes; they live as long as this. Errors: those of ChunkDecoder::decode;
    /// std::errc::not_enough_memory.
    [[nodiscard]] Result<ConstBytes> plain() const noexcept;
    [[nodiscard]] std::error_code error() const noexcept { return error_; }

   private:
    friend class DecodePool;
    explicit Decoded(DecodePool& pool) noexcept : pool_(&pool) {}

    DecodePool* pool_;
    std::uint64_t tag_ = 0;
    std::error_code error_;
    std::vector<std::uint8_t> plain_;
    std::size_t reserved_ = 0;
  };

  DecodePool(std::span<const std::uint8_t, crypto::depot_key_size> key, const Options& options);
  DecodePool(const DecodePool&) = delete;
  DecodePool& operator=(const DecodePool&) = delete;
  ~DecodePool();

  /// Hands in a job; waits while the pool is full. Errors: Errc::too_large where the job alone exceeds
  /// max_bytes; Errc::pool_closed after `close`, `cancel` or a failure that stops the pool.
  [[nodiscard]] Result<void> submit(Job job);
  /// The same without waiting: false where the pool is full, and `job` is as it was. Errors: as for `submit`.
  [[nodiscard]] Result<bool> try_submit(Job& job);
  /// No more jobs will come. Workers leave when all are done.
  void close();
  /// Drops what waits and what is finished but not taken; chunks in work are finished and dropped. Workers
  /// leave, `submit` fails, `next` gives nothing.
  void cancel();

  /// Works until the pool is closed and empty, or cancelled, or stopped by a failure.
  void run();
  /// Decodes one job that waits. False where none does.
  bool run_one();

  /// The next result; waits for one. Nothing: there will be no more.
  [[nodiscard]] std::optional<Decoded> next();
  /// The next result, if one is ready.
  [[nodiscard]] std::optional<Decoded> try_next();

 private:
  [[nodiscard]] static std::size_t need_of(const Job& job) noexcept;
  [[nodiscard]] bool is_over() const noexcept;
  void work(std::unique_lock<std::mutex>& lock, ChunkDecoder& decoder);
  [[nodiscard]] std::unique_ptr<ChunkDecoder> take_decoder();
  void give_back(std::vector<std::uint8_t> buffer, std::size_t reserved) noexcept;
  [[nodiscard]] std::vector<std::uint8_t> take_buffer(std::size_t size);
  std::optional<Decoded> take_front();

  const Secret<crypto::depot_key_size> key_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable room_;      // for submit
  std::condition_variable work_;      // for run
  std::condition_variable finished_;  // for next
  std::deque<Job> waiting_;
  std::deque<Decoded> done_;
  std::vector<std::unique_ptr<ChunkDecoder>> decoders_;  // idle
  std::vector<std::vector<std::uint8_t>> buffers_;       // idle
  std::size_t used_ = 0;                                 // bytes of jobs and results
  std::size_t running_ = 0;
  bool closed_ = false;
  bool stopped_ = false;  // by a failure
  bool cancelled_ = false;
};

}  // namespace corliss::content
