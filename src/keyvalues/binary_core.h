#pragma once

#include "keyvalues/scan.h"

#include <corliss/base/endian.h>
#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/limits.h>
#include <corliss/keyvalues/visitor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace corliss::keyvalues::detail {

/// The bytes of a value by its type: 4 or 8; 0 where they differ or there are none.
inline constexpr std::array<std::uint8_t, 16> fixed_size{0, 0, 4, 4, 4, 0, 4, 8, 0, 0, 8};
/// A bit for each type that has a meaning, ends aside. Source: SteamKit2 KeyValue.Type.
inline constexpr std::uint32_t known_types = 0b100'1101'1111;

constexpr bool is_end(std::uint8_t type) noexcept {
  return type == 8 || type == 11;
}
constexpr bool is_known(std::uint8_t type) noexcept {
  return type < 16 && ((known_types >> type) & 1) != 0;
}

/// The binary form as a loop over nodes, for a whole input or for windows of a stream. `Sink`:
///   Next block(const std::uint8_t* name, std::size_t name_size);
///   Next leaf(Type, const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value, std::size_t
///   size); Next end();
/// With `name_count` names are indexes into a table of that many strings, and `name` is where the index
/// stands.
template <class Sink>
class BinaryCore {
 public:
  enum class Status : std::uint8_t { done, more, stopped, failed };
  static constexpr std::uint64_t no_table = UINT64_MAX;

  BinaryCore(Sink& sink, const Limits& limits, bool all_roots, std::uint64_t name_count = no_table)
      : sink_(sink),
        limits_(limits),
        max_token_(std::min(limits.max_token, (std::size_t{1} << 27) - 1)),
        all_roots_(all_roots),
        name_count_(name_count) {}

  /// As TextCore::run; after `done` rest() is behind the outer end byte.
  Status run(const std::uint8_t* begin, const std::uint8_t* end, std::uint64_t base, bool last) {
    return name_count_ == no_table ? run_with<false>(begin, end, base, last)
                                   : run_with<true>(begin, end, base, last);
  }

  [[nodiscard]] const std::uint8_t* rest() const noexcept { return rest_; }
  [[nodiscard]] Errc error() const noexcept { return error_; }
  [[nodiscard]] const std::uint8_t* error_at() const noexcept { return error_at_; }
  [[nodiscard]] const std::vector<std::uint64_t>& open_blocks() const noexcept { return open_; }

 private:
  Status fail_at(Errc error, const std::uint8_t* at) noexcept {
    error_ = error;
    error_at_ = at;
    return Status::failed;
  }
  // `node` cannot be read to its end: `at` is where the input ends.
  Status incomplete(const std::uint8_t* node, const std::uint8_t* at, bool last, Errc errc) noexcept {
    rest_ = node;
    return last ? fail_at(errc, at) : Status::more;
  }
  [[nodiscard]] bool skipping() const noexcept { return skip_depth_ != 0; }

  template <bool Indexed>
  Status run_with(const std::uint8_t* begin, const std::uint8_t* end, std::uint64_t base, bool last);

  Sink& sink_;
  const Limits limits_;
  const std::size_t max_token_;
  const bool all_roots_;
  const std::uint64_t name_count_;

  std::size_t nodes_ = 0;
  std::size_t roots_ = 0;
  std::size_t skip_depth_ = 0;  // depth of the block whose inside gives no events; 0: none
  std::vector<std::uint64_t> open_;

  // How far the node that the last window broke off in was looked at, from its type byte.
  std::size_t name_end_ = 0;
  std::size_t scanned_ = 0;

  const std::uint8_t* rest_ = nullptr;
  const std::uint8_t* error_at_ = nullptr;
  Errc error_ = Errc::unexpected_end;
};

