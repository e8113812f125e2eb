#pragma once

#include "keyvalues/chars.h"
#include "keyvalues/condition.h"
#include "keyvalues/scan.h"

#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/limits.h>
#include <corliss/keyvalues/text.h>
#include <corliss/keyvalues/visitor.h>

#include <algorithm>
#include <string>
#include <vector>

namespace corliss::keyvalues::detail {

/// A name, value or condition where it stands in the input, without quotes or brackets.
struct Token {
  const std::uint8_t* begin = nullptr;
  std::size_t size = 0;
  bool escaped = false;  // holds backslashes that mean something

  [[nodiscard]] std::string_view view() const noexcept {
    return {reinterpret_cast<const char*>(begin), size};
  }
};

/// Appends what an escaped token stands for. Source: SteamKit2 KVTextReader; protocol note 13, "Escapes".
inline void append_unescaped(std::string_view raw, std::string& out) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out += raw[i];
      continue;
    }
    switch (const char c = raw[++i]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      default:
        out += c;
        break;
    }
  }
}

inline constexpr std::size_t largest_token = (std::size_t{1} << 27) - 1;  // what a slot of a tree can say

struct TokenConditions {
  Token after_name;
  Token after_value;
};

/// The grammar of the text form as a loop over tokens, for a whole input or for windows of a stream. `Sink`:
///   Next block(const Token& name, const TokenConditions&);
///   Next leaf(const Token& name, const Token& value, const TokenConditions&);
///   Next end();
///   Result<void> directive(Directive, std::string_view file);
template <class Sink>
class TextCore {
 public:
  enum class Status : std::uint8_t { done, more, stopped, failed };

  TextCore(Sink& sink, const TextOptions& options)
      : sink_(sink), options_(options), max_token_(std::min(options.limits.max_token, largest_token)) {}

  /// Reads [begin, end), whose first byte stands at `base` in the document. `last`: nothing follows. After
  /// `more`, the next window starts at rest(), and what it starts with must be the bytes that were left.
  Status run(const std::uint8_t* begin, const std::uint8_t* end, std::uint64_t base, bool last);

  [[nodiscard]] const std::uint8_t* rest() const noexcept { return rest_; }
  [[nodiscard]] std::error_code error() const noexcept { return error_; }
  /// Where the error is, in the last window.
  [[nodiscard]] const std::uint8_t* error_at() const noexcept { return error_at_; }
  /// Where the blocks that are still open opened, outermost first, from the start of the document.
  [[nodiscard]] const std::vector<std::uint64_t>& open_blocks() const noexcept { return open_; }

 private:
  enum class State : std::uint8_t { root_key, after_directive, after_root_key, key, after_key, after_value };
  enum class Found : std::uint8_t { token, end_of_window, error };

  Status fail_at(std::error_code error, const std::uint8_t* at) noexcept {
    error_ = error;
    error_at_ = at;
    return Status::failed;
  }
  Status suspend(const std::uint8_t* at, bool last) {
    rest_ = at;
    if (!last && state_ != State::root_key && state_ != State::key) {
      hold(key_, held_key_);
      hold(conditions_.after_name, held_condition_);
      if (state_ == State::after_value) {
        hold(value_, held_value_);
      }
    }
    return Status::more;
  }
  static void hold(Token& token, std::string& into) {
    if (token.begin != nullptr && token.view().data() != into.data()) {
      into.assign(token.view());
      token.begin = reinterpret_cast<const std::uint8_t*>(into.data());
    }
  }

  Status end_of_input(const std::uint8_t* at, bool last);
  Status read_plain_leaves(const std::uint8_t*& p, const std::uint8_t* end);
  Found scan_token(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token);
  Found scan_quoted(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token);
  Found scan_bare(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token);
  Found scan_condition(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token);
  Found incomplete(const std::uint8_t* start, std::size_t scanned, bool escaped, bool last,
                   Errc errc) noexcept;
  Found too_large(const std::uint8_t* at) noexcept {
    fail_at(Errc::too_large, at);
    return Found::error;
  }

  bool conditions_hold(bool& holds);
  [[nodiscard]] TokenConditions kept_conditions() const noexcept {
    return options_.conditions == ConditionMode::keep ? conditions_ : TokenConditions{};
  }
  void clear_pair() noexcept {
    conditions_ = {};
    key_ = {};
    value_ = {};
  }
  [[nodiscard]] bool skipping() const noexcept { return skip_depth_ != 0; }
  Status open_block(const std::uint8_t* at, std::uint64_t offset);
  Status close_block(const std::uint8_t* at);
  Status emit_leaf(const std::uint8_t* at);
  static bool is_directive(const Token& key, Directive& directive);
  Status take_directive(const Token& file);

  Sink& sink_;
  const TextOptions& options_;
  const std::size_t max_token_;

