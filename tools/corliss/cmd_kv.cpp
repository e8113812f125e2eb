#include "corliss/check_command.h"
#include "corliss/command.h"
#include "corliss/commands.h"
#include "vectors/keyvalues.h"
#include "vectors/keyvalues_json.h"

#include <corliss/base/endian.h>
#include <corliss/base/hex.h>
#include <corliss/keyvalues/appinfo.h>
#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/packageinfo.h>
#include <corliss/keyvalues/text.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

namespace kv = keyvalues;
using kv::Node;
using kv::Tree;
using nlohmann::ordered_json;

enum class Form { text, binary, json, vbkv, appinfo, packageinfo, package_buffer };

struct Options {
  std::string file;
  std::string to;
  std::string from;
  std::string get;
  std::string conditions;
  std::vector<std::string> symbols;
  bool json = false;
  bool no_escapes = false;
};

// ---- what is it
// --------------------------------------------------------------------------------------------------------------

bool has_magic(ConstBytes input, std::uint32_t magic, std::uint32_t mask) {
  return input.size() >= 4 && (load_le<std::uint32_t>(input.data()) & mask) == magic;
}

/// The u32 of 1 that stands before the tree of a package in product info: as binary KeyValues it would be
/// nonsense.
bool is_package_buffer(ConstBytes input) {
  return input.size() > 6 && has_magic(input, 1, ~0U) && input[4] == 0 && input[5] >= '0' && input[5] <= '9';
}

Form recognise(ConstBytes input) {
  constexpr std::uint32_t any_version = 0xFFFFFF00;
  if (has_magic(input, kv::AppInfo::magic, any_version) || has_magic(input, 0x06564424, ~0U)) {
    return Form::appinfo;
  }
  if (has_magic(input, kv::PackageInfo::magic, any_version)) {
    return Form::packageinfo;
  }
  if (input.size() >= 4 && text_of(input.first(4)) == kv::vbkv_magic) {
    return Form::vbkv;
  }
  if (is_package_buffer(input)) {
    return Form::package_buffer;
  }
  // Text begins with none of these, but for trailing NULs; 10 and 11 are line breaks there and types here.
  if (!input.empty() && (input[0] <= 8 && (input[0] != 0 || input.size() > 1))) {
    return Form::binary;
  }
  const auto first = std::find_if(input.begin(), input.end(), [](std::uint8_t c) { return c > ' '; });
  return first != input.end() && *first == '{' ? Form::json : Form::text;
}

std::optional<Form> form_named(const std::string& name) {
  for (const auto& [form_name, form] :
       {std::pair{"text", Form::text}, std::pair{"binary", Form::binary}, std::pair{"json", Form::json},
        std::pair{"vbkv", Form::vbkv}, std::pair{"appinfo", Form::appinfo},
        std::pair{"packageinfo", Form::packageinfo}, std::pair{"package", Form::package_buffer}}) {
    if (name == form_name) {
      return form;
    }
  }
  return std::nullopt;
}

// ---- errors
// --------------------------------------------------------------------------------------------------------------

std::string place_text(const kv::Place& place) {
  return place.line == 0
             ? fmt::format("byte {}", place.offset)
             : fmt::format("line {}, column {} (byte {})", place.line, place.column, place.offset);
}

[[noreturn]] void refuse(const Options& options, const std::error_code& error, const kv::ErrorPlace& place) {
  std::string text =
      fmt::format("{}: {}: {}", input_name(options.file), place_text(place.at), error.message());
  if (place.opened) {
    text += fmt::format("; the block opened at {}", place_text(*place.opened));
  }
  throw CommandError(exit_of(error), text);
}

template <class T>
T checked(Result<T> result, const Options& options, const kv::ErrorPlace& place) {
  if (!result) {
    refuse(options, result.error(), place);
  }
  if constexpr (!std::is_void_v<T>) {
    return *std::move(result);
  }
}

// ---- output
// --------------------------------------------------------------------------------------------------------------

/// As the text form, in colour: names, strings, numbers and their types.
class ColourWriter final : public kv::Visitor {
 public:
  kv::Next on_block(std::string_view name, const kv::NodeConditions& conditions) override {
    indent();
    put(name_colour, name);
    put_condition(conditions.after_name);
    write_out("\n");
    indent();
    write_out("{\n");
    ++depth_;
    return kv::Next::go_on;
  }
  kv::Next on_leaf(std::string_view name, const kv::Value& value,
                   const kv::NodeConditions& conditions) override {
    indent();
    put(name_colour, name);
    put_condition(conditions.after_name);
    write_out("\t\t");
    if (value.type() == kv::Type::string) {
      put(string_colour, value.string());
    } else {
      write_out(fmt::format("{}{}{} {}{}{}", number_colour, value.text(), plain, dim, type_name(value.type()),
                            plain));
    }
    put_condition(conditions.after_value);
    write_out("\n");
    return kv::Next::go_on;
  }
  kv::Next on_end() override {
    --depth_;
    indent();
    write_out("}\n");
    return kv::Next::go_on;
  }

