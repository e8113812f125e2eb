#include "content/manifest_data.h"
#include "content/text_order.h"
#include "content/utf8.h"

#include <algorithm>

namespace corliss::content::detail {
namespace {

constexpr char separator_key = '\x01';  // sorts before every byte that an accepted name has

bool is_link(const FileRecord& file) noexcept {
  return (file.flags & depot_file_flag::symlink) != 0 || file.link_target.size != 0;
}

bool is_directory(const FileRecord& file) noexcept {
  return (file.flags & depot_file_flag::directory) != 0 && !is_link(file);
}

/// Appends the form of `name` that equal paths have in common.
void append_key(std::string& out, std::string_view name, const PathRules& rules) {
  if (!rules.ignore_case) {
    const auto at = static_cast<std::ptrdiff_t>(out.size());
    out += name;
    std::transform(out.begin() + at, out.end(), out.begin() + at,
                   [](char c) { return c == '\\' || c == '/' ? separator_key : c; });
    return;
  }
  while (!name.empty()) {
    const char c = name.front();
    if (c == '\\' || c == '/') {
      out += separator_key;
    } else if (const auto point = decode_utf8(name); point.length > 1) {
      const auto folded = fold_case(point.value);
      // Every letter that fold_case changes is below U+0800: two bytes, before and after.
      if (folded != point.value) {
        out += static_cast<char>(0xc0 | (folded >> 6));
        out += static_cast<char>(0x80 | (folded & 0x3f));
      } else {
        out += name.substr(0, point.length);
      }
      name.remove_prefix(point.length);
      continue;
    } else {
      out += static_cast<char>(fold_case(static_cast<unsigned char>(c)));
    }
    name.remove_prefix(1);
  }
}

/// The rules that hold between entries (8 to 10), and links that lead through other links.
class PathSet {
 public:
  PathSet(std::vector<FileRecord>& files, std::string_view names, const PathRules& rules)
      : files_(files), names_(names), rules_(rules) {
    keys_.reserve(names.size());
    slices_.reserve(files.size());
    entries_.reserve(files.size());
    for (std::uint32_t i = 0; i < files_.size(); ++i) {
      if (files_[i].verdict == PathVerdict::accepted) {
        add(i);
      }
    }
    order_ = text_order(keys_, slices_);
  }

  void judge() {
    judge_parents();
    for (const auto entry : entries_) {
      auto& file = files_[entry];
      if (is_link(file) && file.verdict == PathVerdict::accepted) {
        file.verdict = judge_link(file);
      }
    }
  }

 private:
  void add(std::uint32_t index) {
    const auto begin = static_cast<std::uint32_t>(keys_.size());
    append_key(keys_, text_at(names_, files_[index].name), rules_);
    if (keys_.back() == separator_key) {
      keys_.pop_back();
    }
    slices_.push_back({begin, static_cast<std::uint32_t>(keys_.size()) - begin});
    entries_.push_back(index);
  }

  [[nodiscard]] std::string_view key(std::uint32_t i) const noexcept { return text_at(keys_, slices_[i]); }
  [[nodiscard]] FileRecord& file(std::uint32_t i) noexcept { return files_[entries_[i]]; }

  /// In key order all that lies below an entry follows it at once, so one walk with a stack sees every
  /// parent.
  void judge_parents() {
    struct Parent {
      std::string_view key;
      PathVerdict verdict;  ///< Of what lies below it.
    };
    std::vector<Parent> parents;
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const auto name = key(order_[at]);
      FileRecord& entry = file(order_[at]);
      if (at > 0 && key(order_[at - 1]) == name) {
        const auto& twin = file(order_[at - 1]);
        entry.verdict = same_text(entry, twin) ? PathVerdict::duplicate : PathVerdict::duplicate_by_case;
        continue;
      }
      const auto is_below = [name](const Parent& parent) {
        return name.size() > parent.key.size() && name[parent.key.size()] == separator_key &&
               name.starts_with(parent.key);
      };
      while (!parents.empty() && !is_below(parents.back())) {
        parents.pop_back();
      }
      auto below = PathVerdict::accepted;
      if (!parents.empty() && parents.back().verdict != PathVerdict::accepted) {
        entry.verdict = below = parents.back().verdict;
      } else if (is_link(entry)) {
        below = PathVerdict::below_link;
      } else if (!is_directory(entry)) {
        below = PathVerdict::below_file;
      }
      parents.push_back({name, below});
    }
  }

  /// Whether two names are equal but for the kind of separator.
  [[nodiscard]] bool same_text(const FileRecord& a, const FileRecord& b) const {
    const auto plain = [this](const FileRecord& file) {
      std::string out;
      append_key(out, text_at(names_, file.name), PathRules::posix());
      if (out.back() == separator_key) {
        out.pop_back();
      }
      return out;
    };
    return plain(a) == plain(b);
  }

  [[nodiscard]] const FileRecord* find(std::string_view wanted) noexcept {
    const auto found =
        std::lower_bound(order_.begin(), order_.end(), wanted,
                         [this](std::uint32_t i, std::string_view text) { return key(i) < text; });
    return found != order_.end() && key(*found) == wanted ? &file(*found) : nullptr;
  }

  /// `..` behind a link of this manifest goes to the parent of wherever that link points, not of where it
  /// lies: two links that stay inside alone can leave together.
  [[nodiscard]] PathVerdict judge_link(const FileRecord& link) {
    std::string target;
    append_key(target, text_at(names_, link.link_target), rules_);
    if (target.find("..") == std::string::npos) {
      return PathVerdict::accepted;
    }
    std::string path;
    append_key(path, text_at(names_, link.name), rules_);
    const auto leave = [&path] {
      path.resize(path.rfind(separator_key) == std::string::npos ? 0 : path.rfind(separator_key));
    };
    leave();
    bool through_link = false;
    for (std::string_view rest = target; !rest.empty();) {
      const auto size = std::min(rest.find(separator_key), rest.size());
      const auto component = rest.substr(0, size);
      rest.remove_prefix(std::min(size + 1, rest.size()));
      if (component == "..") {
        if (through_link) {
          return PathVerdict::link_escapes;
        }
        leave();
      } else if (component != ".") {
        path += path.empty() ? "" : "\x01";
        path += component;
        const auto* entry = find(path);
        through_link = through_link || (entry != nullptr && is_link(*entry));
      }
    }
    return PathVerdict::accepted;
  }

  std::vector<FileRecord>& files_;
  std::string_view names_;
  PathRules rules_;
  std::string keys_;
  std::vector<Slice> slices_;
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::size_t ManifestSteps::judge_paths(std::vector<FileRecord>& files, std::string_view names,
                                       const PathRules& rules) {
  for (auto& file : files) {
    const auto name = text_at(names, file.name);
    file.verdict = check_name(name, is_directory(file), rules);
    if (file.verdict == PathVerdict::accepted && file.link_target.size != 0) {
      file.verdict = check_link(name, text_at(names, file.link_target), rules);
    }
  }
  PathSet(files, names, rules).judge();
  return static_cast<std::size_t>(std::count_if(files.begin(), files.end(), [](const FileRecord& file) {
    return file.verdict != PathVerdict::accepted;
  }));
}

Result<void> ManifestSteps::first_refusal(const std::vector<FileRecord>& files, ManifestFault* fault) {
  for (const auto& file : files) {
    if (file.verdict != PathVerdict::accepted) {
      note_fault(fault, 0, file.ordinal, file.verdict);
      return to_result(file.verdict);
    }
  }
  return {};
}

}  // namespace corliss::content::detail
