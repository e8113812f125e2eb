#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace corliss::keyvalues {

/// What a node is; the numbers are the type bytes of the binary form (Source: SteamKit2 KeyValue.Type; others
/// are refused). Text knows only `block` and `string`.
enum class Type : std::uint8_t {
  block = 0,
  string = 1,
  int32 = 2,
  float32 = 3,
  pointer = 4,  ///< 32 bits, also from 64 bit writers.
  color = 6,    ///< 32 bits: the bytes R G B A read as a little-endian number.
  uint64 = 7,
  int64 = 10,
};

/// The name of a type, as in `vectors/keyvalues.json`: "int32", "float32" …
[[nodiscard]] std::string_view type_name(Type type) noexcept;

template <class T>
concept ValueInteger =
    std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;
template <class T>
concept ValueFloat = std::same_as<T, float> || std::same_as<T, double>;

/// The value of a leaf. Cheap to copy; a string is a view of somebody else's bytes.
///
/// Everything is text to a reader: the getters convert the text of the value, whole or not at all, and never
/// guess. `value.get<std::uint32_t>().value_or(0)` is what SteamKit's `AsUnsignedInteger` does.
class Value {
 public:
  Value() = default;
  // Implicit on purpose: `builder.leaf("name", "value")`.
  Value(std::string_view text) noexcept : text_(text) {}    // NOLINT(google-explicit-constructor)
  Value(const char* text) noexcept : text_(text) {}         // NOLINT(google-explicit-constructor)
  Value(const std::string& text) noexcept : text_(text) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] static Value int32(std::int32_t value) noexcept;
  [[nodiscard]] static Value float32(float value) noexcept;
  [[nodiscard]] static Value pointer(std::uint32_t value) noexcept;
  [[nodiscard]] static Value color(std::uint32_t rgba_little_endian) noexcept;
  [[nodiscard]] static Value uint64(std::uint64_t value) noexcept;
  [[nodiscard]] static Value int64(std::int64_t value) noexcept;
  /// A number of a type that is not `string` from its bits as in the binary form.
  [[nodiscard]] static Value of_bits(Type type, std::uint64_t bits) noexcept;
  /// A value of `type` from its text form, as `text()` gives it. Nothing when the text does not convert.
  [[nodiscard]] static std::optional<Value> parse(Type type, std::string_view text) noexcept;

  /// Never `block`.
  [[nodiscard]] Type type() const noexcept { return type_; }
  /// The bytes of a string; empty for other types. Any bytes, UTF-8 by custom.
  [[nodiscard]] std::string_view string() const noexcept { return text_; }
  /// The bits of a number, 32 of them zero-extended; 0 for a string.
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }

  /// The text form: integers in decimal (pointer and color signed), floats with the fewest digits that read
  /// back to the same 32 bits, laid out as printf's %g does it (100 is "1e+02"), `.` in any locale.
  [[nodiscard]] std::string text() const;
  /// Appends `text()` to `out`.
  void append_text(std::string& out) const;

  /// An integer: white space around it, one sign, decimal digits, in range. No hex, no fraction.
  template <ValueInteger T>
  [[nodiscard]] std::optional<T> get() const noexcept;
  /// A number with `.` as the point in any locale; no hex, no thousands marks, no "inf" or "nan" words.
  template <ValueFloat T>
  [[nodiscard]] std::optional<T> get() const noexcept;
  /// An int32 that is not 0. The words "true" and "yes" are no booleans in KeyValues.
  template <std::same_as<bool> T>
  [[nodiscard]] std::optional<T> get() const noexcept {
    const auto number = get<std::int32_t>();
    return number ? std::optional<bool>(*number != 0) : std::nullopt;
  }
  /// The number, or the number of the member with this name (exact case).
  [[nodiscard]] std::optional<std::int32_t> get_enum(
      std::span<const std::pair<std::string_view, std::int32_t>> members) const noexcept;

  /// The same type and the same bytes.
  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::string_view text_;
  std::uint64_t bits_ = 0;
  Type type_ = Type::string;
};

}  // namespace corliss::keyvalues