  State state_ = State::root_key;
  bool in_comment_ = false;
  Directive directive_ = Directive::include;
  Token key_;
  Token value_;
  TokenConditions conditions_;
  std::size_t nodes_ = 0;
  std::size_t roots_ = 0;
  std::size_t skip_depth_ = 0;  // depth of the block whose inside gives no events; 0: none
  std::vector<std::uint64_t> open_;

  std::size_t scanned_ = 0;  // of the token that the last window broke off in
  bool scanned_escape_ = false;
  std::string held_key_;
  std::string held_value_;
  std::string held_condition_;

  const std::uint8_t* rest_ = nullptr;
  const std::uint8_t* error_at_ = nullptr;
  std::error_code error_;
};

template <class Sink>
auto TextCore<Sink>::run(const std::uint8_t* begin, const std::uint8_t* end, std::uint64_t base, bool last)
    -> Status {
  constexpr auto going_on = Status::done;
  const std::uint8_t* p = begin;
  for (;;) {
    if (!in_comment_) {
      p = p != end && *p > ' ' ? p : Scan::not_space(p, end);
      if (p == end) {
        return end_of_input(p, last);
      }
      in_comment_ = *p == '/';
    }
    if (in_comment_) {
      p = Scan::line_end(p, end);
      if (p == end) {
        return end_of_input(p, last);
      }
      if (*p == 0) {
        return fail_at(Errc::nul, p);
      }
      in_comment_ = false;
      continue;
    }
    const std::uint8_t c = *p;
    if (c == 0) {
      return fail_at(Errc::nul, p);
    }
    switch (state_) {
      case State::after_value: {
        if (c == '[') {
          if (const auto found = scan_condition(p, end, last, conditions_.after_value);
              found != Found::token) {
            return found == Found::error ? Status::failed : suspend(p, last);
          }
        }
        state_ = State::key;
        if (const auto status = emit_leaf(p); status != going_on) {
          return status;
        }
        break;
      }
      case State::key: {
        if (c == '"' && scanned_ == 0) [[likely]] {
          if (const auto status = read_plain_leaves(p, end); status != going_on) {
            return status;
          }
        }
        if (*p != '}' && *p != '{' && *p != '[') {
          const std::uint8_t* const start = p;
          if (const auto found = scan_token(p, end, last, key_); found != Found::token) {
            return found == Found::error ? Status::failed : suspend(p, last);
          }
          if (key_.size == 0) {
            return fail_at(Errc::empty_key, start);
          }
          if (++nodes_ > options_.limits.max_nodes) {
            return fail_at(Errc::too_many_nodes, start);
          }
          state_ = State::after_key;
          break;
        }
        if (*p == '}') {
          if (const auto status = close_block(p); status != going_on) {
            return status;
          }
          ++p;
          break;
        }
        return fail_at(*p == '{' ? Errc::unexpected_open : Errc::unexpected_conditional, p);
      }
      case State::after_key: {
        if (c == '{') {
          if (const auto status = open_block(p, base + static_cast<std::uint64_t>(p - begin));
              status != going_on) {
            return status;
          }
          ++p;
        } else if (c == '[') {
          if (conditions_.after_name.begin != nullptr) {
            return fail_at(Errc::unexpected_conditional, p);
          }
          if (const auto found = scan_condition(p, end, last, conditions_.after_name);
              found != Found::token) {
            return found == Found::error ? Status::failed : suspend(p, last);
          }
        } else if (c == '}') {
          return fail_at(Errc::missing_value, p);
        } else {
          if (const auto found = scan_token(p, end, last, value_); found != Found::token) {
            return found == Found::error ? Status::failed : suspend(p, last);
          }
          state_ = State::after_value;
        }
        break;
      }
      case State::root_key: {
        if (c == '{' || c == '}' || c == '[') {
          return fail_at(c == '{'   ? Errc::unexpected_open
                         : c == '}' ? Errc::unexpected_close
                                    : Errc::unexpected_conditional,
                         p);
        }
        const std::uint8_t* const start = p;
        if (const auto found = scan_token(p, end, last, key_); found != Found::token) {
          return found == Found::error ? Status::failed : suspend(p, last);
        }
        if (key_.size == 0) {
          return fail_at(Errc::empty_key, start);
        }
        if (++nodes_ > options_.limits.max_nodes) {
          return fail_at(Errc::too_many_nodes, start);
        }
        state_ = State::after_root_key;
        if (is_directive(key_, directive_)) {
          state_ = State::after_directive;
        }
        break;
      }
      case State::after_directive: {
        if (c == '{' || c == '}' || c == '[') {
          return fail_at(Errc::directive, p);
        }
        const std::uint8_t* const start = p;
        if (const auto found = scan_token(p, end, last, value_); found != Found::token) {
          return found == Found::error ? Status::failed : suspend(p, last);
        }
        if (take_directive(value_) == Status::failed) {
          error_at_ = start;
          return Status::failed;
        }
        clear_pair();
        state_ = State::root_key;
        break;
      }
      case State::after_root_key: {
        if (c == '[') {
          if (conditions_.after_name.begin != nullptr) {
            return fail_at(Errc::unexpected_conditional, p);
          }
          if (const auto found = scan_condition(p, end, last, conditions_.after_name);
              found != Found::token) {
            return found == Found::error ? Status::failed : suspend(p, last);
          }
          break;
        }
        if (c != '{') {
          return fail_at(Errc::missing_open, p);
        }
        if (const auto status = open_block(p, base + static_cast<std::uint64_t>(p - begin));
            status != going_on) {
          return status;
        }
        ++p;
        break;
      }
    }
  }
}

