#include "corliss/key_log.h"

#include "corliss/command.h"

#include <corliss/base/hex.h>
#include <corliss/crypto/hash.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace corliss::tools {

KeyLogFile::KeyLogFile(std::string path) : path_(std::move(path)) {
  constexpr mode_t owner_only = 0600;
  descriptor_ =
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, owner_only);
  if (descriptor_ < 0) {
    const char* cause = errno == ELOOP ? "is a symbolic link, which is not followed" : std::strerror(errno);
    throw CommandError(Exit::local_io, fmt::format("--keylog {}: {}", path_, cause));
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    ::close(descriptor_);
    throw CommandError(Exit::local_io,
                       fmt::format("--keylog {}: must be a plain file that only its owner may read", path_));
  }
  fmt::print(stderr,
             "corliss: warning: session keys are written to {}; whoever reads it reads the connections\n",
             path_);
}

KeyLogFile::~KeyLogFile() {
  ::close(descriptor_);
}

void KeyLogFile::add(std::string line) noexcept {
  line += '\n';
  // One call, so that lines of several processes do not mix.
  const ssize_t written = ::write(descriptor_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    error_ = written < 0 ? errno : ENOSPC;
  }
  wipe({reinterpret_cast<std::uint8_t*>(line.data()), line.size()});
}

void KeyLogFile::check() const {
  if (error_ != 0) {
    throw CommandError(Exit::local_io, fmt::format("--keylog {}: {}", path_, std::strerror(error_)));
  }
}

net::KeyLog KeyLogFile::channel(const std::shared_ptr<KeyLogFile>& file) {
  return [file](ConstBytes rsa_blob, std::span<const std::uint8_t, crypto::session_key_size> session_key) {
    file->add(
        fmt::format("CHANNEL_SESSION_KEY {} {}", to_hex(crypto::sha256(rsa_blob)), to_hex(session_key)));
  };
}

io::TlsKeyLog KeyLogFile::tls(const std::shared_ptr<KeyLogFile>& file) {
  return [file](std::string_view line) { file->add(std::string(line)); };
}

}  // namespace corliss::tools
