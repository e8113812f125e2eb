#include "bench/keyvalues_reference.h"

#include <corliss/base/endian.h>

#include <charconv>
#include <cstring>

namespace corliss::bench {
namespace {

class TextParser {
 public:
  explicit TextParser(ConstBytes input) : p_(input.data()), end_(input.data() + input.size()) {}

  std::optional<PlainNode> root() {
    PlainNode node;
    node.is_block = true;
    skip_space();
    if (!token(node.name)) {
      return std::nullopt;
    }
    skip_space();
    if (p_ == end_ || *p_ != '{' || !children(node)) {
      return std::nullopt;
    }
    return node;
  }

 private:
  void skip_space() {
    while (p_ != end_) {
      if (*p_ == '/') {
        while (p_ != end_ && *p_ != '\n') {
          ++p_;
        }
      } else if (*p_ == ' ' || (*p_ >= '\t' && *p_ <= '\r')) {
        ++p_;
      } else {
        return;
      }
    }
  }
  bool token(std::string& out) {
    if (p_ == end_) {
      return false;
    }
    if (*p_ != '"') {
      const auto* const begin = p_;
      while (p_ != end_ && *p_ > ' ' && *p_ != '"' && *p_ != '{' && *p_ != '}') {
        ++p_;
      }
      out.assign(begin, p_);
      return p_ != begin;
    }
    ++p_;
    while (p_ != end_ && *p_ != '"') {
      if (*p_ == '\\') {
        if (++p_ == end_) {
          return false;
        }
        out += *p_ == 'n' ? '\n' : *p_ == 't' ? '\t' : *p_ == 'r' ? '\r' : static_cast<char>(*p_);
      } else {
        out += static_cast<char>(*p_);
      }
      ++p_;
    }
    if (p_ == end_) {
      return false;
    }
    ++p_;
    return true;
  }
  bool children(PlainNode& block) {  // NOLINT(misc-no-recursion): that is the point
    ++p_;
    for (;;) {
      skip_space();
      if (p_ == end_) {
        return false;
      }
      if (*p_ == '}') {
        ++p_;
        return true;
      }
      PlainNode& node = block.children.emplace_back();
      if (!token(node.name)) {
        return false;
      }
      skip_space();
      if (p_ == end_) {
        return false;
      }
      if (*p_ == '{') {
        node.is_block = true;
        if (!children(node)) {
          return false;
        }
      } else if (!token(node.value)) {
        return false;
      }
    }
  }

  const std::uint8_t* p_;
  const std::uint8_t* end_;
};

class BinaryParser {
 public:
  explicit BinaryParser(ConstBytes input) : p_(input.data()), end_(input.data() + input.size()) {}

  std::optional<PlainNode> root() {
    PlainNode top;
    top.is_block = true;
    if (!children(top) || top.children.empty()) {
      return std::nullopt;
    }
    return std::move(top.children.front());
  }

 private:
  bool string(std::string& out) {
    while (p_ != end_ && *p_ != 0) {
      out += static_cast<char>(*p_++);
    }
    if (p_ == end_) {
      return false;
    }
    ++p_;
    return true;
  }
  template <class Bits, class Number>
  bool number(std::string& out) {
    if (static_cast<std::size_t>(end_ - p_) < sizeof(Bits)) {
      return false;
    }
    const auto bits = load_le<Bits>(p_);
    Number value{};
    std::memcpy(&value, &bits, sizeof value);
    char text[32];
    out.assign(text, std::to_chars(text, text + sizeof text, value).ptr);
    p_ += sizeof(Bits);
    return true;
  }
  bool children(PlainNode& block) {  // NOLINT(misc-no-recursion): that is the point
    for (;;) {
      if (p_ == end_) {
        return false;
      }
      const std::uint8_t type = *p_++;
      if (type == 8 || type == 11) {
        return true;
      }
      PlainNode& node = block.children.emplace_back();
      bool good = string(node.name);
      switch (type) {
        case 0:
          node.is_block = true;
          good = good && children(node);
          break;
        case 1:
          good = good && string(node.value);
          break;
        case 3:
          good = good && number<std::uint32_t, float>(node.value);
          break;
        case 2:
        case 4:
        case 6:
          good = good && number<std::uint32_t, std::int32_t>(node.value);
          break;
        case 7:
          good = good && number<std::uint64_t, std::uint64_t>(node.value);
          break;
        case 10:
          good = good && number<std::uint64_t, std::int64_t>(node.value);
          break;
        default:
          good = false;
      }
      if (!good) {
        return false;
      }
    }
  }

  const std::uint8_t* p_;
  const std::uint8_t* end_;
};

}  // namespace

std::optional<PlainNode> plain_read_text(ConstBytes input) {
  return TextParser(input).root();
}
std::optional<PlainNode> plain_read_binary(ConstBytes input) {
  return BinaryParser(input).root();
}

}  // namespace corliss::bench
