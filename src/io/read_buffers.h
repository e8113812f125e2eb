#pragma once

#include <corliss/base/bytes.h>
#include <corliss/io/connection.h>

#include <memory>
#include <mutex>
#include <vector>

#include <asio/execution_context.hpp>

namespace corliss::io {

/// The read buffers of one execution context. A connection borrows one to read into, and keeps it while
/// messages that lie in it are told; so there are as many as connections are being drained, not as many as
/// connections.
class ReadBuffers final : public asio::execution_context::service {
 public:
  using key_type = ReadBuffers;
  static asio::execution_context::id id;  // NOLINT(readability-identifier-naming): asio's name

  /// A buffer on loan.
  class Loan {
   public:
    Loan() = default;
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { give_back(); }

    /// Borrows, where none is held.
    [[nodiscard]] Bytes take(ReadBuffers& from);
    void give_back() noexcept;
    [[nodiscard]] explicit operator bool() const noexcept { return memory_ != nullptr; }

   private:
    ReadBuffers* owner_ = nullptr;
    std::unique_ptr<std::uint8_t[]> memory_;
  };

  explicit ReadBuffers(asio::execution_context& context);
  static ReadBuffers& of(const asio::any_io_executor& executor);

 private:
  static constexpr std::size_t most_kept = 4;

  void shutdown() override;

  std::mutex mutex_;  ///< several threads may run one context
  std::vector<std::unique_ptr<std::uint8_t[]>> free_;
};

}  // namespace corliss::io
