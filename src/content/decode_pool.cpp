#include <corliss/content/decode_pool.h>

#include <algorithm>
#include <utility>

namespace corliss::content {
namespace {

constexpr std::size_t max_idle_buffers = 64;

}  // namespace

DecodePool::Decoded::Decoded(Decoded&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      tag_(other.tag_),
      error_(other.error_),
      plain_(std::move(other.plain_)),
      reserved_(other.reserved_) {}

DecodePool::Decoded::~Decoded() {
  if (pool_ != nullptr) {
    const std::lock_guard lock(pool_->mutex_);
    pool_->give_back(std::move(plain_), reserved_);
  }
}

Result<ConstBytes> DecodePool::Decoded::plain() const noexcept {
  if (error_) {
    return tl::unexpected(error_);
  }
  return ConstBytes(plain_);
}

DecodePool::DecodePool(std::span<const std::uint8_t, crypto::depot_key_size> key, const Options& options)
    : key_(key), options_(options) {
  buffers_.reserve(max_idle_buffers);
}

DecodePool::~DecodePool() {
  cancel();
}

std::size_t DecodePool::need_of(const Job& job) noexcept {
  return job.body.size() + job.spec.size;
}

bool DecodePool::is_over() const noexcept {
  return cancelled_ || ((closed_ || stopped_) && waiting_.empty() && running_ == 0 && done_.empty());
}

Result<void> DecodePool::submit(Job job) {
  std::unique_lock lock(mutex_);
  const auto need = need_of(job);
  if (need > options_.max_bytes) {
    return fail(Errc::too_large);
  }
  const auto refuses = [this] { return closed_ || stopped_ || cancelled_; };
  room_.wait(lock, [&] { return refuses() || options_.max_bytes - used_ >= need; });
  if (refuses()) {
    return fail(Errc::pool_closed);
  }
  waiting_.push_back(std::move(job));
  used_ += need;
  work_.notify_one();
  return {};
}

Result<bool> DecodePool::try_submit(Job& job) {
  const std::lock_guard lock(mutex_);
  const auto need = need_of(job);
  if (need > options_.max_bytes) {
    return fail(Errc::too_large);
  }
  if (closed_ || stopped_ || cancelled_) {
    return fail(Errc::pool_closed);
  }
  if (options_.max_bytes - used_ < need) {
    return false;
  }
  waiting_.push_back(std::move(job));
  used_ += need;
  work_.notify_one();
  return true;
}

void DecodePool::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  room_.notify_all();
  work_.notify_all();
  finished_.notify_all();
}

void DecodePool::cancel() {
  std::deque<Job> jobs;
  std::deque<Decoded> results;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    jobs.swap(waiting_);
    results.swap(done_);
    for (const auto& job : jobs) {
      used_ -= need_of(job);
    }
    room_.notify_all();
    work_.notify_all();
    finished_.notify_all();
  }
}

void DecodePool::run() {
  auto decoder = take_decoder();
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return !waiting_.empty() || closed_ || stopped_ || cancelled_; });
    if (waiting_.empty()) {
      break;
    }
    work(lock, *decoder);
  }
  decoders_.push_back(std::move(decoder));
}

bool DecodePool::run_one() {
  auto decoder = take_decoder();
  std::unique_lock lock(mutex_);
  const bool any = !waiting_.empty();
  if (any) {
    work(lock, *decoder);
  }
  decoders_.push_back(std::move(decoder));
  return any;
}

/// Decodes the front of the queue. The lock is held at begin and end, not while decoding.
void DecodePool::work(std::unique_lock<std::mutex>& lock, ChunkDecoder& decoder) {
  Job job = std::move(waiting_.front());
  waiting_.pop_front();
  ++running_;
  Decoded result(*this);
  result.tag_ = job.tag;
  result.reserved_ = job.spec.size;
  const std::size_t body_size = job.body.size();
  try {
    result.plain_ = take_buffer(std::min(job.spec.size, max_chunk_size));
    lock.unlock();
    result.plain_.resize(std::min(job.spec.size, max_chunk_size));
    const auto decoded = decoder.decode(job.body, job.spec, result.plain_);
    result.error_ = decoded ? std::error_code() : decoded.error();
  } catch (const std::bad_alloc&) {
    result.error_ = std::make_error_code(std::errc::not_enough_memory);
  }
  job.body = {};
  if (!lock.owns_lock()) {
    lock.lock();
  }
  --running_;
  used_ -= body_size;
  const bool failed = static_cast<bool>(result.error_);
  if (cancelled_ || stopped_) {
    // The result would take the lock to give its buffer back.
    give_back(std::move(result.plain_), result.reserved_);
    result.pool_ = nullptr;
  } else {
    done_.push_back(std::move(result));
    if (failed && options_.on_error == OnError::stop) {
      stopped_ = true;
      for (const auto& dropped : waiting_) {
        used_ -= need_of(dropped);
      }
      waiting_.clear();
      work_.notify_all();
    }
  }
  room_.notify_all();
  finished_.notify_all();
}

std::optional<DecodePool::Decoded> DecodePool::take_front() {
  if (cancelled_ || done_.empty()) {
    return std::nullopt;
  }
  std::optional<Decoded> result(std::move(done_.front()));
  done_.pop_front();
  if (is_over()) {
    finished_.notify_all();
  }
  return result;
}

std::optional<DecodePool::Decoded> DecodePool::next() {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return !done_.empty() || is_over(); });
  return take_front();
}

std::optional<DecodePool::Decoded> DecodePool::try_next() {
  const std::lock_guard lock(mutex_);
  return take_front();
}

std::unique_ptr<ChunkDecoder> DecodePool::take_decoder() {
  {
    const std::lock_guard lock(mutex_);
    if (!decoders_.empty()) {
      auto decoder = std::move(decoders_.back());
      decoders_.pop_back();
      return decoder;
    }
  }
  return std::make_unique<ChunkDecoder>(key_.reveal());
}

/// An idle buffer with room for `size`, or an empty one. Called with the lock.
std::vector<std::uint8_t> DecodePool::take_buffer(std::size_t size) {
  const auto fits = [size](const auto& buffer) { return buffer.capacity() >= size; };
  const auto found = std::find_if(buffers_.begin(), buffers_.end(), fits);
  if (found == buffers_.end()) {
    return {};
  }
  auto buffer = std::move(*found);
  *found = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

/// Keeps a buffer for the next chunk, as long as idle and used ones together stay within the bound. Called
/// with the lock.
void DecodePool::give_back(std::vector<std::uint8_t> buffer, std::size_t reserved) noexcept {
  used_ -= reserved;
  std::size_t idle = buffer.capacity();
  for (const auto& other : buffers_) {
    idle += other.capacity();
  }
  if (buffer.capacity() != 0 && used_ + idle <= options_.max_bytes && buffers_.size() < buffers_.capacity()) {
    buffers_.push_back(std::move(buffer));
  }
  room_.notify_all();
}

}  // namespace corliss::content
