#include "bench/peers.h"

#include "bench/message.h"
#include "bench/packet_arena.h"

#include <corliss/base/hex.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace corliss::bench {
namespace {

using nlohmann::json;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) {
      throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_read();
    close_write();
  }
  [[nodiscard]] int read_end() const noexcept { return ends_[0]; }
  [[nodiscard]] int write_end() const noexcept { return ends_[1]; }
  void close_read() noexcept { close_end(ends_[0]); }
  void close_write() noexcept { close_end(ends_[1]); }

 private:
  static void close_end(int& end) noexcept {
    if (end >= 0) {
      ::close(end);
      end = -1;
    }
  }
  int ends_[2] = {-1, -1};
};

/// A program that dies must not take us with it when we write to it.
class IgnoreSigpipe {
 public:
  IgnoreSigpipe() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoreSigpipe() { std::signal(SIGPIPE, before_); }
  IgnoreSigpipe(const IgnoreSigpipe&) = delete;
  IgnoreSigpipe& operator=(const IgnoreSigpipe&) = delete;

 private:
  void (*before_)(int);
};

/// Gives `input` to a program and returns what it prints. It reads everything before it answers.
std::string run(std::vector<std::string> words, const std::string& input) {
  Pipe to;
  Pipe from;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.read_end(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from.write_end(), STDOUT_FILENO);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw std::runtime_error("cannot run " + words[0] + ": " + std::strerror(failed) +
                             "; install it, or leave out --peers");
  }
  to.close_read();
  from.close_write();
  const IgnoreSigpipe guard;
  for (std::size_t done = 0; done < input.size();) {
    const auto n = ::write(to.write_end(), input.data() + done, input.size() - done);
    if (n < 0 && errno != EINTR) {
      break;  // it ended early; its exit status says so
    }
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  to.close_write();
  std::string output;
  char buffer[65536];
  for (;;) {
    const auto n = ::read(from.read_end(), buffer, sizeof buffer);
    if (n > 0) {
      output.append(buffer, static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      break;
    }
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(words[0] + " failed; its message is above");
  }
  return output;
}

bool has_peers(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "package-lock.json", ignored);
}

Spread spread_of(const json& value) {
  return {value.at("median").get<double>(), value.at("min").get<double>(), value.at("max").get<double>()};
}

void check_sealed(const SessionKey& key, ConstBytes message, const std::string& sealed_hex) {
  const auto sealed = from_hex(sealed_hex);
  if (!sealed || sealed->size() < 32 ||
      *sealed != reference_packet(key, message, reference_nonce(key, *sealed))) {
    throw WrongResult("steam-crypto seal: a packet of " + std::to_string(message.size()) +
                      " bytes is sealed wrongly");
  }
}

}  // namespace

std::filesystem::path find_peers() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (has_peers(folder / "bench/peers")) {
      return folder / "bench/peers";
    }
  }
  const auto here = std::filesystem::current_path(ignored) / "bench/peers";
  return has_peers(here) ? here : std::filesystem::path();
}

std::vector<PacketRow> run_peers(const PacketOptions& options, const std::filesystem::path& folder) {
  if (folder.empty()) {
    throw std::runtime_error("bench/peers is not found; run the command from the project's folder");
  }
  if (!std::filesystem::exists(folder / "node_modules")) {
    // Its output belongs to people, and so on standard error.
    run({"sh", "-c", "cd \"$1\" && exec npm ci --ignore-scripts --no-audit --no-fund >&2", "sh",
         folder.string()},
        {});
  }
  const auto key = session_key(0);
  json packets = json::array();
  for (const std::size_t size : options.sizes) {
    const auto message = product_info_message(size);
    packets.push_back(
        {{"plain", to_hex(message)}, {"packet", to_hex(reference_packet(key, message, {1, 2, 3}))}});
  }
  // Half as long again goes to warm up: the first calls of a script are interpreted.
  const int milliseconds = options.quick ? 1200 / static_cast<int>(2 * options.sizes.size()) : 3000;
  const json input{{"key", to_hex(key)}, {"milliseconds", milliseconds}, {"packets", std::move(packets)}};
  const auto output = json::parse(run({"node", (folder / "steam-crypto.js").string()}, input.dump()));
  std::vector<PacketRow> rows;
  for (const auto& line : output.at("rows")) {
    PacketRow row;
    row.op = line.at("op");
    row.impl = "steam-crypto";
    row.kernel = output.at("version");
    row.size = line.at("size");
    row.ns_per_packet = spread_of(line.at("ns_per_packet"));
    if (line.contains("sealed")) {
      check_sealed(key, product_info_message(row.size), line.at("sealed"));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace corliss::bench