 private:
  static constexpr const char* name_colour = "\x1b[36m";
  static constexpr const char* string_colour = "\x1b[32m";
  static constexpr const char* number_colour = "\x1b[33m";
  static constexpr const char* dim = "\x1b[2m";
  static constexpr const char* plain = "\x1b[0m";

  void indent() { write_out(std::string(2 * depth_, ' ')); }
  void put_condition(std::string_view text) {
    if (!text.empty()) {
      write_out(fmt::format(" {}[{}]{}", dim, text, plain));
    }
  }
  /// Control characters, the terminal's own commands among them, are shown and not sent.
  void put(const char* colour, std::string_view text) {
    std::string out = colour;
    out += '"';
    for (const char c : text) {
      switch (c) {
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        case '"':
        case '\\':
          out += '\\';
          out += c;
          break;
        default:
          if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
          } else {
            out += c;
          }
      }
    }
    out += '"';
    out += plain;
    write_out(out);
  }

  std::size_t depth_ = 0;
};

enum class Output { pretty, text, binary, json };

void write_node_text(const Options& options, Node node) {
  if (node.is_leaf()) {
    write_out(node.text() + "\n");
    return;
  }
  write_out(checked(kv::write_text(node), options, {}));
}

void write_node(const Options& options, Output output, Node node, bool typed) {
  switch (output) {
    case Output::pretty: {
      ColourWriter writer;
      walk(node, writer);
      break;
    }
    case Output::text:
      write_node_text(options, node);
      break;
    case Output::binary:
      write_out(ConstBytes(checked(kv::write_binary(node), options, {})));
      break;
    case Output::json:
      write_out(
          vectors::tree_to_json(node, typed).dump(2, ' ', false, ordered_json::error_handler_t::replace) +
          "\n");
      break;
  }
}

[[noreturn]] void not_found(const Options& options) {
  throw CommandError(Exit::input_refused,
                     fmt::format("{}: nothing at {}", input_name(options.file), options.get));
}

/// The node that --get means: a path below the root, or one that starts with the root's own name.
Node find(const Options& options, Node root, std::string_view path) {
  if (path.empty()) {
    return root;
  }
  if (const Node found = root.at(path)) {
    return found;
  }
  const auto slash = path.find('/');
  const std::string_view first = path.substr(0, slash);
  const bool is_root = std::equal(first.begin(), first.end(), root.name().begin(), root.name().end(),
                                  [](char a, char b) { return std::tolower(a) == std::tolower(b); });
  const Node found = !is_root                          ? Node()
                     : slash == std::string_view::npos ? root
                                                       : root.at(path.substr(slash + 1));
  if (!found) {
    not_found(options);
  }
  return found;
}

// ---- documents with one tree
// --------------------------------------------------------------------------------------------------------------

kv::Limits file_limits() {
  kv::Limits limits;  // a file of one's own: what memory holds
  limits.max_size = kv::Limits::unlimited;
  limits.max_nodes = kv::Limits::unlimited;
  limits.max_token = kv::Limits::unlimited;
  return limits;
}

Tree read_json(const Options& options, ConstBytes input) {
  kv::Limits limits = file_limits();
  kv::TreeBuilder builder(limits);
  try {
    vectors::add_json(builder, ordered_json::parse(input.begin(), input.end()));
  } catch (const nlohmann::json::exception& error) {
    throw CommandError(Exit::input_refused, fmt::format("{}: neither KeyValues nor JSON: {}",
                                                        input_name(options.file), error.what()));
  } catch (const vectors::BadVectorFile& error) {
    throw CommandError(Exit::input_refused, fmt::format("{}: {}", input_name(options.file), error.what()));
  }
  return checked(builder.finish(), options, {});
}

Tree read_tree(const Options& options, Form form, ConstBytes input, Output output) {
  kv::ErrorPlace place;
  kv::BinaryOptions binary;
  binary.limits = file_limits();
  switch (form) {
    case Form::json:
      return read_json(options, input);
    case Form::vbkv:
      return checked(kv::read_vbkv(input, binary, &place), options, place);
    case Form::package_buffer:
      return checked(kv::read_package_buffer(input, binary.limits, &place), options, place);
    case Form::binary: {
      Tree tree = checked(kv::read_binary(input, binary, &place), options, place);
      if (tree.consumed() != input.size()) {
        fmt::print(stderr, "corliss: {}: {} bytes behind the document, from byte {}, are not read\n",
                   input_name(options.file), input.size() - tree.consumed(), tree.consumed());
      }
      return tree;
    }
    default:
      break;
  }
  kv::TextOptions text;
  text.limits = file_limits();
  text.escapes = !options.no_escapes;
  text.symbols = options.symbols;
  if (!options.symbols.empty()) {
    text.conditions = kv::ConditionMode::evaluate;
  } else if (options.conditions == "keep" || (options.conditions.empty() && output != Output::json)) {
    text.conditions = kv::ConditionMode::keep;
  }
  return checked(kv::read_text(input, text, &place), options, place);
}