/// Most of any file: leaves whose name and value are quoted, without escapes and conditions, and what follows
/// is in the window. Leaves `p` at the first thing that is anything else, for the states to read.
template <class Sink>
auto TextCore<Sink>::read_plain_leaves(const std::uint8_t*& p, const std::uint8_t* end) -> Status {
  while (*p == '"') {
    const std::uint8_t* const name = p + 1;
    const std::uint8_t* const name_end = Scan::quote_or_escape(name, end);
    if (name_end == end || *name_end != '"') {
      return Status::done;
    }
    const std::uint8_t* value = name_end + 1;
    while (value != end && (*value == '\t' || *value == ' ')) {
      ++value;
    }
    if (value == end || *value != '"') {
      return Status::done;
    }
    ++value;
    const std::uint8_t* const value_end = Scan::quote_or_escape(value, end);
    if (value_end == end || *value_end != '"') {
      return Status::done;
    }
    const std::uint8_t* const next = Scan::not_space(value_end + 1, end);
    const Token key{name, static_cast<std::size_t>(name_end - name), false};
    const Token content{value, static_cast<std::size_t>(value_end - value), false};
    if (next == end || (*next != '"' && *next != '}') || key.size == 0 || key.size > max_token_ ||
        content.size > max_token_ || nodes_ >= options_.limits.max_nodes) {
      return Status::done;
    }
    ++nodes_;
    p = next;
    if (!skipping() && sink_.leaf(key, content, conditions_) == Next::stop) {
      return Status::stopped;
    }
  }
  return Status::done;
}

template <class Sink>
auto TextCore<Sink>::end_of_input(const std::uint8_t* at, bool last) -> Status {
  if (!last) {
    return suspend(at, last);
  }
  switch (state_) {
    case State::root_key:
      rest_ = at;
      return Status::done;
    case State::after_directive:
      return fail_at(Errc::directive, at);
    case State::after_root_key:
      return fail_at(Errc::missing_open, at);
    default:
      return fail_at(Errc::unexpected_end, at);
  }
}

template <class Sink>
auto TextCore<Sink>::incomplete(const std::uint8_t* start, std::size_t scanned, bool escaped, bool last,
                                Errc errc) noexcept -> Found {
  if (scanned > max_token_) {
    return too_large(start);
  }
  if (last) {
    fail_at(errc, start);
    return Found::error;
  }
  scanned_ = scanned;
  scanned_escape_ = escaped;
  return Found::end_of_window;
}

template <class Sink>
auto TextCore<Sink>::scan_token(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token)
    -> Found {
  return *p == '"' ? scan_quoted(p, end, last, token) : scan_bare(p, end, last, token);
}

template <class Sink>
auto TextCore<Sink>::scan_quoted(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token)
    -> Found {
  const std::uint8_t* const begin = p + 1;
  const std::uint8_t* q = begin + scanned_;
  bool escaped = scanned_escape_;
  for (;;) {
    q = options_.escapes ? Scan::quote_or_escape(q, end) : Scan::quote(q, end);
    if (q == end) {
      return incomplete(p, static_cast<std::size_t>(q - begin), escaped, last, Errc::unterminated_string);
    }
    if (*q == '"') {
      break;
    }
    const std::uint8_t* const next = *q == 0 ? q : q + 1;
    if (next == end) {
      return incomplete(p, static_cast<std::size_t>(q - begin), escaped, last, Errc::unterminated_string);
    }
    if (*next == 0) {
      fail_at(Errc::nul, next);
      return Found::error;
    }
    escaped = true;
    q += 2;
  }
  const auto size = static_cast<std::size_t>(q - begin);
  if (size > max_token_) {
    return too_large(p);
  }
  scanned_ = 0;
  scanned_escape_ = false;
  token = {begin, size, escaped};
  p = q + 1;
  return Found::token;
}

