#include "corliss/check_command.h"
#include "corliss/command.h"
#include "corliss/commands.h"
#include "corliss/folder_check.h"
#include "corliss/manifest_view.h"
#include "vectors/content.h"

#include <corliss/content/manifest.h>
#include <corliss/content/manifest_diff.h>
#include <corliss/crypto/depot_cipher.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

using content::Manifest;
using content::PathRules;

struct ManifestOptions {
  std::vector<std::string> files;
  std::string depot_key;
  std::string paths = "posix";
  std::string out;
  bool json = false;
  bool chunks = false;
  bool any_path = false;
  bool ignore_crc = false;
  unsigned threads = 0;
};

/// Reads a manifest and decrypts its names where there is a key. Names of a plain or decrypted one are
/// checked, unless `any_path`. Throws CommandError with file, entry and cause.
class ManifestLoader {
 public:
  explicit ManifestLoader(const ManifestOptions& options) : options_(options) {
    if (!options.depot_key.empty()) {
      const auto key = read_key("--depot-key", options.depot_key);
      cipher_.emplace(key.reveal());
    }
  }

  Manifest load(const std::string& file) {
    const auto input = read_input(file);
    content::ManifestFault fault;
    content::ManifestParseOptions parse;
    parse.rules = rules();
    parse.refuse_wrong_crc = !options_.ignore_crc;
    parse.fault = &fault;
    auto manifest = Manifest::parse(input, parse);
    if (!manifest) {
      refuse(file, manifest.error(), fault);
    }
    if (manifest->info().names_encrypted && cipher_) {
      if (const auto decrypted = manifest->decrypt_names(*cipher_, rules(), &fault); !decrypted) {
        refuse(file, decrypted.error(), fault);
      }
    }
    if (options_.any_path && !manifest->info().names_encrypted) {
      (void)manifest->check_paths(*wanted_rules());
    }
    return *std::move(manifest);
  }

 private:
  [[nodiscard]] std::optional<PathRules> wanted_rules() const {
    return options_.paths == "windows" ? PathRules::for_windows() : PathRules::posix();
  }
  [[nodiscard]] std::optional<PathRules> rules() const {
    return options_.any_path ? std::nullopt : wanted_rules();
  }

  [[noreturn]] static void refuse(const std::string& file, const std::error_code& error,
                                  const content::ManifestFault& fault) {
    std::string text = fmt::format("{}: {}", input_name(file), error.message());
    if (fault.verdict != content::PathVerdict::unchecked) {
      text += fmt::format(": {}", content::describe(fault.verdict));
    }
    if (fault.file != content::ManifestFault::no_file) {
      text += fmt::format(" (entry {}", fault.file);
      text += fault.offset != 0 ? fmt::format(", byte {})", fault.offset) : ")";
    } else if (fault.offset != 0) {
      text += fmt::format(" (byte {})", fault.offset);
    }
    throw CommandError(exit_of(error), text);
  }

  const ManifestOptions& options_;
  std::optional<crypto::DepotCipher> cipher_;
};

void show(const ManifestOptions& options) {
  if (!options.out.empty() && options.files.size() != 1) {
    throw CommandError(Exit::usage, "--out takes one manifest");
  }
  ManifestLoader loader(options);
  for (const auto& file : options.files) {
    const auto manifest = loader.load(file);
    if (!options.out.empty()) {
      write_file(options.out, manifest.write());
    }
    if (options.json) {
      auto value = to_json(manifest);
      value["file"] = file;
      write_json(value, options.files.size() == 1);
    } else {
      write_out(options.files.size() > 1 ? input_name(file) + ":\n" : "");
      write_out(to_text(manifest, options.chunks));
    }
  }
}

void diff(const ManifestOptions& options) {
  ManifestLoader loader(options);
  const auto from = loader.load(options.files.at(0));
  const auto to = loader.load(options.files.at(1));
  const auto plan = content::plan_update(from, to);
  if (!plan) {
    throw CommandError(Exit::usage, plan.error().message() + ": --depot-key");
  }
  if (options.json) {
    write_json(to_json(*plan, from, to));
  } else {
    write_out(to_text(*plan, from, to, use_colour(stdout)));
  }
}

