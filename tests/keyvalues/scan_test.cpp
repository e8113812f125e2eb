#include "keyvalues/scan.h"

#include "support/test_support.h"

#include <string_view>

#include <gtest/gtest.h>

namespace corliss::keyvalues::detail {
namespace {

// Each byte that a scan looks for, and neighbours of each range, at every distance from the end.
TEST(Scan, VectorFormsFindWhatThePortableOnesFind) {
  test::TestRng rng;
  constexpr std::string_view special("\"\\\n\r\t\v\f {}[]/!x~\x08\x0E\x7F\x80\x89\xFF\0", 24);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> text(rng.between(0, 70), 'a');
    for (std::size_t i = rng.between(0, 3); i > 0 && !text.empty(); --i) {
      text[rng.between(0, text.size() - 1)] =
          static_cast<std::uint8_t>(special[rng.between(0, special.size() - 1)]);
    }
    if (rng.between(0, 3) == 0) {
      for (auto& byte : text) {
        byte = static_cast<std::uint8_t>(" \t\n\r\v\f"[rng.between(0, 5)]);
      }
    }
    const std::uint8_t* const begin = text.data();
    const std::uint8_t* const end = begin + text.size();
    EXPECT_EQ(Scan::quote_or_escape(begin, end), PortableScan::quote_or_escape(begin, end));
    EXPECT_EQ(Scan::quote(begin, end), PortableScan::quote(begin, end));
    EXPECT_EQ(Scan::not_space(begin, end), PortableScan::not_space(begin, end));
    EXPECT_EQ(Scan::line_end(begin, end), PortableScan::line_end(begin, end));
    EXPECT_EQ(Scan::bare_end(begin, end), PortableScan::bare_end(begin, end));
    EXPECT_EQ(Scan::nul(begin, end), PortableScan::nul(begin, end));
  }
}

}  // namespace
}  // namespace corliss::keyvalues::detail
