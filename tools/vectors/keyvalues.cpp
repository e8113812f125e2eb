#include "vectors/keyvalues.h"

#include "vectors/keyvalues_json.h"

#include <corliss/base/hex.h>
#include <corliss/keyvalues/appinfo.h>
#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/packageinfo.h>
#include <corliss/keyvalues/text.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace corliss::vectors {
namespace {

using namespace keyvalues;
using nlohmann::json;
using nlohmann::ordered_json;

using Input = std::vector<std::uint8_t>;

std::string str(const json& item, const char* key) {
  return item.at(key).get<std::string>();
}

Tree tree_of(const json& value) {
  TreeBuilder builder;
  add_json(builder, ordered_json(value));
  auto tree = builder.finish();
  if (!tree) {
    throw BadVectorFile("not a tree: " + tree.error().message());
  }
  return *std::move(tree);
}

// Why `found` is not the tree of the file; empty where it is.
std::string difference(const json& expected, Node found, bool typed) {
  const Tree tree = tree_of(expected);
  const json found_json = json(tree_to_json(found, typed));
  if (!found.same_as(tree.root()) || found_json != json(tree_to_json(tree.root(), typed))) {
    return "tree is " + found_json.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 200);
  }
  return {};
}

std::string place_text(const ErrorPlace& place) {
  std::string text = "byte " + std::to_string(place.at.offset);
  if (place.at.line != 0) {
    text += ", line " + std::to_string(place.at.line) + ", column " + std::to_string(place.at.column);
  }
  return text;
}

// The verdict of a case: `error` is what reading came to, `why` what is wrong with what was read.
void judge(Report& report, const json& item, const std::string& kind, const std::error_code& error,
           const ErrorPlace& place, const std::string& why) {
  const auto name = kind + " " + str(item, "name");
  const auto expect = str(item, "expect");
  if (expect != "ok" && expect != "reject" && expect != "either") {
    throw BadVectorFile(name + ": expect is neither ok, reject nor either: " + expect);
  }
  if (error) {
    report.expect(expect != "ok", name, "refused at " + place_text(place) + ": " + error.message());
  } else if (expect == "reject") {
    report.expect(false, name, "accepted, to be refused: " + item.value("error", ""));
  } else {
    report.expect(expect == "either" || why.empty(), name, why);
  }
}

template <class Stream>
std::error_code stream_pieces(Stream& stream, ConstBytes input, std::size_t piece) {
  while (!input.empty()) {
    const auto now = input.first(std::min(piece, input.size()));
    if (const auto fed = stream.feed(now); !fed) {
      return fed.error();
    }
    input = input.subspan(now.size());
  }
  const auto finished = stream.finish();
  return finished ? std::error_code() : finished.error();
}

// Reads piece by piece into a tree and compares with what reading the whole came to.
template <class Stream, class Options>
std::string stream_difference(ConstBytes input, const Options& options, const std::error_code& error,
                              Node whole) {
  const std::size_t pieces = std::max<std::size_t>(1, input.size() / 4096);
  TreeBuilder builder;
  Stream stream(builder, options);
  const auto stream_error = stream_pieces(stream, input, pieces);
  if (stream_error != error) {
    return "in pieces: " + (stream_error ? stream_error.message() : "accepted");
  }
  if (error) {
    return {};
  }
  const auto tree = builder.finish();
  if (!tree || !tree->root().same_as(whole)) {
    return "in pieces: another tree";
  }
  return {};
}

std::string rewrite_difference(Node root, const TextOptions& options) {
  if (!root) {
    return {};
  }
  const auto text = write_text(root);
  if (!text) {
    return "cannot be written: " + text.error().message();
  }
  TextOptions escaped = options;
  escaped.escapes = true;
  const auto again = read_text(bytes_of(*text), escaped);
  return again && again->root().same_as(root) ? "" : "written and read it is another tree";
}

std::string rewrite_binary_difference(Node root) {
  const auto bytes = write_binary(root);
  if (!bytes) {
    return "cannot be written: " + bytes.error().message();
  }
  const auto again = read_binary(*bytes);
  return again && again->root().same_as(root) ? "" : "written and read it is another tree";
}

void check_text(Report& report, const json& item, const Input& input, const std::string& kind) {
  TextOptions options;
  options.escapes = item.value("escapes", true);
  ErrorPlace place;
  const auto tree = read_text(input, options, &place);
  const auto error = tree ? std::error_code() : tree.error();
  const Node root = tree ? tree->root() : Node();
  std::string why;
  if (tree && item.contains("tree")) {
    why = difference(item.at("tree"), root, false);
  }
  if (why.empty()) {
    why = stream_difference<TextStream>(input, options, error, root);
  }
  if (why.empty() && tree) {
    why = rewrite_difference(root, options);
  }
  if (error && !why.empty()) {
    report.expect(false, kind + " " + str(item, "name"), why);
    return;
  }
  judge(report, item, kind, error, place, why);
}

