#include "corliss/reference.h"

#include "corliss/command.h"

#include <fmt/format.h>

namespace corliss::tools {
namespace {

/// Text for roff: backslashes, hyphens and leading dots keep their meaning.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string option_head(const CLI::Option& option) {
  if (option.get_positional()) {
    const std::string name = option.get_name(true);
    return fmt::format("\\fI{}\\fR{}", roff(name), option.get_items_expected_max() > 1 ? "..." : "");
  }
  std::string head = fmt::format("\\fB{}\\fR", roff(option.get_name(false, true)));
  if (option.get_items_expected_max() > 0) {
    head += fmt::format(" \\fI{}\\fR", roff(option.get_type_name()));
  }
  return head;
}

bool is_hidden(const CLI::App& app) {
  return app.get_group().empty();
}

void man_of_command(std::string& out, const CLI::App& app, const std::string& path) {
  const auto subcommands = app.get_subcommands([](const CLI::App* sub) { return !is_hidden(*sub); });
  out += fmt::format(".SS \"{}\"\n{}.\n", roff(path), roff(app.get_description()));
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name() == "--help" || option->get_name() == "--version") {
      continue;
    }
    out += fmt::format(".TP\n{}\n{}\n", option_head(*option), roff(option->get_description()));
  }
  if (const std::string footer = app.get_footer(); !footer.empty()) {
    out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(footer));
  }
  for (const CLI::App* sub : subcommands) {
    man_of_command(out, *sub, path + " " + sub->get_name());
  }
}

std::string man_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH CORLISS 1 \"\" \"corliss {}\" \"User Commands\"\n.SH NAME\ncorliss \\- the Steam network: "
      "packets, formats, "
      "tools that work offline\n.SH SYNOPSIS\n\\fBcorliss\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... "
      "[\\fIFILE\\fR]...\n.SH DESCRIPTION\n",
      CORLISS_VERSION);
  out +=
      "Data goes to standard output, with \\fB\\-\\-json\\fR as JSON; progress and errors go to standard "
      "error. The input\n"
      "\\fB\\-\\fR is standard input. \\fBNO_COLOR\\fR turns colour off; \\fBCORLISS_KERNEL\\fR names the "
      "fastest packet\n"
      "kernel that may be used.\n.SH COMMANDS\n";
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App* s) { return !is_hidden(*s); })) {
    man_of_command(out, *sub, "corliss " + sub->get_name());
  }
  out +=
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\ninput refused: malformed, unauthenticated, failed "
      "verification\n.TP\n2\n"
      "wrong usage\n.TP\n3\nnetwork: unreachable, closed, timed out\n.TP\n4\nrefused by the "
      "server\n.TP\n5\nlocal "
      "input or output\n.TP\n130\ninterrupted\n";
  return out;
}

/// What may follow a command: two `case` arms each, one to walk the command line, one with its words.
struct CompletionArms {
  std::string walk;
  std::string words;
};

void arms_of_command(CompletionArms& out, const CLI::App& app, const std::string& path) {
  std::string commands;
  const auto subcommands = app.get_subcommands([](const CLI::App* sub) { return !is_hidden(*sub); });
  for (const CLI::App* sub : subcommands) {
    commands += sub->get_name() + " ";
  }
  std::string options;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      options += "--" + name + " ";
    }
  }
  out.words += fmt::format("    '{}') commands='{}' options='{}' ;;\n", path, commands, options);
  for (const CLI::App* sub : subcommands) {
    const std::string below = path + " " + sub->get_name();
    out.walk += fmt::format("      '{}') path='{}' ;;\n", below, below);
    arms_of_command(out, *sub, below);
  }
}

std::string bash_completion(const CLI::App& app) {
  CompletionArms arms;
  arms_of_command(arms, app, "corliss");
  return fmt::format(R"(# bash completion for corliss; made by the build from the command line itself
_corliss() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path=corliss commands='' options='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
{}      *) ;;
    esac
  done
  case "$path" in
{}  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current"; compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _corliss corliss
)",
                     arms.walk, arms.words);
}

}  // namespace

void add_reference(CLI::App& app) {
  CLI::App& reference = *app.add_subcommand("reference", "print the man page or the bash completion");
  reference.group("");
  reference.require_subcommand(1);
  reference.add_subcommand("man", "the man page, as roff")->callback([&app] { write_out(man_page(app)); });
  reference.add_subcommand("bash", "the bash completion")->callback([&app] {
    write_out(bash_completion(app));
  });
}

}  // namespace corliss::tools
