#include "keyvalues/condition.h"

#include "keyvalues/chars.h"

#include <algorithm>
#include <vector>

namespace corliss::keyvalues::detail {
namespace {

constexpr bool is_symbol_char(char c) noexcept {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}

// Two stacks (operators, truth values), so that a line of a million parentheses costs heap, not stack.
class Evaluator {
 public:
  explicit Evaluator(std::span<const std::string> symbols) : symbols_(symbols) {}

  std::optional<bool> run(std::string_view text) {
    bool want_operand = true;
    while (!text.empty()) {
      const char c = text.front();
      if (is_space(static_cast<unsigned char>(c))) {
        text.remove_prefix(1);
      } else if (want_operand && (c == '!' || c == '(')) {
        operators_.push_back(c);
        text.remove_prefix(1);
      } else if (want_operand && c == '$') {
        const auto end = std::find_if_not(text.begin() + 1, text.end(), is_symbol_char);
        const auto size = static_cast<std::size_t>(end - text.begin());
        if (size == 1) {
          return std::nullopt;
        }
        values_.push_back(is_defined(text.substr(1, size - 1)));
        apply_nots();
        text.remove_prefix(size);
        want_operand = false;
      } else if (!want_operand && c == ')') {
        reduce();
        if (operators_.empty()) {
          return std::nullopt;
        }
        operators_.pop_back();
        apply_nots();
        text.remove_prefix(1);
      } else if (!want_operand && (text.starts_with("&&") || text.starts_with("||"))) {
        if (c == '|') {
          reduce();
        } else {
          reduce_ands();
        }
        operators_.push_back(c);
        text.remove_prefix(2);
        want_operand = true;
      } else {
        return std::nullopt;
      }
    }
    if (want_operand) {
      return std::nullopt;
    }
    reduce();
    return operators_.empty() ? std::optional<bool>(values_.back() != 0) : std::nullopt;
  }

 private:
  [[nodiscard]] bool is_defined(std::string_view name) const {
    return std::any_of(symbols_.begin(), symbols_.end(), [name](std::string_view symbol) {
      return same_name(symbol.starts_with('$') ? symbol.substr(1) : symbol, name);
    });
  }
  void apply_nots() {
    while (!operators_.empty() && operators_.back() == '!') {
      values_.back() ^= 1;
      operators_.pop_back();
    }
  }
  void reduce_ands() {
    while (!operators_.empty() && operators_.back() == '&') {
      apply([](char a, char b) { return static_cast<char>(a & b); });
    }
  }
  // Everything back to the last open parenthesis.
  void reduce() {
    reduce_ands();
    while (!operators_.empty() && operators_.back() == '|') {
      apply([](char a, char b) { return static_cast<char>(a | b); });
      reduce_ands();
    }
  }
  template <class F>
  void apply(F f) {
    const char right = values_.back();
    values_.pop_back();
    values_.back() = f(values_.back(), right);
    operators_.pop_back();
  }

  std::span<const std::string> symbols_;
  std::vector<char> operators_;
  std::vector<char> values_;
};

}  // namespace

std::optional<bool> evaluate(std::string_view condition, std::span<const std::string> symbols) {
  return Evaluator(symbols).run(condition);
}

}  // namespace corliss::keyvalues::detail
