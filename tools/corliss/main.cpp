#include "corliss/command.h"
#include "corliss/commands.h"
#include "corliss/reference.h"

#include <corliss/crypto/errc.h>
#include <corliss/crypto/kernel.h>

#include <csignal>
#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <unistd.h>

namespace corliss::tools {
namespace {

extern "C" void end_interrupted(int) {
  ::_exit(static_cast<int>(Exit::interrupted));
}

int report(Exit code, const std::string& text) {
  fmt::print(stderr, "corliss: {}\n", text);
  return static_cast<int>(code);
}

/// A usage error: the parser's first line, and where help is.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "corliss";
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  const std::string text = error.what();
  return report(Exit::usage, fmt::format("{}; see {} --help", text.substr(0, text.find('\n')), command));
}

/// A kernel that does not exist or that this CPU lacks: wrong usage, with what there is.
int report_kernel(const std::error_code& error) {
  std::string names;
  for (const auto& kernel : crypto::kernels()) {
    if (kernel.supported) {
      names += fmt::format(" {}", kernel.name);
    }
  }
  const char* variable = std::getenv("CORLISS_KERNEL");
  return report(Exit::usage, fmt::format("{} (CORLISS_KERNEL is {}); this CPU has:{}", error.message(),
                                         variable == nullptr ? "not set" : variable, names));
}

int run(int argc, char** argv) {
  CLI::App app("The Steam network in C++: packets, formats, tools that work offline.", "corliss");
  app.set_version_flag("--version", "corliss " CORLISS_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  add_commands(app);
  add_reference(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    fmt::print("{}\n", app.version());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      return report_usage(app, error);
    }
    app.exit(error);
  } catch (const Finished& finished) {
    return std::fflush(stdout) == 0 ? static_cast<int>(finished.code)
                                    : report(Exit::local_io, "standard output: cannot be written");
  } catch (const CommandError& error) {
    std::fflush(stdout);
    return report(error.code(), error.what());
  } catch (const std::system_error& error) {
    if (error.code() == crypto::Errc::kernel_unknown || error.code() == crypto::Errc::kernel_unsupported) {
      return report_kernel(error.code());
    }
    return report(exit_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return report(Exit::local_io, "out of memory");
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return report(Exit::local_io, "standard output: cannot be written");
  }
  return static_cast<int>(Exit::done);
}

}  // namespace
}  // namespace corliss::tools

int main(int argc, char** argv) {
  std::signal(SIGINT, corliss::tools::end_interrupted);
  std::signal(SIGTERM, corliss::tools::end_interrupted);
  return corliss::tools::run(argc, argv);
}
