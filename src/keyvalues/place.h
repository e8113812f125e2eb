#pragma once

#include <corliss/base/bytes.h>
#include <corliss/keyvalues/limits.h>

namespace corliss::keyvalues::detail {

/// Counts lines, columns and bytes over text that is given piece by piece.
class PlaceTracker {
 public:
  /// `utf16`: the text was UTF-16 before; offsets count its bytes. `offset`: bytes of the mark before the
  /// text.
  explicit PlaceTracker(std::uint64_t offset = 0, bool utf16 = false) noexcept
      : place_{offset, 1, 1}, utf16_(utf16) {}

  void advance(ConstBytes text) noexcept;
  [[nodiscard]] const Place& place() const noexcept { return place_; }
  [[nodiscard]] PlaceTracker after(ConstBytes text) const noexcept {
    PlaceTracker copy = *this;
    copy.advance(text);
    return copy;
  }

 private:
  Place place_;
  bool utf16_;
  bool after_cr_ = false;
};

}  // namespace corliss::keyvalues::detail
