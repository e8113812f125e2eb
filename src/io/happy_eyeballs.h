#pragma once

#include "io/await.h"

#include <corliss/base/result.h>
#include <corliss/io/connection.h>
#include <corliss/io/errc.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/address.hpp>
#include <asio/steady_timer.hpp>

namespace corliss::io {

/// The addresses in the order of the attempts: as the resolver sorted them, but families taking turns.
/// Source: RFC 8305, 4.
std::vector<asio::ip::address> interleave(const std::vector<asio::ip::address>& sorted);

/// One attempt to get a T by an address.
template <class T>
using Attempt = std::function<asio::awaitable<Result<T>>(asio::ip::address)>;

template <class T>
struct Race {
  Race(const asio::any_io_executor& executor, std::size_t attempts) : changed(executor), cancel(attempts) {}

  void finished(Result<T> result) {
    --running;
    ++ended;
    if (!result) {
      error = result.error();
    } else if (!winner) {
      winner.emplace(*std::move(result));
    }
    changed.cancel();
  }
  void cancel_all() {
    for (auto& signal : cancel) {
      signal.emit(asio::cancellation_type::terminal);
    }
  }

  asio::steady_timer changed;
  std::vector<asio::cancellation_signal> cancel;  ///< one an attempt
  std::size_t running = 0;
  std::size_t ended = 0;
  std::optional<T> winner;
  std::error_code error = Errc::name_not_found;  ///< of the last attempt that failed
};

template <class T>
asio::awaitable<void> run_attempt(std::shared_ptr<Race<T>> race, Attempt<T> attempt,
                                  asio::ip::address address) {
  Result<T> result = fail(Errc::cancelled);
  try {
    result = co_await attempt(address);
  } catch (const std::system_error&) {  // how asio ends a coroutine that goes on after it was cancelled
  }
  race->finished(std::move(result));
}

/// Begins one attempt after another, `connection_attempt_delay` apart or as soon as the one before has
/// failed; the first that succeeds wins, and the others are cancelled. Where all fail: the error of the last
/// that did. Source: RFC 8305, 5.
template <class T>
asio::awaitable<Result<T>> run_race(std::vector<asio::ip::address> addresses, Attempt<T> attempt) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto race = std::make_shared<Race<T>>(executor, addresses.size());
  std::size_t begun = 0;
  while (!race->winner && (begun < addresses.size() || race->running > 0)) {
    const std::size_t ended = race->ended;
    if (begun < addresses.size()) {
      ++race->running;
      asio::co_spawn(executor, run_attempt<T>(race, attempt, addresses[begun]),
                     asio::bind_cancellation_slot(race->cancel[begun].slot(), asio::detached));
      ++begun;
    }
    if (race->ended != ended) {
      continue;  // at once
    }
    race->changed.expires_at(begun < addresses.size() ? TimePoint::clock::now() + connection_attempt_delay
                                                      : TimePoint::max());
    co_await race->changed.async_wait(quietly);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
      race->cancel_all();
      co_return fail(Errc::cancelled);
    }
  }
  race->cancel_all();
  if (!race->winner) {
    co_return fail(race->error);
  }
  co_return std::move(*race->winner);
}

}  // namespace corliss::io
