#include <corliss/base/secret.h>

#include <cstring>

namespace corliss {

void wipe(Bytes bytes) noexcept {
  if (!bytes.empty()) {
    ::explicit_bzero(bytes.data(), bytes.size());
  }
}

bool constant_time_equal(ConstBytes a, ConstBytes b) noexcept {
  if (a.size() != b.size()) {
    return false;
  }
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<std::uint8_t>(difference | (a[i] ^ b[i]));
    // The compiler must not learn that `difference` stays non-zero, or it may leave the loop early.
    asm volatile("" : "+r"(difference));
  }
  return difference == 0;
}

}  // namespace corliss
