#include "io/read_buffers.h"

#include <corliss/base/secret.h>

#include <asio/execution/context.hpp>
#include <asio/query.hpp>

namespace corliss::io {

asio::execution_context::id ReadBuffers::id;

ReadBuffers::ReadBuffers(asio::execution_context& context) : service(context) {
  free_.reserve(most_kept);
}

ReadBuffers& ReadBuffers::of(const asio::any_io_executor& executor) {
  return asio::use_service<ReadBuffers>(asio::query(executor, asio::execution::context));
}

void ReadBuffers::shutdown() {
  for (const auto& memory : free_) {
    wipe({memory.get(), read_buffer_size});
  }
  free_.clear();
}

Bytes ReadBuffers::Loan::take(ReadBuffers& from) {
  if (!memory_) {
    owner_ = &from;
    {
      const std::lock_guard lock(from.mutex_);
      if (!from.free_.empty()) {
        memory_ = std::move(from.free_.back());
        from.free_.pop_back();
      }
    }
    if (!memory_) {
      memory_ = std::make_unique<std::uint8_t[]>(read_buffer_size);
    }
  }
  return {memory_.get(), read_buffer_size};
}

void ReadBuffers::Loan::give_back() noexcept {
  if (!memory_) {
    return;
  }
  const std::lock_guard lock(owner_->mutex_);
  if (owner_->free_.size() < most_kept) {
    owner_->free_.push_back(std::move(memory_));
  } else {
    wipe({memory_.get(), read_buffer_size});
    memory_.reset();
  }
}

}  // namespace corliss::io
