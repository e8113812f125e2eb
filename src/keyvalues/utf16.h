#pragma once

#include <corliss/base/bytes.h>

#include <cstdint>
#include <string>

namespace corliss::keyvalues::detail {

enum class Encoding : std::uint8_t { utf8, utf16_le, utf16_be };

/// The encoding by its mark, and how long the mark is. `input` may be shorter than a mark when it is all
/// there is.
struct Mark {
  Encoding encoding = Encoding::utf8;
  std::size_t size = 0;
};
[[nodiscard]] Mark find_mark(ConstBytes input) noexcept;
inline constexpr std::size_t longest_mark = 3;

/// UTF-16 to UTF-8, piece by piece. A surrogate without its partner becomes U+FFFD.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(bool big_endian) noexcept : big_endian_(big_endian) {}
  /// Appends the UTF-8 of `input` to `out`, at most 3 bytes for 2.
  void decode(ConstBytes input, std::string& out);
  /// Ends the text. False: it stops in the middle of a unit.
  [[nodiscard]] bool finish(std::string& out);

 private:
  void unit(std::uint16_t unit, std::string& out);

  bool big_endian_;
  bool has_half_ = false;
  std::uint8_t half_ = 0;
  std::uint16_t high_ = 0;  // a high surrogate that waits for its partner
};

}  // namespace corliss::keyvalues::detail
