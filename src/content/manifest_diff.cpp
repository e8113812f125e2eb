#include "content/text_order.h"

#include <corliss/base/endian.h>
#include <corliss/content/manifest_diff.h>

#include <algorithm>

namespace corliss::content {
namespace {

using Totals = UpdatePlan::Totals;

/// The files of a manifest by name; a folder's name is the same with and without a separator at its end.
class NameIndex {
 public:
  explicit NameIndex(const Manifest& manifest) {
    slices_.reserve(manifest.file_count());
    for (std::size_t i = 0; i < manifest.file_count(); ++i) {
      const auto file = manifest.file(i);
      auto name = file.stored_name;
      if (file.is_directory() && name.ends_with('\\')) {
        name.remove_suffix(1);
      }
      slices_.push_back({static_cast<std::uint32_t>(names_.size()), static_cast<std::uint32_t>(name.size())});
      names_ += name;
    }
    order_ = detail::text_order(names_, slices_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  [[nodiscard]] std::uint32_t file(std::size_t at) const noexcept { return order_[at]; }
  [[nodiscard]] std::string_view name(std::size_t at) const noexcept {
    return detail::text_at(names_, slices_[order_[at]]);
  }

 private:
  std::string names_;
  std::vector<detail::Slice> slices_;
  std::vector<std::uint32_t> order_;
};

/// One occurrence of a chunk in a manifest.
struct Occurrence {
  std::uint64_t prefix;  ///< Of the id, to compare first.
  std::uint32_t file;
  std::uint32_t chunk;
};

class Occurrences {
 public:
  explicit Occurrences(const Manifest& manifest) noexcept : manifest_(manifest) {}

  void add_file(std::uint32_t file) {
    const auto chunks = manifest_.file(file).chunks;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      list_.push_back(
          {load_be<std::uint64_t>(chunks[i].id.bytes().data()), file, static_cast<std::uint32_t>(i)});
    }
  }

  /// By id, then by file and offset.
  void sort() {
    std::sort(list_.begin(), list_.end(), [this](const Occurrence& a, const Occurrence& b) {
      if (a.prefix != b.prefix) {
        return a.prefix < b.prefix;
      }
      const Chunk& left = chunk(a);
      const Chunk& right = chunk(b);
      return std::tie(left.id, a.file, left.offset) < std::tie(right.id, b.file, right.offset);
    });
  }

  [[nodiscard]] const Chunk& chunk(const Occurrence& occurrence) const noexcept {
    return manifest_.file(occurrence.file).chunks[occurrence.chunk];
  }
  [[nodiscard]] const std::vector<Occurrence>& list() const noexcept { return list_; }

 private:
  const Manifest& manifest_;
  std::vector<Occurrence> list_;
};

bool same_content(const ManifestFile& a, const ManifestFile& b) {
  return a.is_directory() == b.is_directory() && a.is_link() == b.is_link() && a.size == b.size &&
         a.stored_link_target == b.stored_link_target && std::ranges::equal(a.content_hash, b.content_hash);
}

class Planner {
 public:
  Planner(const Manifest& from, const Manifest& to)
      : from_(from), to_(to), old_chunks_(from), new_chunks_(to) {}

  UpdatePlan make() {
    compare_files();
    for (std::size_t i = 0; i < from_.file_count(); ++i) {
      old_chunks_.add_file(static_cast<std::uint32_t>(i));
    }
    old_chunks_.sort();
    new_chunks_.sort();
    make_steps();
    return std::move(plan_);
  }

 private:
  void compare_files() {
    const NameIndex old_files(from_);
    const NameIndex new_files(to_);
    std::size_t old_at = 0;
    std::size_t new_at = 0;
    while (old_at < old_files.size() || new_at < new_files.size()) {
      int order = old_at == old_files.size() ? 1 : -1;
      if (old_at < old_files.size() && new_at < new_files.size()) {
        order = old_files.name(old_at).compare(new_files.name(new_at));
      }
      if (order < 0) {
        plan_.files.push_back({FileChange::removed, old_files.file(old_at++), std::nullopt, false});
        ++plan_.totals.files_removed;
      } else if (order > 0) {
        const auto file = new_files.file(new_at++);
        plan_.files.push_back({FileChange::added, std::nullopt, file, false});
        ++plan_.totals.files_added;
        new_chunks_.add_file(file);
      } else {
        compare_file(old_files.file(old_at++), new_files.file(new_at++));
      }
    }
  }

