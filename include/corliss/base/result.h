#pragma once

#include <corliss/base/fault.h>

#include <system_error>
#include <utility>

#include <tl/expected.hpp>

namespace corliss {

/// A value or an error. `std::expected` one day: use only what both have (`and_then`, `transform`, `or_else`,
/// `value_or`, `*`, `error()`). Put `[[nodiscard]]` on every function that returns one.
template <class T>
using Result = tl::expected<T, std::error_code>;

/// The error side of a `Result`: `return fail(Errc::truncated);`
template <class E>
[[nodiscard]] tl::unexpected<std::error_code> fail(E errc) noexcept {
  return tl::unexpected<std::error_code>(std::error_code(errc));
}

}  // namespace corliss

#define CORLISS_DETAIL_CONCAT2(a, b) a##b
#define CORLISS_DETAIL_CONCAT(a, b) CORLISS_DETAIL_CONCAT2(a, b)
#define CORLISS_DETAIL_TRY(result, declaration, expression)   \
  auto result = (expression);                                 \
  if (!result) {                                              \
    return ::tl::unexpected<std::error_code>(result.error()); \
  }                                                           \
  declaration = *std::move(result)

/// `CORLISS_TRY(auto x, f());` declares x from the value of f(), or returns its error from this function.
#define CORLISS_TRY(declaration, expression) \
  CORLISS_DETAIL_TRY(CORLISS_DETAIL_CONCAT(corliss_try_, __LINE__), declaration, expression)

/// `CORLISS_CHECK(f());` returns the error of f() from this function; f() has no value, or it is not needed.
#define CORLISS_CHECK(expression)                                             \
  do {                                                                        \
    if (auto corliss_check_result = (expression); !corliss_check_result) {    \
      return ::tl::unexpected<std::error_code>(corliss_check_result.error()); \
    }                                                                         \
  } while (false)