template <class Sink>
auto TextCore<Sink>::scan_bare(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token)
    -> Found {
  const std::uint8_t* const q = Scan::bare_end(p + scanned_, end);
  const auto size = static_cast<std::size_t>(q - p);
  if (size > max_token_) {
    return too_large(p);
  }
  if (q == end && !last) {
    scanned_ = size;
    return Found::end_of_window;
  }
  if (q != end && *q == 0) {
    fail_at(Errc::nul, q);
    return Found::error;
  }
  scanned_ = 0;
  token = {p, size, false};
  p = q;
  return Found::token;
}

template <class Sink>
auto TextCore<Sink>::scan_condition(const std::uint8_t*& p, const std::uint8_t* end, bool last, Token& token)
    -> Found {
  const std::uint8_t* const begin = p + 1;
  const std::uint8_t* q = begin + scanned_;
  while (q != end && *q != ']') {
    if (*q == 0 || *q == '\n' || *q == '\r' || *q == '"' || *q == '{' || *q == '}') {
      fail_at(*q == 0 ? Errc::nul : Errc::bad_conditional, *q == 0 ? q : p);
      return Found::error;
    }
    ++q;
  }
  const auto size = static_cast<std::size_t>(q - begin);
  if (q == end) {
    return incomplete(p, size, false, last, Errc::bad_conditional);
  }
  if (size > max_token_) {
    return too_large(p);
  }
  scanned_ = 0;
  token = {begin, size, false};
  p = q + 1;
  return Found::token;
}

template <class Sink>
bool TextCore<Sink>::conditions_hold(bool& holds) {
  holds = true;
  if (options_.conditions != ConditionMode::evaluate) {
    return true;
  }
  for (const Token* condition : {&conditions_.after_name, &conditions_.after_value}) {
    if (condition->begin != nullptr) {
      const auto value = evaluate(condition->view(), options_.symbols);
      if (!value) {
        return false;
      }
      holds = holds && *value;
    }
  }
  return true;
}

template <class Sink>
auto TextCore<Sink>::open_block(const std::uint8_t* at, std::uint64_t offset) -> Status {
  if (open_.size() >= options_.limits.max_depth) {
    return fail_at(Errc::too_deep, at);
  }
  bool holds = true;
  if (!conditions_hold(holds)) {
    return fail_at(Errc::bad_conditional, at);
  }
  const bool is_root = open_.empty();
  open_.push_back(offset);
  auto next = Next::go_on;
  if (!skipping()) {
    if (!holds || (is_root && roots_ != 0 && !options_.all_roots)) {
      skip_depth_ = open_.size();
    } else {
      roots_ += is_root ? 1 : 0;
      next = sink_.block(key_, kept_conditions());
      if (next == Next::skip) {
        skip_depth_ = open_.size();
      }
    }
  }
  clear_pair();
  state_ = State::key;
  return next == Next::stop ? Status::stopped : Status::done;
}

template <class Sink>
auto TextCore<Sink>::close_block(const std::uint8_t*) -> Status {
  auto next = Next::go_on;
  if (!skipping()) {
    next = sink_.end();
  } else if (skip_depth_ == open_.size()) {
    skip_depth_ = 0;
  }
  open_.pop_back();
  state_ = open_.empty() ? State::root_key : State::key;
  return next == Next::stop ? Status::stopped : Status::done;
}

template <class Sink>
auto TextCore<Sink>::emit_leaf(const std::uint8_t* at) -> Status {
  auto next = Next::go_on;
  if (conditions_.after_name.begin == nullptr && conditions_.after_value.begin == nullptr) [[likely]] {
    if (!skipping()) {
      next = sink_.leaf(key_, value_, conditions_);
    }
  } else {
    bool holds = true;
    if (!conditions_hold(holds)) {
      return fail_at(Errc::bad_conditional, at);
    }
    if (holds && !skipping()) {
      next = sink_.leaf(key_, value_, kept_conditions());
    }
    conditions_ = {};
  }
  return next == Next::stop ? Status::stopped : Status::done;
}

template <class Sink>
bool TextCore<Sink>::is_directive(const Token& key, Directive& directive) {
  std::string plain;
  std::string_view name = key.view();
  if (key.escaped && key.size <= 2 * sizeof "#include") {
    append_unescaped(name, plain);
    name = plain;
  }
  if (same_name(name, "#include")) {
    directive = Directive::include;
    return true;
  }
  directive = Directive::base;
  return same_name(name, "#base");
}

template <class Sink>
auto TextCore<Sink>::take_directive(const Token& file) -> Status {
  std::string name;
  if (file.escaped) {
    append_unescaped(file.view(), name);
  } else {
    name = file.view();
  }
  if (auto taken = sink_.directive(directive_, name); !taken) {
    error_ = taken.error();
    return Status::failed;
  }
  return Status::done;
}

}  // namespace corliss::keyvalues::detail