  void compare_file(std::uint32_t old_file, std::uint32_t new_file) {
    const auto before = from_.file(old_file);
    const auto after = to_.file(new_file);
    if (!same_content(before, after)) {
      const bool keeps = (after.flags & depot_file_flag::user_config) != 0;
      plan_.files.push_back({FileChange::content, old_file, new_file, keeps});
      ++plan_.totals.files_changed;
      if (!keeps) {
        new_chunks_.add_file(new_file);
      }
    } else if (before.flags != after.flags) {
      plan_.files.push_back({FileChange::attributes, old_file, new_file, false});
      ++plan_.totals.files_changed;
    } else {
      ++plan_.totals.files_unchanged;
    }
  }

  /// Both lists are in the order of ids, so one walk over both finds every chunk that is there already.
  void make_steps() {
    const auto& wanted = new_chunks_.list();
    const auto& present = old_chunks_.list();
    auto old = present.begin();
    for (auto next = wanted.begin(); next != wanted.end();) {
      UpdatePlan::Step step;
      step.chunk = new_chunks_.chunk(*next);
      step.first_target = static_cast<std::uint32_t>(plan_.targets.size());
      const auto before = [&](const Occurrence& occurrence) {
        return occurrence.prefix != next->prefix ? occurrence.prefix < next->prefix
                                                 : old_chunks_.chunk(occurrence).id < step.chunk.id;
      };
      while (old != present.end() && before(*old)) {
        ++old;
      }
      if (old != present.end() && same_chunk(old_chunks_.chunk(*old), step.chunk)) {
        step.local = UpdatePlan::Source{old->file, old_chunks_.chunk(*old).offset};
      }
      for (; next != wanted.end() && new_chunks_.chunk(*next).id == step.chunk.id; ++next) {
        plan_.targets.push_back({next->file, new_chunks_.chunk(*next).offset});
      }
      step.target_count = static_cast<std::uint32_t>(plan_.targets.size()) - step.first_target;
      count(step);
      plan_.steps.push_back(step);
    }
    std::sort(plan_.steps.begin(), plan_.steps.end(),
              [this](const UpdatePlan::Step& a, const UpdatePlan::Step& b) {
                const auto& left = plan_.targets[a.first_target];
                const auto& right = plan_.targets[b.first_target];
                return std::tie(left.file, left.offset) < std::tie(right.file, right.offset);
              });
  }

  static bool same_chunk(const Chunk& a, const Chunk& b) noexcept {
    return a.id == b.id && a.size == b.size && a.checksum == b.checksum;
  }

  void count(const UpdatePlan::Step& step) {
    auto& totals = plan_.totals;
    totals.bytes_to_write += std::uint64_t{step.chunk.size} * step.target_count;
    if (step.local) {
      ++totals.chunks_local;
      totals.bytes_local += step.chunk.size;
    } else {
      ++totals.chunks_to_fetch;
      totals.bytes_to_fetch += step.chunk.compressed_size;
    }
  }

  const Manifest& from_;
  const Manifest& to_;
  Occurrences old_chunks_;
  Occurrences new_chunks_;
  UpdatePlan plan_;
};

}  // namespace

Result<UpdatePlan> plan_update(const Manifest& from, const Manifest& to) {
  if (from.info().names_encrypted || to.info().names_encrypted) {
    return fail(Errc::names_encrypted);
  }
  return Planner(from, to).make();
}

Result<UpdatePlan> plan_install(const Manifest& to) {
  return plan_update(Manifest(), to);
}

}  // namespace corliss::content
