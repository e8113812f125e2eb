#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_state.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

namespace corliss::io {

/// For co_await: errors are a value, nothing is thrown.
inline constexpr asio::experimental::as_tuple_t<asio::use_awaitable_t<>> quietly{};

/// Whether the coroutine was cancelled: `if (is_cancelled(co_await asio::this_coro::cancellation_state))`.
inline bool is_cancelled(const asio::cancellation_state& state) noexcept {
  return state.cancelled() != asio::cancellation_type::none;
}

}  // namespace corliss::io
