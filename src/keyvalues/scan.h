#pragma once

#include "keyvalues/chars.h"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// The inner loops of the readers: each returns the first byte of interest in [p, end), or `end`. Nothing
/// outside is read.
namespace corliss::keyvalues::detail {

/// Byte by byte; what the vector forms are tested against, and the tails of buffers.
struct PortableScan {
  /// A quote, a backslash or a NUL.
  static const std::uint8_t* quote_or_escape(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    while (p != end && *p != '"' && *p != '\\' && *p != 0) {
      ++p;
    }
    return p;
  }
  /// A quote or a NUL.
  static const std::uint8_t* quote(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    while (p != end && *p != '"' && *p != 0) {
      ++p;
    }
    return p;
  }
  /// What is not white space.
  static const std::uint8_t* not_space(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    while (p != end && is_space(*p)) {
      ++p;
    }
    return p;
  }
  /// LF, CR or NUL.
  static const std::uint8_t* line_end(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    while (p != end && *p != '\n' && *p != '\r' && *p != 0) {
      ++p;
    }
    return p;
  }
  /// The end of a bare token: white space, a quote, a brace or a NUL.
  static const std::uint8_t* bare_end(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    while (p != end && !is_space(*p) && *p != '"' && *p != '{' && *p != '}' && *p != 0) {
      ++p;
    }
    return p;
  }
  static const std::uint8_t* nul(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    while (p != end && *p != 0) {
      ++p;
    }
    return p;
  }
};

#if defined(__SSE2__)

/// 16 bytes at a time; SSE2 is part of x86-64, so nothing is dispatched.
struct Sse2Scan {
  static const std::uint8_t* quote_or_escape(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    return scan(p, end, PortableScan::quote_or_escape, [](__m128i v) {
      return _mm_or_si128(_mm_or_si128(equal(v, '"'), equal(v, '\\')), equal(v, 0));
    });
  }
  static const std::uint8_t* quote(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    return scan(p, end, PortableScan::quote,
                [](__m128i v) { return _mm_or_si128(equal(v, '"'), equal(v, 0)); });
  }
  static const std::uint8_t* not_space(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    return scan(p, end, PortableScan::not_space,
                [](__m128i v) { return _mm_xor_si128(space(v), _mm_set1_epi8(-1)); });
  }
  static const std::uint8_t* line_end(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    return scan(p, end, PortableScan::line_end, [](__m128i v) {
      return _mm_or_si128(_mm_or_si128(equal(v, '\n'), equal(v, '\r')), equal(v, 0));
    });
  }
  static const std::uint8_t* bare_end(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    return scan(p, end, PortableScan::bare_end, [](__m128i v) {
      const __m128i braces = _mm_or_si128(equal(v, '{'), equal(v, '}'));
      return _mm_or_si128(_mm_or_si128(space(v), braces), _mm_or_si128(equal(v, '"'), equal(v, 0)));
    });
  }
  static const std::uint8_t* nul(const std::uint8_t* p, const std::uint8_t* end) noexcept {
    return scan(p, end, PortableScan::nul, [](__m128i v) { return equal(v, 0); });
  }

 private:
  static __m128i equal(__m128i v, char c) noexcept { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); }
  static __m128i space(__m128i v) noexcept {
    const __m128i from_tab = _mm_sub_epi8(v, _mm_set1_epi8('\t'));
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8('\r' - '\t')), from_tab);
    return _mm_or_si128(controls, equal(v, ' '));
  }
  template <class Tail, class Match>
  static const std::uint8_t* scan(const std::uint8_t* p, const std::uint8_t* end, Tail tail,
                                  Match match) noexcept {
    while (end - p >= 16) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      const auto found = static_cast<unsigned>(_mm_movemask_epi8(match(v)));
      if (found != 0) {
        return p + __builtin_ctz(found);
      }
      p += 16;
    }
    return tail(p, end);
  }
};
using Scan = Sse2Scan;

#else
using Scan = PortableScan;
#endif

}  // namespace corliss::keyvalues::detail
