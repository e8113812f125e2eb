#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/secret.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

/// What the commands of `corliss` share. One command, one file `cmd_<name>.cpp`, which defines
/// `void add_<name>(CLI::App& app)` and has its line in `commands.h`.
namespace corliss::tools {

/// Exit codes of every command.
enum class Exit : int {
  done = 0,
  input_refused = 1,   ///< malformed, unauthenticated, failed verification
  usage = 2,           ///< wrong usage
  network = 3,         ///< unreachable, closed, timed out
  server_refused = 4,  ///< the server said no; its EResult is printed
  local_io = 5,        ///< a file, pipe or memory of this machine
  interrupted = 130,
};

/// Ends the command: `main` prints `corliss: <text>` as one line on standard error and exits with `code`.
/// The text says what, where (file, byte offset), what to do.
class CommandError : public std::runtime_error {
 public:
  CommandError(Exit code, const std::string& text) : std::runtime_error(text), code_(code) {}
  Exit code() const noexcept { return code_; }

 private:
  Exit code_;
};

/// Ends the command with an exit code when everything to be said was printed already.
struct Finished {
  Exit code;
};

/// The exit code for a library error: by its Fault.
Exit exit_of(const std::error_code& error) noexcept;

/// Adds a subcommand with a one-line description and examples, each "COMMAND LINE   # what it does", shown by
/// --help and in the man page.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::vector<std::string>& examples = {});

// ---- input
// -----------------------------------------------------------------------------------------------------------

/// Largest input file that a command reads whole, 2 GiB.
inline constexpr std::size_t max_input_size = std::size_t{2} << 30;

/// The whole of a file, or of standard input for "-". Throws CommandError (local_io) with the path and the
/// cause.
std::vector<std::uint8_t> read_input(const std::string& path);

/// The name of an input for messages: the path, or "standard input" for "-".
std::string input_name(const std::string& path);

/// A 32-byte key from what `--key` and the like take: 64 hex digits, `@FILE` (32 raw bytes or 64 hex digits),
/// `fd:N`, or `env:NAME` (hex). Throws CommandError (usage for a bad form, local_io for an unreadable file);
/// the key itself is in no message.
Secret<32> read_key(const std::string& option, const std::string& spec);

/// The help text of such an option.
inline constexpr const char* key_help =
    "the 32-byte key: HEX (visible to other users: for test keys), @FILE, fd:N or env:NAME";

// ---- output
// ----------------------------------------------------------------------------------------------------------

/// Standard output. Throw CommandError (local_io) where it cannot be written.
void write_out(ConstBytes bytes);
void write_out(std::string_view text);
/// One JSON value and a newline on standard output. Invalid UTF-8 is shown as U+FFFD.
void write_json(const nlohmann::json& value, bool pretty = true);
/// Writes a whole file, through a temporary file beside it and a rename. Throws CommandError (local_io).
void write_file(const std::string& path, ConstBytes bytes);

/// Whether colour is wanted there: a terminal, no NO_COLOR, TERM other than dumb.
bool use_colour(std::FILE* stream);

/// A progress line on standard error, drawn only on a terminal and at most ten times a second. One thread.
class Progress {
 public:
  Progress(std::string label, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::uint64_t done);

 private:
  std::string label_;
  std::uint64_t total_;
  std::int64_t last_drawn_ = 0;
  bool terminal_;
  bool drawn_ = false;
};

/// "1.5 MiB", "670 B".
std::string human_size(std::uint64_t bytes);

}  // namespace corliss::tools
