#include "content/text_order.h"

#include <corliss/base/endian.h>

#include <algorithm>
#include <array>

namespace corliss::content::detail {
namespace {

struct Item {
  std::uint64_t key;  ///< The next eight bytes, zeros behind the end.
  std::uint32_t text;
};

struct Run {
  std::size_t begin;
  std::size_t end;
  std::size_t depth;  ///< Bytes that all of the run have in common.
};

/// Sorts by eight bytes at a time: each run of equal keys is sorted by the next eight.
class Sorter {
 public:
  Sorter(std::string_view arena, std::span<const Slice> texts)
      : arena_(arena), texts_(texts), items_(texts.size()) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      items_[i].text = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<std::uint32_t> sort() {
    runs_.push_back({0, items_.size(), 0});
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
  static constexpr std::size_t small_run = 8;

  [[nodiscard]] std::string_view rest(const Item& item, std::size_t depth) const noexcept {
    const auto text = text_at(arena_, texts_[item.text]);
    return depth < text.size() ? text.substr(depth) : std::string_view();
  }

  [[nodiscard]] std::uint64_t key_of(const Item& item, std::size_t depth) const noexcept {
    const auto text = rest(item, depth);
    std::array<std::uint8_t, 8> bytes{};
    std::copy_n(text.begin(), std::min(text.size(), bytes.size()), bytes.begin());
    return load_be<std::uint64_t>(bytes.data());
  }

  void sort_run(const Run& run) {
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(run.begin);
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(run.end);
    const bool at_end =
        std::all_of(begin, end, [&](const Item& item) { return rest(item, run.depth).empty(); });
    if (at_end || run.end - run.begin <= small_run) {
      std::sort(begin, end, [&](const Item& a, const Item& b) {
        const auto order = rest(a, run.depth).compare(rest(b, run.depth));
        return order != 0 ? order < 0
                          : std::pair(texts_[a.text].size, a.text) < std::pair(texts_[b.text].size, b.text);
      });
      return;
    }
    for (auto item = begin; item != end; ++item) {
      item->key = key_of(*item, run.depth);
    }
    std::sort(begin, end, [](const Item& a, const Item& b) { return a.key < b.key; });
    for (auto first = begin; first != end;) {
      const auto last =
          std::find_if(first, end, [first](const Item& item) { return item.key != first->key; });
      if (last - first > 1) {
        runs_.push_back({static_cast<std::size_t>(first - items_.begin()),
                         static_cast<std::size_t>(last - items_.begin()), run.depth + sizeof(std::uint64_t)});
      }
      first = last;
    }
  }

  std::string_view arena_;
  std::span<const Slice> texts_;
  std::vector<Item> items_;
  std::vector<Run> runs_;
};

}  // namespace

std::vector<std::uint32_t> text_order(std::string_view arena, std::span<const Slice> texts) {
  return Sorter(arena, texts).sort();
}

}  // namespace corliss::content::detail