void verify_folder(const ManifestOptions& options, const std::string& file, const std::string& folder) {
  const auto manifest = ManifestLoader(options).load(file);
  if (manifest.info().names_encrypted) {
    throw CommandError(Exit::usage,
                       fmt::format("{}: its names are encrypted: --depot-key", input_name(file)));
  }
  const auto report = check_folder(manifest, folder, {options.chunks, options.threads});
  if (options.json) {
    auto differences = nlohmann::json::array();
    for (const auto& difference : report.differences) {
      differences.push_back(
          {{"name", difference.name}, {"what", difference.what}, {"text", difference.text}});
    }
    write_json({{"file", file},
                {"folder", folder},
                {"entries", report.entries},
                {"bytes", report.bytes},
                {"users_files", report.users_files},
                {"differences", std::move(differences)}});
  } else {
    for (const auto& difference : report.differences) {
      write_out(fmt::format("{}: {}\n", printable(difference.name), printable(difference.text)));
    }
    write_out(fmt::format("{} entries, {} read, {} differences", report.entries, human_size(report.bytes),
                          report.differences.size()));
    write_out(report.users_files > 0
                  ? fmt::format(", {} of the user's own not looked at\n", report.users_files)
                  : "\n");
  }
  if (!report.differences.empty()) {
    throw Finished{Exit::input_refused};
  }
}

/// One manifest and a folder: the folder is checked. Else the manifests themselves.
void verify(const ManifestOptions& options) {
  std::vector<std::string> files = options.files;
  const auto is_folder = [](const std::string& file) {
    return file != "-" && std::filesystem::is_directory(file);
  };
  const auto folder = std::find_if(files.begin(), files.end(), is_folder);
  if (folder != files.end()) {
    const std::string path = *folder;
    files.erase(folder);
    if (files.size() != 1) {
      throw CommandError(Exit::usage, "a folder is checked against one manifest: verify MANIFEST FOLDER");
    }
    verify_folder(options, files[0], path);
    return;
  }
  ManifestLoader loader(options);
  for (const auto& file : files) {
    const auto manifest = loader.load(file);
    if (options.json) {
      write_json({{"file", file},
                  {"depot_id", manifest.info().depot.value()},
                  {"gid", std::to_string(manifest.info().id.value())},
                  {"files", manifest.file_count()},
                  {"names_checked", !manifest.info().names_encrypted}},
                 files.size() == 1);
    } else {
      write_out(fmt::format("{}: good, {} entries{}\n", input_name(file), manifest.file_count(),
                            manifest.info().names_encrypted ? ", names encrypted and not checked" : ""));
    }
  }
}

void add_common(CLI::App& command, const std::shared_ptr<ManifestOptions>& options) {
  command.add_option("--depot-key", options->depot_key, std::string("decrypt names; ") + key_help);
  command
      .add_option("--paths", options->paths, "the rules for names: posix, or windows (reserved names, case)")
      ->check(CLI::IsMember({"posix", "windows"}))
      ->capture_default_str();
  command.add_flag("--ignore-crc", options->ignore_crc, "take a payload whose CRC is wrong");
  command.add_flag("--json", options->json, "print JSON");
}

}  // namespace

void add_manifest(CLI::App& app) {
  auto& command = add_command(app, "manifest", "depot manifests: show, compare, verify");
  command.require_subcommand(1);

  auto options = std::make_shared<ManifestOptions>();
  auto& show_command =
      add_command(command, "show", "list the files of manifests (v5 or v4, zipped or bare)",
                  {"corliss manifest show 441_123.manifest --depot-key @depot_441.key   # names decrypted",
                   "corliss manifest show old.manifest --out new.manifest   # written again as v5"});
  show_command.add_option("FILE", options->files, "manifests; - is standard input")->required();
  add_common(show_command, options);
  show_command.add_flag("--chunks", options->chunks, "list the chunks of each file");
  show_command.add_flag("--any-path", options->any_path,
                        "show unsafe names, marked, instead of refusing the manifest");
  show_command.add_option("--out", options->out,
                          "write the manifest again, as v5, with names as they are now");
  show_command.callback([options] { show(*options); });

  options = std::make_shared<ManifestOptions>();
  auto& diff_command =
      add_command(command, "diff", "what an update from one manifest to another has to do",
                  {"corliss manifest diff old.manifest new.manifest --depot-key @depot_441.key"});
  diff_command.add_option("FILE", options->files, "the old and the new manifest")->required()->expected(2);
  add_common(diff_command, options);
  diff_command.callback([options] { diff(*options); });

  options = std::make_shared<ManifestOptions>();
  auto& verify_command = add_command(
      command, "verify", "check manifests, or an installed folder against one",
      {"corliss manifest verify 441_123.manifest   # the manifest itself",
       "corliss manifest verify 441_123.manifest ~/games/tf2 --chunks   # the folder: sizes, modes, SHA-1"});
  verify_command.add_option("FILE", options->files, "manifests; or one manifest and a folder")->required();
  add_common(verify_command, options);
  verify_command.add_flag("--chunks", options->chunks, "with a folder: name the chunks that differ");
  verify_command.add_option("--threads", options->threads,
                            "with a folder: threads that read; 0: one for each CPU");
  verify_command.callback([options] { verify(*options); });

  add_check(command, "tests/data/content/manifests.json", vectors::check_manifests);
}

}  // namespace corliss::tools
