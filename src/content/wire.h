#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/endian.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// Protobuf's wire format, read and written by hand: a manifest has hundreds of thousands of small messages,
/// whose generated form would cost several times the memory and refuse names that are not UTF-8.
namespace corliss::content::detail {

enum class WireType : std::uint8_t {
  varint = 0,
  fixed64 = 1,
  length = 2,
  group = 3,
  end_group = 4,
  fixed32 = 5
};

struct Field {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  ///< Of varint, fixed64, fixed32.
  ConstBytes bytes;         ///< Of length.
  ConstBytes raw;           ///< Tag and value.

  [[nodiscard]] bool is(std::uint32_t other_number, WireType other_type) const noexcept {
    return number == other_number && type == other_type;
  }
};

/// Takes the fields of one message in turn. Groups are skipped whole and given as their raw bytes.
class FieldReader {
 public:
  static constexpr std::size_t max_group_depth = 32;

  explicit FieldReader(ConstBytes message) noexcept
      : next_(message.data()), end_(message.data() + message.size()) {}

  [[nodiscard]] bool done() const noexcept { return next_ == end_; }
  [[nodiscard]] const std::uint8_t* position() const noexcept { return next_; }

  /// The next field; false where the message breaks the format. Not to be called when `done()`.
  [[nodiscard]] bool take(Field& field) noexcept {
    const auto* begin = next_;
    if (!take_one(field) || field.type == WireType::end_group) {
      return false;
    }
    if (field.type == WireType::group && !skip_group(field.number)) {
      return false;
    }
    field.raw = {begin, next_};
    return true;
  }

 private:
  [[nodiscard]] bool take_varint(std::uint64_t& value) noexcept {
    if (next_ != end_ && *next_ < 0x80) {
      value = *next_++;
      return true;
    }
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (next_ == end_) {
        return false;
      }
      const std::uint8_t byte = *next_++;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return shift < 63 || byte <= 1;
      }
    }
    return false;
  }

  [[nodiscard]] bool take_bytes(std::uint64_t count, ConstBytes& bytes) noexcept {
    if (count > static_cast<std::uint64_t>(end_ - next_)) {
      return false;
    }
    bytes = {next_, static_cast<std::size_t>(count)};
    next_ += count;
    return true;
  }

  [[nodiscard]] bool take_one(Field& field) noexcept {
    std::uint64_t tag = 0;
    if (!take_varint(tag) || tag > 0xffffffff || tag >> 3 == 0) {
      return false;
    }
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<WireType>(tag & 7);
    ConstBytes fixed;
    switch (field.type) {
      case WireType::varint:
        return take_varint(field.value);
      case WireType::length:
        return take_varint(field.value) && take_bytes(field.value, field.bytes);
      case WireType::fixed32:
        if (!take_bytes(4, fixed)) {
          return false;
        }
        field.value = load_le<std::uint32_t>(fixed.data());
        return true;
      case WireType::fixed64:
        if (!take_bytes(8, fixed)) {
          return false;
        }
        field.value = load_le<std::uint64_t>(fixed.data());
        return true;
      case WireType::group:
      case WireType::end_group:
        return true;
    }
    return false;
  }

  [[nodiscard]] bool skip_group(std::uint32_t number) noexcept {
    std::array<std::uint32_t, max_group_depth> open{number};
    for (std::size_t depth = 1; depth > 0;) {
      Field inner;
      if (!take_one(inner)) {
        return false;
      }
      if (inner.type == WireType::group) {
        if (depth == max_group_depth) {
          return false;
        }
        open[depth++] = inner.number;
      } else if (inner.type == WireType::end_group && inner.number != open[--depth]) {
        return false;
      }
    }
    return true;
  }

  const std::uint8_t* next_;
  const std::uint8_t* end_;
};

[[nodiscard]] constexpr std::size_t varint_size(std::uint64_t value) noexcept {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) {
    ++size;
  }
  return size;
}

/// Appends fields to a text buffer; varints in their shortest form. All field numbers are below 16.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) noexcept : out_(out) {}

  void varint(std::uint32_t number, std::uint64_t value) {
    tag(number, WireType::varint);
    put_varint(value);
  }
  void fixed32(std::uint32_t number, std::uint32_t value) {
    tag(number, WireType::fixed32);
    std::array<std::uint8_t, 4> bytes{};
    store_le(bytes.data(), value);
    out_ += text_of(bytes);
  }
  void bytes(std::uint32_t number, std::string_view value) {
    length(number, value.size());
    out_ += value;
  }
  /// Tag and length of a message or text whose bytes follow.
  void length(std::uint32_t number, std::size_t size) {
    tag(number, WireType::length);
    put_varint(size);
  }

 private:
  void tag(std::uint32_t number, WireType type) {
    out_ += static_cast<char>(number << 3 | static_cast<std::uint32_t>(type));
  }
  void put_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      out_ += static_cast<char>(static_cast<std::uint8_t>(value | 0x80));
    }
    out_ += static_cast<char>(value);
  }

  std::string& out_;
};

}  // namespace corliss::content::detail
