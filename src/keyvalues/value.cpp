#include "keyvalues/chars.h"

#include <corliss/keyvalues/value.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace corliss::keyvalues {
namespace {

constexpr std::size_t number_size = 32;
using NumberText = std::array<char, number_size>;

// The least precision of %g that reads back to the same bits; to_chars alone would give 100 for 1e+02.
std::string_view float_text(float value, NumberText& buffer) noexcept {
  char* const end = buffer.data() + buffer.size();
  for (int digits = 1; digits <= std::numeric_limits<float>::max_digits10; ++digits) {
    const auto written = std::to_chars(buffer.data(), end, value, std::chars_format::general, digits);
    float back = 0;
    std::from_chars(buffer.data(), written.ptr, back);
    if (std::bit_cast<std::uint32_t>(back) == std::bit_cast<std::uint32_t>(value) ||
        digits == std::numeric_limits<float>::max_digits10) {
      return {buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())};
    }
  }
  return {};
}

std::string_view number_text(Type type, std::uint64_t bits, NumberText& buffer) noexcept {
  char* const end = buffer.data() + buffer.size();
  std::to_chars_result written{};
  switch (type) {
    case Type::uint64:
      written = std::to_chars(buffer.data(), end, bits);
      break;
    case Type::int64:
      written = std::to_chars(buffer.data(), end, static_cast<std::int64_t>(bits));
      break;
    case Type::float32: {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (std::isnan(value)) {
        return "nan";
      }
      return float_text(value, buffer);
    }
    default:
      written =
          std::to_chars(buffer.data(), end, static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
      break;
  }
  return {buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())};
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && detail::is_space(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && detail::is_space(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

template <class T>
std::optional<T> parse_integer(std::string_view text) noexcept {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') {
      return std::nullopt;
    }
  }
  // "-0" is in range of an unsigned type; from_chars takes no sign there.
  if (std::is_unsigned_v<T> && text.starts_with('-')) {
    text.remove_prefix(1);
    if (text.find_first_not_of('0') != std::string_view::npos || text.empty()) {
      return std::nullopt;
    }
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

template <class T>
std::optional<T> parse_float(std::string_view text) noexcept {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') {
      return std::nullopt;
    }
  }
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || (digits.front() != '.' && (digits.front() < '0' || digits.front() > '9'))) {
    return std::nullopt;  // from_chars would take "inf" and "nan"
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::uint64_t widened(std::int32_t value) noexcept {
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::string_view type_name(Type type) noexcept {
  switch (type) {
    case Type::block:
      return "block";
    case Type::string:
      return "string";
    case Type::int32:
      return "int32";
    case Type::float32:
      return "float32";
    case Type::pointer:
      return "pointer";
    case Type::color:
      return "color";
    case Type::uint64:
      return "uint64";
    case Type::int64:
      return "int64";
  }
  return "unknown";
}

Value Value::int32(std::int32_t value) noexcept {
  return of_bits(Type::int32, widened(value));
}
Value Value::float32(float value) noexcept {
  return of_bits(Type::float32, std::bit_cast<std::uint32_t>(value));
}
Value Value::pointer(std::uint32_t value) noexcept {
  return of_bits(Type::pointer, value);
}
Value Value::color(std::uint32_t rgba_little_endian) noexcept {
  return of_bits(Type::color, rgba_little_endian);
}
Value Value::uint64(std::uint64_t value) noexcept {
  return of_bits(Type::uint64, value);
}
Value Value::int64(std::int64_t value) noexcept {
  return of_bits(Type::int64, static_cast<std::uint64_t>(value));
}

Value Value::of_bits(Type type, std::uint64_t bits) noexcept {
  Value value;
  value.type_ = type;
  value.bits_ = bits;
  return value;
}

std::optional<Value> Value::parse(Type type, std::string_view text) noexcept {
  switch (type) {
    case Type::block:
      return std::nullopt;
    case Type::string:
      return Value(text);
    case Type::uint64: {
      const auto number = parse_integer<std::uint64_t>(text);
      return number ? std::optional(uint64(*number)) : std::nullopt;
    }
    case Type::int64: {
      const auto number = parse_integer<std::int64_t>(text);
      return number ? std::optional(int64(*number)) : std::nullopt;
    }
    case Type::float32: {
      if (text == "inf" || text == "-inf" || text == "nan") {
        const float special =
            text == "nan" ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
        return float32(text == "-inf" ? -special : special);
      }
      const auto number = parse_float<float>(text);
      return number ? std::optional(float32(*number)) : std::nullopt;
    }
    case Type::int32:
    case Type::pointer:
    case Type::color: {
      const auto number = parse_integer<std::int32_t>(text);
      return number ? std::optional(of_bits(type, widened(*number))) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::string Value::text() const {
  std::string out;
  append_text(out);
  return out;
}

void Value::append_text(std::string& out) const {
  if (type_ == Type::string) {
    out += text_;
    return;
  }
  NumberText buffer;
  out += number_text(type_, bits_, buffer);
}

template <ValueInteger T>
std::optional<T> Value::get() const noexcept {
  if (type_ == Type::string) {
    return parse_integer<T>(text_);
  }
  NumberText buffer;
  return parse_integer<T>(number_text(type_, bits_, buffer));
}

template <ValueFloat T>
std::optional<T> Value::get() const noexcept {
  if (type_ == Type::string) {
    return parse_float<T>(text_);
  }
  NumberText buffer;
  return parse_float<T>(number_text(type_, bits_, buffer));
}

template std::optional<std::uint8_t> Value::get<std::uint8_t>() const noexcept;
template std::optional<std::uint16_t> Value::get<std::uint16_t>() const noexcept;
template std::optional<std::uint32_t> Value::get<std::uint32_t>() const noexcept;
template std::optional<std::uint64_t> Value::get<std::uint64_t>() const noexcept;
template std::optional<std::int32_t> Value::get<std::int32_t>() const noexcept;
template std::optional<std::int64_t> Value::get<std::int64_t>() const noexcept;
template std::optional<float> Value::get<float>() const noexcept;
template std::optional<double> Value::get<double>() const noexcept;

std::optional<std::int32_t> Value::get_enum(
    std::span<const std::pair<std::string_view, std::int32_t>> members) const noexcept {
  if (const auto number = get<std::int32_t>()) {
    return number;
  }
  const auto word = trimmed(text_);
  for (const auto& [name, number] : members) {
    if (name == word) {
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace corliss::keyvalues
