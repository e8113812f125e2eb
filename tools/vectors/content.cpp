#include "vectors/content.h"

#include <corliss/base/hex.h>
#include <corliss/base/secret.h>
#include <corliss/content/chunk.h>
#include <corliss/content/manifest.h>

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

namespace corliss::vectors {
namespace {

using content::ChunkDecoder;
using content::Manifest;
using content::PathRules;
using content::PathVerdict;
using nlohmann::json;

/// The key of a case; nothing where it is not 32 bytes, which every decoder refuses.
std::optional<Secret<32>> key_of(const json& test) {
  const auto bytes = bytes_of_hex(test.at("key"));
  if (bytes.size() != 32) {
    return std::nullopt;
  }
  return Secret<32>(std::span<const std::uint8_t, 32>(bytes));
}

/// A manifest in the form of the vectors.
json tree_of(const Manifest& manifest) {
  const auto& info = manifest.info();
  json files = json::array();
  for (std::size_t i = 0; i < manifest.file_count(); ++i) {
    const auto file = manifest.file(i);
    json chunks = json::array();
    for (const auto& chunk : file.chunks) {
      chunks.push_back({{"id", content::to_string(chunk.id)},
                        {"checksum", chunk.checksum},
                        {"offset", chunk.offset},
                        {"cb_original", chunk.size},
                        {"cb_compressed", chunk.compressed_size}});
    }
    files.push_back({{"name", file.stored_name},
                     {"size", file.size},
                     {"flags", file.flags},
                     {"sha_filename", to_hex(file.name_hash)},
                     {"sha_content", to_hex(file.content_hash)},
                     {"link_target", file.stored_link_target},
                     {"chunks", std::move(chunks)}});
  }
  return {{"depot_id", info.depot.value()},
          {"gid", std::to_string(info.id.value())},
          {"creation_time", info.created.time_since_epoch().count()},
          {"total_uncompressed", info.total_size},
          {"total_compressed", info.total_compressed_size},
          {"crc_encrypted", info.crc_encrypted},
          {"crc_clear", info.crc_clear},
          {"files", std::move(files)}};
}

/// The first place where two trees differ, as a JSON pointer and both values.
std::string difference(const json& wanted, const json& got) {
  const auto patch = json::diff(wanted, got);
  if (patch.empty()) {
    return {};
  }
  const auto& first = patch.front();
  return first.at("path").get<std::string>() + ": " + first.at("op").get<std::string>() + " " +
         first.value("value", json()).dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 200);
}

class ManifestCase {
 public:
  ManifestCase(const json& test, const std::filesystem::path& folder, Report& report)
      : test_(test), name_(test.at("name").get<std::string>()), report_(report) {
    input_ = load_bytes(folder / test.at("file").get<std::string>());
  }

  void run() {
    ++report_.cases;
    const auto expect = test_.at("expect").get<std::string>();
    auto manifest = Manifest::parse(input_);
    if (!manifest) {
      check(expect != "ok", "refused: " + manifest.error().message());
      return;
    }
    if (expect == "reject") {
      check(false, "accepted; expected " + test_.value("reason", "a refusal"));
      return;
    }
    check(manifest->info().names_encrypted == test_.at("filenames_encrypted").get<bool>(),
          "names_encrypted is " + std::string(manifest->info().names_encrypted ? "true" : "false"));
    check_rewrite(*manifest);
    const auto decrypt = test_.value("decrypt", "");
    if (!decrypt.empty()) {
      check_decrypt(*manifest, decrypt == "ok");
    }
    if (test_.contains("manifest")) {
      const auto place = difference(test_.at("manifest"), tree_of(*manifest));
      check(place.empty(), "the tree differs at " + place);
    }
  }

 private:
  void check(bool good, const std::string& why) {
    if (!good) {
      report_.fail(name_, why);
    }
  }

  void check_decrypt(Manifest& manifest, bool wanted) {
    const auto key = key_of(test_);
    if (!key) {
      check(!wanted, "the key is not 32 bytes");
      return;
    }
    content::ManifestFault fault;
    crypto::DepotCipher cipher(key->reveal());
    const auto before = manifest.write();
    const auto result = manifest.decrypt_names(cipher, PathRules::posix(), &fault);
    if (result.has_value() != wanted) {
      check(false,
            result ? "names decrypted; expected a failure" : "decrypting: " + result.error().message());
    }
    if (!result) {
      check(manifest.info().names_encrypted && manifest.write() == before,
            "a failed decryption changed the manifest");
      return;
    }
    check_rewrite(manifest);
    for (std::size_t i = 0; i < manifest.file_count(); ++i) {
      check(manifest.safe_path(i).has_value(),
            "no safe path for " + std::string(manifest.file(i).stored_name));
    }
  }

  /// The links of version 4; version 5 refuses such.
  static bool has_link_without_target(const Manifest& manifest) {
    for (std::size_t i = 0; i < manifest.file_count(); ++i) {
      const auto file = manifest.file(i);
      if (file.is_link() && file.stored_link_target.empty()) {
        return true;
      }
    }
    return false;
  }