template <class Sink>
template <bool Indexed>
auto BinaryCore<Sink>::run_with(const std::uint8_t* begin, const std::uint8_t* end, std::uint64_t base,
                                bool last) -> Status {
  const std::uint8_t* p = begin;
  for (;;) {
    if (p == end) {
      return incomplete(p, p, last, Errc::unexpected_end);
    }
    const std::uint8_t type = *p;
    if (is_end(type)) {
      ++p;
      if (open_.empty()) {
        rest_ = p;
        return Status::done;
      }
      auto next = Next::go_on;
      if (!skipping()) {
        next = sink_.end();
      } else if (skip_depth_ == open_.size()) {
        skip_depth_ = 0;
      }
      open_.pop_back();
      if (next == Next::stop) {
        return Status::stopped;
      }
      continue;
    }
    if (!is_known(type)) {
      return fail_at(Errc::unknown_type, p);
    }

    const std::uint8_t* const name = p + 1;
    const std::uint8_t* name_end = nullptr;  // and behind its NUL
    if constexpr (Indexed) {
      if (end - name < 4) {
        return incomplete(p, end, last, Errc::unexpected_end);
      }
      if (load_le<std::uint32_t>(name) >= name_count_) {
        return fail_at(Errc::bad_name_index, name);
      }
      name_end = name + 4;
    } else if (name_end_ != 0) {
      name_end = p + name_end_;
    } else {
      const std::uint8_t* const nul = Scan::nul(name + scanned_, end);
      const auto size = static_cast<std::size_t>(nul - name);
      if (size > max_token_) {
        return fail_at(Errc::too_large, name);
      }
      if (nul == end) {
        scanned_ = size;
        return incomplete(p, last ? name : end, last, Errc::unterminated_string);
      }
      scanned_ = 0;
      name_end = nul + 1;
    }
    const auto name_size = static_cast<std::size_t>(name_end - name) - (Indexed ? 0 : 1);

    if (type == static_cast<std::uint8_t>(Type::block)) {
      if (++nodes_ > limits_.max_nodes) {
        return fail_at(Errc::too_many_nodes, p);
      }
      if (open_.size() >= limits_.max_depth) {
        return fail_at(Errc::too_deep, p);
      }
      const bool is_root = open_.empty();
      open_.push_back(base + static_cast<std::uint64_t>(p - begin));
      p = name_end;
      if (!skipping()) {
        auto next = Next::skip;
        if (!is_root || roots_ == 0 || all_roots_) {
          roots_ += is_root ? 1 : 0;
          next = sink_.block(name, name_size);
        }
        if (next == Next::skip) {
          skip_depth_ = open_.size();
        } else if (next == Next::stop) {
          return Status::stopped;
        }
      }
      continue;
    }

    const std::uint8_t* value_end = nullptr;
    std::size_t value_size = fixed_size[type];
    if (value_size == 0) {
      const std::uint8_t* const nul = Scan::nul(name_end + scanned_, end);
      value_size = static_cast<std::size_t>(nul - name_end);
      if (value_size > max_token_) {
        return fail_at(Errc::too_large, name_end);
      }
      if (nul == end) {
        name_end_ = static_cast<std::size_t>(name_end - p);
        scanned_ = value_size;
        return incomplete(p, last ? name_end : end, last, Errc::unterminated_string);
      }
      value_end = nul + 1;
    } else if (static_cast<std::size_t>(end - name_end) < value_size) {
      name_end_ = Indexed ? 0 : static_cast<std::size_t>(name_end - p);
      return incomplete(p, end, last, Errc::unexpected_end);
    } else {
      value_end = name_end + value_size;
    }
    name_end_ = 0;
    scanned_ = 0;
    if (++nodes_ > limits_.max_nodes) {
      return fail_at(Errc::too_many_nodes, p);
    }
    p = value_end;
    if (!skipping()) {
      if (open_.empty()) {
        if (roots_ != 0 && !all_roots_) {
          continue;
        }
        ++roots_;
      }
      if (sink_.leaf(static_cast<Type>(type), name, name_size, name_end, value_size) == Next::stop) {
        return Status::stopped;
      }
    }
  }
}

}  // namespace corliss::keyvalues::detail
