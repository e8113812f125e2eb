#include "content/text_order.h"

#include <corliss/base/endian.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>

namespace corliss::content::detail {
namespace {

struct Item {
  std::uint64_t key;  ///< The eight bytes at the run's depth, zeros behind the end.
  std::uint32_t text;
};

/// Items whose first `depth` bytes are equal and whose keys are those at `depth`.
struct Run {
  std::size_t begin;
  std::size_t end;
  std::size_t depth;
  unsigned budget;  ///< Partitions left before a sort that no input can slow down takes over.
};

/// Quicksort in three parts on eight bytes at a time: what equals the pivot goes on with the next eight.
/// Paths have long common beginnings, which are thus compared once a level and not once a comparison.
class Sorter {
 public:
  Sorter(std::string_view arena, std::span<const Slice> texts, unsigned partitions)
      : arena_(arena), texts_(texts), items_(texts.size()), partitions_(partitions) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      items_[i].text = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<std::uint32_t> sort() {
    descend(0, items_.size(), 0);
    while (!runs_.empty()) {
      const Run run = runs_.back();
      runs_.pop_back();
      sort_run(run);
    }
    std::vector<std::uint32_t> order(items_.size());
    std::transform(items_.begin(), items_.end(), order.begin(), [](const Item& item) { return item.text; });
    return order;
  }

 private:
  static constexpr std::size_t small_run = 16;
  static constexpr std::size_t step = sizeof(std::uint64_t);

  [[nodiscard]] std::string_view rest(const Item& item, std::size_t depth) const noexcept {
    const Slice slice = texts_[item.text];
    return depth < slice.size ? arena_.substr(slice.at + depth, slice.size - depth) : std::string_view();
  }

  [[nodiscard]] std::uint64_t key_of(const Item& item, std::size_t depth) const noexcept {
    const auto text = rest(item, depth);
    std::array<std::uint8_t, step> bytes{};
    if (text.size() >= step) {
      std::memcpy(bytes.data(), text.data(), step);
    } else {
      std::copy(text.begin(), text.end(), bytes.begin());
    }
    return load_be<std::uint64_t>(bytes.data());
  }

  /// Whether a comes before b, which have the first `depth` bytes in common.
  [[nodiscard]] bool before(const Item& a, const Item& b, std::size_t depth) const noexcept {
    if (a.key != b.key) {
      return a.key < b.key;
    }
    const auto order = rest(a, depth + step).compare(rest(b, depth + step));
    return order != 0 ? order < 0
                      : std::pair(texts_[a.text].size, a.text) < std::pair(texts_[b.text].size, b.text);
  }

  /// Takes a run of equal beginnings to its next eight bytes.
  void descend(std::size_t begin, std::size_t end, std::size_t depth) {
    bool any_left = false;
    for (std::size_t i = begin; i < end; ++i) {
      any_left = any_left || depth < texts_[items_[i].text].size;
      items_[i].key = key_of(items_[i], depth);
    }
    if (end - begin > 1 && any_left) {
      runs_.push_back({begin, end, depth, partitions_ * static_cast<unsigned>(std::bit_width(end - begin))});
    } else {
      sort_whole({begin, end, depth, 0});
    }
  }

  void sort_whole(const Run& run) {
    std::sort(items_.begin() + static_cast<std::ptrdiff_t>(run.begin),
              items_.begin() + static_cast<std::ptrdiff_t>(run.end),
              [&](const Item& a, const Item& b) { return before(a, b, run.depth); });
  }

  void sort_run(const Run& run) {
    if (run.end - run.begin <= small_run) {
      sort_whole(run);
    } else if (run.budget == 0) {
      sort_by_key(run);
    } else {
      partition(run);
    }
  }

  void partition(const Run& run) {
    const auto key_at = [this](std::size_t i) { return items_[i].key; };
    const auto a = key_at(run.begin);
    const auto b = key_at(run.begin + (run.end - run.begin) / 2);
    const auto c = key_at(run.end - 1);
    const std::uint64_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    std::size_t less = run.begin;   // in front of it: smaller keys
    std::size_t greater = run.end;  // from it on: larger keys
    for (std::size_t i = run.begin; i < greater;) {
      if (key_at(i) < pivot) {
        std::swap(items_[less++], items_[i++]);
      } else if (key_at(i) > pivot) {
        std::swap(items_[i], items_[--greater]);
      } else {
        ++i;
      }
    }
    if (less - run.begin > 1) {
      runs_.push_back({run.begin, less, run.depth, run.budget - 1});
    }
    if (run.end - greater > 1) {
      runs_.push_back({greater, run.end, run.depth, run.budget - 1});
    }
    descend(less, greater, run.depth + step);
  }

  void sort_by_key(const Run& run) {
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(run.begin);
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(run.end);
    std::sort(begin, end, [](const Item& a, const Item& b) { return a.key < b.key; });
    for (auto first = begin; first != end;) {
      const auto last =
          std::find_if(first, end, [first](const Item& item) { return item.key != first->key; });
      descend(static_cast<std::size_t>(first - items_.begin()),
              static_cast<std::size_t>(last - items_.begin()), run.depth + step);
      first = last;
    }
  }

  std::string_view arena_;
  std::span<const Slice> texts_;
  std::vector<Item> items_;
  std::vector<Run> runs_;
  unsigned partitions_;
};

}  // namespace

std::vector<std::uint32_t> text_order(std::string_view arena, std::span<const Slice> texts,
                                      unsigned partitions) {
  return Sorter(arena, texts, partitions).sort();
}

}  // namespace corliss::content::detail
