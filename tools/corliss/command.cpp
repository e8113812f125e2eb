#include "corliss/command.h"

#include <corliss/base/fault.h>
#include <corliss/base/hex.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace corliss::tools {
namespace {

/// A file descriptor that closes itself, unless it was somebody else's.
class Descriptor {
 public:
  Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (owned_ && fd_ >= 0) {
      ::close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

[[noreturn]] void io_error(const std::string& what, int error) {
  throw CommandError(Exit::local_io, what + ": " + std::strerror(error));
}

std::vector<std::uint8_t> read_all(int fd, const std::string& name, std::size_t limit) {
  std::vector<std::uint8_t> out;
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    out.reserve(std::min<std::size_t>(static_cast<std::size_t>(status.st_size), limit) + 1);
  }
  for (;;) {
    const std::size_t at = out.size();
    out.resize(std::max<std::size_t>(out.capacity(), at + 65536));
    const ssize_t got = ::read(fd, out.data() + at, out.size() - at);
    if (got < 0 && errno != EINTR) {
      const int error = errno;
      wipe(out);
      io_error(name, error);
    }
    out.resize(at + static_cast<std::size_t>(got > 0 ? got : 0));
    if (out.size() > limit) {
      wipe(out);
      throw CommandError(Exit::local_io, fmt::format("{}: larger than {}", name, human_size(limit)));
    }
    if (got == 0) {
      return out;
    }
  }
}

/// The key in `text`: 64 hex digits, perhaps a line end after them; or 32 raw bytes.
Secret<32> key_of(std::string_view text, bool raw_allowed, const std::string& option, const char* where) {
  Secret<32> key;
  if (raw_allowed && text.size() == key.size()) {
    const auto raw = bytes_of(text);
    std::copy(raw.begin(), raw.end(), key.reveal().begin());
    return key;
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  if (!from_hex(text, key.reveal())) {
    throw CommandError(Exit::usage,
                       fmt::format("{}: the key in {} is not 64 hexadecimal digits", option, where));
  }
  return key;
}

Secret<32> key_of_descriptor(int fd, bool owned, const std::string& option, const std::string& name) {
  const Descriptor descriptor(fd, owned);
  auto text = read_all(fd, name, 4096);
  struct Wiper {
    std::vector<std::uint8_t>& bytes;
    ~Wiper() { wipe(bytes); }
  } wiper{text};
  return key_of(text_of(text), true, option, name.c_str());
}

}  // namespace

Exit exit_of(const std::error_code& error) noexcept {
  if (error == Fault::closed || error == Fault::timeout) {
    return Exit::network;
  }
  if (error == Fault::refused) {
    return Exit::server_refused;
  }
  if (error == Fault::local) {
    return Exit::local_io;
  }
  return Exit::input_refused;
}

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::vector<std::string>& examples) {
  CLI::App& command = *parent.add_subcommand(name, description);
  if (!examples.empty()) {
    std::string footer = "Examples:";
    for (const auto& example : examples) {
      footer += "\n  " + example;
    }
    command.footer(footer);
  }
  return command;
}

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::vector<std::uint8_t> read_input(const std::string& path) {
  const bool standard = path == "-";
  const Descriptor descriptor(standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                              !standard);
  if (descriptor.get() < 0) {
    io_error(path, errno);
  }
  return read_all(descriptor.get(), input_name(path), max_input_size);
}

Secret<32> read_key(const std::string& option, const std::string& spec) {
  if (spec.starts_with("@")) {
    const std::string path = spec.substr(1);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      io_error(option + ": " + path, errno);
    }
    return key_of_descriptor(fd, true, option, path);
  }
  if (spec.starts_with("fd:")) {
    int fd = -1;
    const char* end = spec.data() + spec.size();
    const auto [stop, error] = std::from_chars(spec.data() + 3, end, fd);
    if (error != std::errc() || stop != end || fd < 0) {
      throw CommandError(Exit::usage, option + ": fd:N needs the number of an open descriptor");
    }
    return key_of_descriptor(fd, false, option, spec);
  }
  if (spec.starts_with("env:")) {
    const char* text = std::getenv(spec.c_str() + 4);
    if (text == nullptr) {
      throw CommandError(Exit::usage, fmt::format("{}: the environment has no {}", option, spec.substr(4)));
    }
    return key_of(text, false, option, spec.c_str());
  }
  return key_of(spec, false, option, "the argument (HEX, @FILE, fd:N or env:NAME)");
}

void write_out(ConstBytes bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    io_error("standard output", errno);
  }
}

void write_out(std::string_view text) {
  write_out(bytes_of(text));
}

void write_json(const nlohmann::json& value, bool pretty) {
  write_out(value.dump(pretty ? 2 : -1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void write_file(const std::string& path, ConstBytes bytes) {
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC), true);
  if (file.get() < 0) {
    io_error(path, errno);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  bool good = ::fchmod(file.get(), 0666 & ~mask) == 0;
  while (good && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    good = written > 0;
    bytes = bytes.subspan(static_cast<std::size_t>(good ? written : 0));
  }
  if (!good || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    io_error(path, error);
  }
}

bool use_colour(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && term != nullptr && std::string_view(term) != "dumb" &&
         ::isatty(::fileno(stream)) != 0;
}

Progress::Progress(std::string label, std::uint64_t total)
    : label_(std::move(label)), total_(total), terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (drawn_) {
    std::fputs("\r\033[K", stderr);
  }
}

void Progress::update(std::uint64_t done) {
  using Clock = std::chrono::steady_clock;
  if (!terminal_) {
    return;
  }
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
  if (drawn_ && now - last_drawn_ < 100) {
    return;
  }
  last_drawn_ = now;
  drawn_ = true;
  constexpr std::uint64_t width = 30;
  const std::uint64_t filled = total_ == 0 ? width : std::min(width, done * width / total_);
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  fmt::print(stderr, "\r\033[K{} [{}] {}%", label_, bar, total_ == 0 ? 100 : done * 100 / total_);
}

std::string human_size(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace corliss::tools
