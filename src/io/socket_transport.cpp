#include "io/socket_transport.h"

#include <utility>

#include <asio/buffer.hpp>

namespace corliss::io {
namespace {

class TcpTransport final : public Transport {
 public:
  explicit TcpTransport(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {
    std::error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  Result<std::size_t> read(Bytes room) override {
    std::error_code error;
    const std::size_t count = socket_.read_some(asio::buffer(room.data(), room.size()), error);
    if (error == asio::error::eof) {
      return 0;
    }
    return error ? Result<std::size_t>(fail(error)) : count;
  }

  Result<std::size_t> write(ConstBytes bytes) override {
    std::error_code error;
    const std::size_t count = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    return error ? Result<std::size_t>(fail(error)) : count;
  }

  void wait(Ready what, std::shared_ptr<Waiter> waiter) override {
    wait_for(socket_, what, std::move(waiter));
  }

  void close() noexcept override {
    std::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  void end_output() noexcept override {
    std::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }

  void close_with_reset() noexcept override {
    std::error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    socket_.close(ignored);
  }

 private:
  asio::ip::tcp::socket socket_;
};

class UdpTransport final : public Transport {
 public:
  explicit UdpTransport(asio::ip::udp::socket socket) : socket_(std::move(socket)) {
    std::error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  Result<std::size_t> read(Bytes room) override {
    std::error_code error;
    const std::size_t count = socket_.receive(asio::buffer(room.data(), room.size()), 0, error);
    return error ? Result<std::size_t>(fail(error)) : count;
  }

  Result<std::size_t> write(ConstBytes bytes) override {
    std::error_code error;
    socket_.send(asio::buffer(bytes.data(), bytes.size()), 0, error);
    if (error == asio::error::no_buffer_space) {
      return bytes.size();  // lost, as datagrams may be
    }
    return error ? Result<std::size_t>(fail(error)) : bytes.size();
  }

  void wait(Ready what, std::shared_ptr<Waiter> waiter) override {
    wait_for(socket_, what, std::move(waiter));
  }

  void close() noexcept override {
    std::error_code ignored;
    socket_.close(ignored);
  }

 private:
  asio::ip::udp::socket socket_;
};

}  // namespace

std::unique_ptr<Transport> make_transport(asio::ip::tcp::socket socket) {
  return std::make_unique<TcpTransport>(std::move(socket));
}

std::unique_ptr<Transport> make_transport(asio::ip::udp::socket socket) {
  return std::make_unique<UdpTransport>(std::move(socket));
}

}  // namespace corliss::io