// ---- files with many trees
// --------------------------------------------------------------------------------------------------------------

/// One entry of a file, ready for every output.
struct Entry {
  std::uint32_t id;
  ordered_json fields;  // all but the tree
  std::string title;    // for people
};

Entry entry_of(const kv::AppInfoEntry& app) {
  const auto updated = app.last_updated.time_since_epoch().count();
  ordered_json fields{{"appid", app.app_id},
                      {"info_state", app.info_state},
                      {"last_updated", updated},
                      {"access_token", std::to_string(app.access_token)},
                      {"sha1_text", to_hex(app.text_sha1)},
                      {"change_number", app.change_number}};
  if (app.data_sha1) {
    fields["sha1_binary"] = to_hex(*app.data_sha1);
  }
  return {app.app_id, std::move(fields),
          fmt::format("// app {}, change {}, updated {:%Y-%m-%d %H:%M:%S} UTC\n", app.app_id,
                      app.change_number, fmt::gmtime(static_cast<std::time_t>(updated)))};
}

Entry entry_of(const kv::PackageInfoEntry& package) {
  ordered_json fields{{"packageid", package.package_id},
                      {"sha1", to_hex(package.sha1)},
                      {"change_number", package.change_number}};
  if (package.access_token) {
    fields["access_token"] = std::to_string(*package.access_token);
  }
  return {package.package_id, std::move(fields),
          fmt::format("// package {}, change {}\n", package.package_id, package.change_number)};
}

/// Prints the entries one by one, or of them the one that --get names.
class EntryPrinter {
 public:
  EntryPrinter(const Options& options, Output output, std::string format, const char* list)
      : options_(options), output_(output), format_(std::move(format)), list_(list) {
    if (options.get.empty()) {
      if (output == Output::binary) {
        throw CommandError(Exit::usage,
                           fmt::format("{}: many trees do not make one binary document; choose one: "
                                       "--get ID",
                                       input_name(options.file)));
      }
      return;
    }
    const auto slash = options.get.find('/');
    const std::string id = options.get.substr(0, slash);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error != std::errc{} || end != id.data() + id.size()) {
      throw CommandError(Exit::usage,
                         fmt::format("--get {}: in {} a path starts with an id, such as 480/common/name",
                                     options.get, format_));
    }
    wanted_ = number;
    path_ = slash == std::string::npos ? "" : options.get.substr(slash + 1);
  }

  void begin(std::uint32_t version, std::uint32_t universe) {
    if (output_ == Output::json && !wanted_) {
      write_out(fmt::format("{{\"format\": \"{}\", \"version\": {}, \"universe\": {}, \"{}\": [", format_,
                            version, universe, list_));
    }
  }
  [[nodiscard]] bool wants(std::uint32_t id) const { return !wanted_ || *wanted_ == id; }
  void print(Entry entry, const Tree& tree) {
    if (wanted_) {
      write_node(options_, output_, find(options_, tree.root(), path_), true);
      found_ = true;
    } else if (output_ == Output::json) {
      entry.fields["tree"] = vectors::tree_to_json(tree.root(), true);
      write_out(std::string(found_ ? "," : "") + "\n" +
                entry.fields.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
      found_ = true;
    } else {
      write_out(entry.title);
      write_node(options_, output_, tree.root(), true);
    }
  }
  [[nodiscard]] bool done() const { return wanted_ && found_; }
  void end() {
    if (wanted_ && !found_) {
      not_found(options_);
    }
    if (output_ == Output::json && !wanted_) {
      write_out("\n]}\n");
    }
  }

 private:
  const Options& options_;
  Output output_;
  std::string format_;
  const char* list_;
  std::optional<std::uint32_t> wanted_;
  std::string path_;
  bool found_ = false;
};

void show_appinfo(const Options& options, ConstBytes input, Output output) {
  EntryPrinter printer(options, output, "appinfo.vdf", "apps");
  kv::ErrorPlace place;
  const auto file = checked(kv::AppInfo::open(input, file_limits(), &place), options, place);
  printer.begin(file.version(), file.universe());
  kv::AppInfoCursor cursor(file);
  Tree tree;
  while (!printer.done()) {
    const auto entry = checked(cursor.next(&place), options, place);
    if (!entry) {
      break;
    }
    if (printer.wants(entry->app_id)) {
      checked(file.read_into(tree, *entry, &place), options, place);
      printer.print(entry_of(*entry), tree);
    }
  }
  printer.end();
}

