#include "corliss/folder_check.h"

#include "corliss/command.h"
#include "corliss/parallel.h"

#include <corliss/crypto/hash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace corliss::tools {
namespace {

constexpr std::size_t read_size = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool valid() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// Checks one entry; differences are collected in the order in which they are found.
class EntryCheck {
 public:
  EntryCheck(const content::Manifest& manifest, std::size_t index, int root,
             const FolderCheckOptions& options, std::atomic<std::uint64_t>& done)
      : file_(manifest.file(index)),
        path_(safe_path(manifest, index)),
        root_(root),
        options_(options),
        done_(done) {
    if (file_.is_link()) {
      const auto target = manifest.safe_link_target(index);
      target_ = target ? target->text() : std::string();
    }
  }

  void run() {
    std::string leaf;
    if (!open_parent(leaf)) {
      return;
    }
    struct stat status {};
    if (::fstatat(parent(), leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      errno == ENOENT ? differ("missing", "missing") : differ("unreadable", std::strerror(errno));
    } else if (file_.is_link()) {
      check_link(leaf, status);
    } else if (file_.is_directory()) {
      if (!S_ISDIR(status.st_mode)) {
        differ("kind", "is no folder");
      }
    } else {
      check_file(leaf, status);
    }
  }

  std::vector<FolderDifference> differences;
  std::uint64_t bytes = 0;
  bool users_file = false;

 private:
  static std::string safe_path(const content::Manifest& manifest, std::size_t index) {
    const auto path = manifest.safe_path(index);
    if (!path) {
      throw CommandError(exit_of(path.error()), path.error().message());
    }
    return path->text();
  }

  void differ(std::string what, std::string text) {
    differences.push_back({path_, std::move(what), std::move(text)});
  }

  [[nodiscard]] int parent() const noexcept { return parent_.valid() ? parent_.get() : root_; }

  /// Opens the folders on the way one by one, none of them through a link.
  bool open_parent(std::string& leaf) {
    std::string_view rest = path_;
    for (auto end = rest.find('/'); end != std::string_view::npos; end = rest.find('/')) {
      const std::string component(rest.substr(0, end));
      rest.remove_prefix(end + 1);
      Descriptor next(::openat(parent(), component.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!next.valid()) {
        if (errno == ENOENT) {
          differ("missing", "missing, with the folder " + component);
        } else if (errno == ELOOP || errno == ENOTDIR) {
          differ("kind",
                 fmt::format("{} on the way to it is a link or no folder, and is not followed", component));
        } else {
          differ("unreadable", std::strerror(errno));
        }
        return false;
      }
      parent_ = std::move(next);
    }
    leaf = rest;
    return true;
  }

  void check_link(const std::string& leaf, const struct stat& status) {
    if (!S_ISLNK(status.st_mode)) {
      differ("kind", "is no link");
      return;
    }
    if (target_.empty()) {
      return;  // version 4 does not say where a link points
    }
    std::array<char, content::max_path_size + 1> target{};
    const auto size = ::readlinkat(parent(), leaf.c_str(), target.data(), target.size());
    if (size < 0) {
      differ("unreadable", std::strerror(errno));
    } else if (std::string_view(target.data(), static_cast<std::size_t>(size)) != target_) {
      differ("link", fmt::format("points elsewhere than to {}", target_));
    }
  }

  void check_file(const std::string& leaf, const struct stat& status) {
    if (!S_ISREG(status.st_mode)) {
      differ("kind", "is no regular file");
      return;
    }
    if ((file_.flags & content::depot_file_flag::user_config) != 0) {
      users_file = true;
      return;
    }
    const bool executable = (status.st_mode & S_IXUSR) != 0;
    if (executable != file_.is_executable()) {
      differ("mode", executable ? "is executable and should not be" : "is not executable");
    }
    if (static_cast<std::uint64_t>(status.st_size) != file_.size) {
      differ("size", fmt::format("has {} bytes instead of {}", status.st_size, file_.size));
      if (!options_.chunks) {
        return;
      }
    }
    if (file_.size == 0) {
      return;
    }
    const Descriptor file(::openat(parent(), leaf.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.valid()) {
      differ("unreadable", std::strerror(errno));
      return;
    }
    std::uint64_t covered = 0;
    for (const auto& chunk : file_.chunks) {
      covered += chunk.size;
    }
    if (options_.chunks) {
      check_chunks(file.get());
    }
    // Chunks that fill the file say all that the hash of the whole says.
    if (!options_.chunks || covered != file_.size) {
      const auto hash = hash_range(file.get(), 0, file_.size);
      if (hash &&
          !std::equal(hash->begin(), hash->end(), file_.content_hash.begin(), file_.content_hash.end())) {
        differ("content", "has other bytes");
      }
    }
  }

  void check_chunks(int file) {
    std::vector<content::Chunk> chunks(file_.chunks.begin(), file_.chunks.end());
    std::sort(chunks.begin(), chunks.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    for (const auto& chunk : chunks) {
      const auto hash = hash_range(file, chunk.offset, chunk.size);
      if (!hash) {
        return;
      }
      if (*hash != chunk.id.bytes()) {
        differ("chunk", fmt::format("{} bytes at {} differ (chunk {})", chunk.size, chunk.offset,
                                    to_string(chunk.id)));
      }
    }
  }

  /// The SHA-1 of a part of the file, as far as the file goes; nothing where it cannot be read.
  std::optional<crypto::Sha1Digest> hash_range(int file, std::uint64_t at, std::uint64_t size) {
    thread_local crypto::Sha1 sha1;
    thread_local std::vector<std::uint8_t> buffer(read_size);
    while (size > 0) {
      const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer.size()));
      const auto got = ::pread(file, buffer.data(), want, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        differ("unreadable", std::strerror(errno));
        (void)sha1.finish();
        return std::nullopt;
      }
      if (got == 0) {
        break;
      }
      const auto count = static_cast<std::size_t>(got);
      sha1.update(ConstBytes(buffer).first(count));
      at += count;
      size -= count;
      bytes += count;
      done_ += count;
    }
    return sha1.finish();
  }

  const content::ManifestFile file_;
  const std::string path_;
  std::string target_;
  const int root_;
  const FolderCheckOptions& options_;
  std::atomic<std::uint64_t>& done_;
  Descriptor parent_;
};

}  // namespace

FolderReport check_folder(const content::Manifest& manifest, const std::string& folder,
                          const FolderCheckOptions& options) {
  const Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) {
    throw CommandError(Exit::local_io, fmt::format("{}: {}", folder, std::strerror(errno)));
  }
  // The largest first, so that no thread is left alone with one in the end.
  std::vector<std::size_t> order(manifest.file_count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return manifest.file(a).size > manifest.file(b).size;
  });

  std::uint64_t total = 0;
  for (const auto index : order) {
    total += manifest.file(index).size;
  }
  std::vector<std::vector<FolderDifference>> differences(order.size());
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> users_files = 0;
  parallel_for(order.size(), options.threads, "verifying", total,
               [&](std::size_t at, std::atomic<std::uint64_t>& done) {
                 EntryCheck check(manifest, order[at], root.get(), options, done);
                 check.run();
                 bytes += check.bytes;
                 users_files += check.users_file ? 1 : 0;
                 differences[order[at]] = std::move(check.differences);
               });

  FolderReport report;
  report.entries = order.size();
  report.bytes = bytes;
  report.users_files = users_files;
  for (auto& list : differences) {
    std::move(list.begin(), list.end(), std::back_inserter(report.differences));
  }
  return report;
}

}  // namespace corliss::tools