void check_binary(Report& report, const json& item, const Input& input, const std::string& kind) {
  ErrorPlace place;
  const auto tree = read_binary(input, {}, &place);
  const auto error = tree ? std::error_code() : tree.error();
  const Node root = tree ? tree->root() : Node();
  std::string why;
  if (tree && item.contains("tree")) {
    why = difference(item.at("tree"), root, true);
    if (const auto consumed = item.value("consumed", tree->consumed()); consumed != tree->consumed()) {
      why = "consumed " + std::to_string(tree->consumed()) + " bytes, not " + std::to_string(consumed);
    }
  }
  if (why.empty()) {
    why = stream_difference<BinaryStream>(input, BinaryOptions{}, error, root);
  }
  if (why.empty() && tree) {
    why = rewrite_binary_difference(root);
  }
  if (error && !why.empty()) {
    report.expect(false, kind + " " + str(item, "name"), why);
    return;
  }
  judge(report, item, kind, error, place, why);
}

std::string times(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

// The input that `generate` describes in words, by the name of the case.
std::optional<std::string> generate_text(const std::string& name) {
  constexpr std::string_view depth = "gen_depth_";
  if (name == "gen_depth_unclosed") {
    return times("\"a\"{", 1'000'000);
  }
  if (name.starts_with(depth) && name.find_first_not_of("0123456789", depth.size()) == std::string::npos) {
    const std::size_t count = std::stoul(name.substr(depth.size()));
    return times("\"a\"{", count) + times("}", count);
  }
  if (name == "gen_long_value") {
    return "\"r\" { \"k\" \"" + times("x", 1'000'000) + "\" }";
  }
  if (name == "gen_long_unquoted") {
    return "r { k " + times("x", 100'000) + " }";
  }
  if (name == "gen_many_siblings") {
    return "\"r\" { " + times("\"k\" \"v\" ", 200'000) + "}";
  }
  if (name == "gen_backslashes") {
    return "\"r\" { \"k\" \"" + times("\\", 1'000'001) + "\" }";
  }
  if (name == "gen_comment_lines") {
    return times("//\n", 500'000) + "\"r\" { }";
  }
  return std::nullopt;
}

std::optional<std::string> generate_binary(const std::string& name) {
  using namespace std::literals;
  if (name == "gen_depth_64") {
    return times("\0a\0"sv, 64) + times("\x08", 65);
  }
  if (name == "gen_depth_1000000") {
    return times("\0a\0"sv, 1'000'000);
  }
  if (name == "gen_long_string") {
    return "\0r\0\1k\0"s + times("x", 1'000'000) + "\0\x08\x08"s;
  }
  return std::nullopt;
}

void check_generated(Report& report, const json& item, const std::optional<std::string>& text,
                     const char* kind,
                     void (*check)(Report&, const json&, const Input&, const std::string&)) {
  if (!text) {
    report.skipped.push_back(std::string(kind) + " " + str(item, "name") +
                             ": no generator of this name here");
    return;
  }
  const auto bytes = bytes_of(*text);
  check(report, item, Input(bytes.begin(), bytes.end()), kind);
}

void check_write(Report& report, const json& item) {
  const auto format = str(item, "format");
  const std::string name = "write " + format + " " + str(item, "name");
  const Tree tree = tree_of(item.at("tree"));
  if (format == "text") {
    const auto text = write_text(tree);
    report.expect(text && *text == str(item, "output"), name,
                  text ? "wrote " + *text : text.error().message());
  } else {
    const auto bytes = write_binary(tree);
    report.expect(bytes && *bytes == bytes_of_hex(item.at("output_hex")), name,
                  bytes ? "wrote " + to_hex(*bytes) : bytes.error().message());
  }
}

// Compares the fields of an entry that the file has.
class Fields {
 public:
  explicit Fields(const json& expected) : expected_(expected) {}
  void number(const char* key, std::uint64_t found) {
    if (const auto field = expected_.find(key); field != expected_.end()) {
      const auto text =
          field->is_string() ? field->get<std::string>() : std::to_string(field->get<std::uint64_t>());
      note(key, text, std::to_string(found));
    }
  }
  void sha1(const char* key, const Sha1Bytes& found) {
    if (const auto field = expected_.find(key); field != expected_.end()) {
      note(key, field->get<std::string>(), to_hex(found));
    }
  }
  void tree(Node found) {
    if (why_.empty()) {
      why_ = difference(expected_.at("tree"), found, true);
    }
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  void note(const char* key, const std::string& expected, const std::string& found) {
    if (expected != found && why_.empty()) {
      why_ = std::string(key) + " is " + found + ", not " + expected;
    }
  }

  const json& expected_;
  std::string why_;
};

Result<std::string> read_appinfo(const json& item, ConstBytes file, ErrorPlace& place) {
  CORLISS_TRY(const auto opened, AppInfo::open(file, {}, &place));
  AppInfoCursor cursor(opened);
  std::string why;
  std::size_t count = 0;
  const json apps = item.value("apps", json::array());
  for (;;) {
    CORLISS_TRY(const auto entry, cursor.next(&place));
    if (!entry) {
      break;
    }
    CORLISS_TRY(const Tree tree, opened.read(*entry, &place));
    if (count < apps.size()) {
      Fields fields(apps[count]);
      fields.number("appid", entry->app_id);
      fields.number("info_state", entry->info_state);
      fields.number("last_updated",
                    static_cast<std::uint64_t>(entry->last_updated.time_since_epoch().count()));
      fields.number("access_token", entry->access_token);
      fields.number("change_number", entry->change_number);
      fields.sha1("sha1_text", entry->text_sha1);
      fields.sha1("sha1_binary", entry->data_sha1.value_or(Sha1Bytes{}));
      fields.tree(tree.root());
      why += fields.why();
    }
    ++count;
  }
  if (item.contains("apps") && count != apps.size()) {
    why = std::to_string(count) + " apps";
  }
  if (item.value("universe", opened.universe()) != opened.universe()) {
    why = "universe is " + std::to_string(opened.universe());
  }
  return why;
}

Result<std::string> read_packageinfo(const json& item, ConstBytes file, ErrorPlace& place) {
  CORLISS_TRY(auto opened, PackageInfo::open(file, {}, &place));
  std::string why;
  std::size_t count = 0;
  const json packages = item.value("packages", json::array());
  Tree tree;
  for (;;) {
    CORLISS_TRY(const auto entry, opened.next(tree, &place));
    if (!entry) {
      break;
    }
    if (count < packages.size()) {
      Fields fields(packages[count]);
      fields.number("packageid", entry->package_id);
      fields.number("change_number", entry->change_number);
      fields.number("access_token", entry->access_token.value_or(0));
      fields.sha1("sha1", entry->sha1);
      fields.tree(tree.root());
      why += fields.why();
    }
    ++count;
  }
  if (item.contains("packages") && count != packages.size()) {
    why = std::to_string(count) + " packages";
  }
  if (item.value("universe", opened.universe()) != opened.universe()) {
    why = "universe is " + std::to_string(opened.universe());
  }
  return why;
}

void check_file(Report& report, const json& item) {
  const auto format = str(item, "format");
  const auto input = bytes_of_hex(item.at("input_hex"));
  ErrorPlace place;
  Result<std::string> read = std::string();
  if (format == "appinfo.vdf") {
    read = read_appinfo(item, input, place);
  } else if (format == "packageinfo.vdf") {
    read = read_packageinfo(item, input, place);
  } else if (format == "shortcuts.vdf") {
    check_binary(report, item, input, "file");
    return;
  } else if (format == "VBKV") {
    const auto tree = read_vbkv(input, {}, &place);
    read = tree ? Result<std::string>(difference(item.value("tree", json()), tree->root(), true))
                : tl::unexpected(tree.error());
  } else {
    report.skipped.push_back("file " + str(item, "name") + ": unknown format " + format);
    return;
  }
  judge(report, item, "file", read ? std::error_code() : read.error(), place, read.value_or(""));
}

Input input_of(const json& item) {
  if (item.contains("input_hex")) {
    return bytes_of_hex(item.at("input_hex"));
  }
  const auto text = str(item, "input");
  const auto bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Report check_keyvalues(const std::filesystem::path& file) {
  const json all = load_json(file);
  const auto section = [&all](const char* name) { return all.value(name, json::array()); };
  Report report;
  for (const json& item : section("text")) {
    check_text(report, item, input_of(item), "text");
  }
  for (const json& item : section("text_generated")) {
    check_generated(report, item, generate_text(str(item, "name")), "text", check_text);
  }
  for (const json& item : section("binary")) {
    check_binary(report, item, input_of(item), "binary");
  }
  for (const json& item : section("binary_generated")) {
    check_generated(report, item, generate_binary(str(item, "name")), "binary", check_binary);
  }
  for (const json& item : section("write")) {
    check_write(report, item);
  }
  for (const json& item : section("files")) {
    check_file(report, item);
  }
  return report;
}

}  // namespace corliss::vectors
