#pragma once

#include <corliss/io/transport.h>

#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/post.hpp>

namespace corliss::io::test {

/// Counts the operations of transports and fails one of them.
struct FailAt {
  int left = std::numeric_limits<int>::max();  ///< so many succeed before it
  int count = 0;                               ///< how many there were

  bool fails() {
    ++count;
    return left-- == 0;
  }
};

/// Passes everything on; operation n of `plan` fails.
class FailingTransport final : public Transport {
 public:
  FailingTransport(std::unique_ptr<Transport> inner, FailAt& plan, asio::any_io_executor executor)
      : inner_(std::move(inner)), plan_(plan), executor_(std::move(executor)) {}

  Result<std::size_t> read(Bytes room) override { return plan_.fails() ? broken() : inner_->read(room); }
  Result<std::size_t> write(ConstBytes bytes) override {
    return plan_.fails() ? broken() : inner_->write(bytes);
  }
  void wait(Ready what, std::shared_ptr<Waiter> waiter) override {
    if (plan_.fails()) {
      asio::post(executor_, [what, held = std::move(waiter)] {
        held->on_ready(what, std::make_error_code(std::errc::connection_reset));
      });
    } else {
      inner_->wait(what, std::move(waiter));
    }
  }
  void close() noexcept override { inner_->close(); }

 private:
  static Result<std::size_t> broken() { return fail(std::make_error_code(std::errc::connection_reset)); }

  std::unique_ptr<Transport> inner_;
  FailAt& plan_;
  asio::any_io_executor executor_;
};

/// The cable is cut when `cut` says so: what is written goes nowhere, nothing comes, and nobody is told.
class CutTransport final : public Transport {
 public:
  CutTransport(std::unique_ptr<Transport> inner, const bool& cut) : inner_(std::move(inner)), cut_(cut) {}

  Result<std::size_t> read(Bytes room) override {
    if (cut_) {
      return fail(std::make_error_code(std::errc::operation_would_block));
    }
    return inner_->read(room);
  }
  Result<std::size_t> write(ConstBytes bytes) override {
    return cut_ ? Result<std::size_t>(bytes.size()) : inner_->write(bytes);
  }
  void wait(Ready what, std::shared_ptr<Waiter> waiter) override {
    if (cut_) {
      lost_[what == Ready::read ? 0 : 1] = std::move(waiter);
    } else {
      inner_->wait(what, std::move(waiter));
    }
  }
  void close() noexcept override {
    lost_[0].reset();
    lost_[1].reset();
    inner_->close();
  }

 private:
  std::unique_ptr<Transport> inner_;
  const bool& cut_;
  std::shared_ptr<Waiter> lost_[2];
};

/// A peer that takes nothing: there is never room.
class StuckTransport final : public Transport {
 public:
  StuckTransport(std::unique_ptr<Transport> inner, const bool& stuck)
      : inner_(std::move(inner)), stuck_(stuck) {}

  Result<std::size_t> read(Bytes room) override { return inner_->read(room); }
  Result<std::size_t> write(ConstBytes bytes) override {
    if (stuck_) {
      return fail(std::make_error_code(std::errc::operation_would_block));
    }
    return inner_->write(bytes);
  }
  void wait(Ready what, std::shared_ptr<Waiter> waiter) override {
    if (what == Ready::write && stuck_) {
      lost_ = std::move(waiter);
    } else {
      inner_->wait(what, std::move(waiter));
    }
  }
  void close() noexcept override {
    lost_.reset();
    inner_->close();
  }

 private:
  std::unique_ptr<Transport> inner_;
  const bool& stuck_;
  std::shared_ptr<Waiter> lost_;
};

}  // namespace corliss::io::test