void show_packageinfo(const Options& options, ConstBytes input, Output output) {
  EntryPrinter printer(options, output, "packageinfo.vdf", "packages");
  kv::ErrorPlace place;
  auto file = checked(kv::PackageInfo::open(input, file_limits(), &place), options, place);
  printer.begin(file.version(), file.universe());
  Tree tree;
  while (!printer.done()) {
    const auto entry = checked(file.next(tree, &place), options, place);
    if (!entry) {
      break;
    }
    if (printer.wants(entry->package_id)) {
      printer.print(entry_of(*entry), tree);
    }
  }
  printer.end();
}

Output output_of(const Options& options) {
  if (options.json || options.to == "json") {
    return Output::json;
  }
  if (options.to == "binary") {
    return Output::binary;
  }
  if (options.to == "text") {
    return Output::text;
  }
  return use_colour(stdout) && options.get.empty() ? Output::pretty : Output::text;
}

void show(const Options& options) {
  const auto input = read_input(options.file);
  const Form form = options.from.empty() ? recognise(input) : *form_named(options.from);
  const Output output = output_of(options);
  if (form == Form::appinfo) {
    show_appinfo(options, input, output);
    return;
  }
  if (form == Form::packageinfo) {
    show_packageinfo(options, input, output);
    return;
  }
  const Tree tree = read_tree(options, form, input, output);
  const bool typed = form != Form::text && form != Form::json;
  if (options.get.empty() && output == Output::text) {
    write_out(checked(kv::write_text(tree), options, {}));
    return;
  }
  write_node(options, output, find(options, tree.root(), options.get), typed);
}

}  // namespace

void add_kv(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App& command = add_command(
      app, "kv",
      "KeyValues (.vdf, .acf, appinfo.vdf, packageinfo.vdf, shortcuts.vdf) in every form, recognised by "
      "content",
      {"corliss kv appinfo.vdf --get 480/common/name   # one value; of many trees the id comes first",
       "corliss kv shortcuts.vdf --json   # without loss: name, children, value, type",
       "corliss kv appinfo.vdf --get 480 --to text   # the app as Steam sends it",
       "corliss kv shortcuts.vdf --json | corliss kv - --to binary   # and back, byte for byte",
       "corliss kv config.vdf --define LINUX --define POSIX   # conditions such as [$LINUX] evaluated"});
  command.add_option("FILE", options->file, "the file; - is standard input")->type_name("");
  command
      .add_option(
          "--to", options->to,
          "the form to write: text (what Steam sends; types go), binary (conditions go) or json (a node is "
          "{name, value, type} or {name, children}; bytes that are no UTF-8 in name_hex and value_hex); "
          "without it text, in colour on a terminal")
      ->check(CLI::IsMember({"json", "text", "binary"}))
      ->type_name("FORM");
  command.add_flag("--json", options->json, "the same as --to json");
  command
      .add_option(
          "--from", options->from,
          "the form that the file has, where its first bytes mislead: text, binary, json, vbkv, appinfo, "
          "packageinfo or package (a package's buffer of product info)")
      ->check(CLI::IsMember({"text", "binary", "json", "vbkv", "appinfo", "packageinfo", "package"}))
      ->type_name("FORM");
  command
      .add_option(
          "--get", options->get,
          "only the node at this path below the root, names without regard to case: common/name; in "
          "appinfo.vdf and packageinfo.vdf the id comes first: 480/common/name. Of a leaf the bare value")
      ->type_name("PATH");
  command
      .add_option(
          "--define", options->symbols,
          "evaluate conditions, with this symbol defined and all that are not named false; may be repeated")
      ->type_name("SYM")
      ->allow_extra_args(false);
  command
      .add_option(
          "--conditions", options->conditions,
          "without --define: keep conditions in what is written, or ignore them (default: ignore in JSON)")
      ->check(CLI::IsMember({"keep", "ignore"}))
      ->type_name("keep|ignore");
  command.add_flag("--no-escapes", options->no_escapes, "text: a backslash is an ordinary character");
  add_check(command, "keyvalues.json", vectors::check_keyvalues);
  command.callback([options, &command] {
    if (!command.get_subcommands().empty()) {
      return;
    }
    if (options->file.empty()) {
      throw CommandError(Exit::usage, "kv: FILE is missing; see corliss kv --help");
    }
    show(*options);
  });
}

}  // namespace corliss::tools