  /// Writing, reading and writing again gives the same tree and the same bytes.
  void check_rewrite(const Manifest& manifest) {
    if (has_link_without_target(manifest)) {
      return;
    }
    const auto written = manifest.write();
    const auto again = Manifest::parse(written);
    if (!again) {
      check(false, "written and read again: " + again.error().message());
      return;
    }
    auto wanted = tree_of(manifest);
    auto got = tree_of(*again);
    for (auto* tree : {&wanted, &got}) {
      tree->erase("crc_clear");
      tree->erase("crc_encrypted");
    }
    check(difference(wanted, got).empty(),
          "written and read again, the tree differs at " + difference(wanted, got));
    check(again->write() == written, "written twice, the bytes differ");
  }

  const json& test_;
  std::string name_;
  Report& report_;
  std::vector<std::uint8_t> input_;
};

void run_path(const json& test, Report& report) {
  const auto path = test.at("path").get<std::string>();
  const bool wanted = test.at("accept").get<bool>();
  const auto platform = test.value("platform", "");
  const auto shown = test.at("path").dump().substr(0, 60);
  const auto run = [&](const char* name, const PathRules& rules) {
    const auto verdict = content::check_name(path, false, rules);
    report.expect((verdict == PathVerdict::accepted) == wanted, "path " + shown,
                  std::string(name) + " rules: " + std::string(content::describe(verdict)));
    const auto safe = content::SafePath::make(path, false, rules);
    report.expect(safe.has_value() == wanted, "path " + shown, "SafePath disagrees with the verdict");
  };
  if (platform != "windows") {
    run("POSIX", PathRules::posix());
  }
  if (platform != "posix") {
    run("Windows", PathRules::for_windows());
  }
}

std::string_view name_of(content::ChunkContainer container) {
  switch (container) {
    case content::ChunkContainer::zip:
      return "pkzip";
    case content::ChunkContainer::lzma:
      return "vza";
    case content::ChunkContainer::zstd:
      return "vsza";
  }
  return "";
}

void run_chunk(const json& test, const std::filesystem::path& folder, Report& report) {
  ++report.cases;
  const auto name = test.at("name").get<std::string>();
  const auto expect = test.at("expect").get<std::string>();
  auto body = load_bytes(folder / test.at("file").get<std::string>());
  content::ChunkSpec spec;
  spec.size = test.at("cb_original").get<std::uint32_t>();
  spec.compressed_size = test.at("cb_compressed").get<std::uint32_t>();
  spec.checksum = test.at("checksum").get<std::uint32_t>();
  const auto id = content::ChunkId::parse(test.at("chunk_id").get<std::string>());
  if (!id) {
    throw BadVectorFile(name + ": chunk_id is no SHA-1");
  }
  spec.id = *id;
  const auto key = key_of(test);
  if (!key) {
    if (expect == "ok") {
      report.fail(name, "the key is not 32 bytes");
    }
    return;
  }
  ChunkDecoder decoder(key->reveal());
  std::vector<std::uint8_t> plain(std::min(spec.size, content::max_chunk_size));
  const auto result = decoder.decode(body, spec, plain);
  if (!result) {
    if (expect == "ok") {
      report.fail(name, "refused: " + result.error().message());
    }
    return;
  }
  if (expect == "reject") {
    report.fail(name, "accepted; expected " + test.value("reason", "a refusal"));
    return;
  }
  if (test.contains("container") && test.at("container") != name_of(*result)) {
    report.fail(name, "the container is " + std::string(name_of(*result)));
  }
  if (test.contains("plaintext_file") &&
      load_bytes(folder / test.at("plaintext_file").get<std::string>()) != plain) {
    report.fail(name, "the plain bytes differ");
  }
}

template <class Run>
void for_each(const json& list, Run run) {
  for (const auto& test : list) {
    run(test);
  }
}

/// Turns the JSON library's errors into ours.
template <class Run>
Report run_file(const std::filesystem::path& path, Run run) {
  const auto file = load_json(path);
  Report report;
  try {
    run(file, report);
  } catch (const json::exception& error) {
    throw BadVectorFile(path.string() + ": " + error.what());
  }
  return report;
}

}  // namespace

Report check_manifests(const std::filesystem::path& path) {
  return run_file(path, [&path](const json& file, Report& report) {
    for_each(file.at("cases"),
             [&](const json& test) { ManifestCase(test, path.parent_path(), report).run(); });
    if (file.contains("paths")) {
      for_each(file.at("paths"), [&](const json& test) { run_path(test, report); });
    }
  });
}

Report check_chunks(const std::filesystem::path& path) {
  return run_file(path, [&path](const json& file, Report& report) {
    for_each(file.at("cases"), [&](const json& test) { run_chunk(test, path.parent_path(), report); });
  });
}

}  // namespace corliss::vectors
