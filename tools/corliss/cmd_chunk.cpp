#include "corliss/check_command.h"
#include "corliss/command.h"
#include "corliss/commands.h"
#include "corliss/parallel.h"
#include "vectors/content.h"

#include <corliss/base/hex.h>
#include <corliss/content/chunk.h>
#include <corliss/crypto/checksum.h>
#include <corliss/crypto/depot_cipher.h>
#include <corliss/crypto/hash.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

struct ChunkOptions {
  std::vector<std::string> files;
  std::string depot_key;
  std::optional<std::uint32_t> checksum;
  std::optional<std::uint32_t> size;
  std::string sha1;
  std::string out;
  bool json = false;
  unsigned threads = 0;
};

struct Outcome {
  std::vector<std::uint8_t> plain;
  std::size_t body_size = 0;
  content::ChunkContainer container{};
  std::string error;
  Exit exit = Exit::done;
};

/// 40 hexadecimal digits in a file's name, which is how chunks are named.
std::optional<content::ChunkId> id_in_name(const std::string& path) {
  const auto name = std::filesystem::path(path).filename().string();
  const auto is_hex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  for (auto begin = name.begin(); begin != name.end();) {
    begin = std::find_if(begin, name.end(), is_hex);
    const auto end = std::find_if_not(begin, name.end(), is_hex);
    if (end - begin == 40) {
      return *content::ChunkId::parse({&*begin, 40});
    }
    begin = end;
  }
  return std::nullopt;
}

class ChunkFiles {
 public:
  explicit ChunkFiles(const ChunkOptions& options)
      : options_(options), key_(read_key("--depot-key", options.depot_key)) {
    if (!options.sha1.empty()) {
      const auto id = content::ChunkId::parse(options.sha1);
      if (!id) {
        throw CommandError(Exit::usage, "--sha1: needs 40 hexadecimal digits");
      }
      id_ = *id;
    }
  }

  Outcome decode(const std::string& file) const {
    Outcome outcome;
    try {
      auto body = read_input(file);
      outcome.body_size = body.size();
      decode(file, body, outcome);
    } catch (const CommandError& error) {
      outcome.error = error.what();
      outcome.exit = error.code();
    }
    return outcome;
  }

 private:
  void decode(const std::string& file, Bytes body, Outcome& outcome) const {
    content::ChunkDecoder decoder(key_.reveal());
    crypto::DepotCipher cipher(key_.reveal());
    const auto container = require(file, cipher.open(body), ConstBytes());
    content::ChunkSpec spec;
    spec.size = options_.size ? *options_.size
                              : require(file, content::ChunkDecoder::claimed_size(container), container);
    spec.checksum = options_.checksum;
    spec.id = id_ ? id_ : id_in_name(file);
    outcome.plain.resize(std::min(spec.size, content::max_chunk_size));
    outcome.container = require(file, decoder.unpack(container, spec, outcome.plain), container);
  }

  template <class T>
  static T require(const std::string& file, Result<T> result, ConstBytes container) {
    if (result) {
      return *std::move(result);
    }
    auto text = fmt::format("{}: {}", input_name(file), result.error().message());
    if (result.error() == content::Errc::unknown_container) {
      text += fmt::format(" (it begins with {})",
                          to_hex(container.first(std::min<std::size_t>(container.size(), 4))));
    }
    throw CommandError(exit_of(result.error()), text);
  }

  const ChunkOptions& options_;
  Secret<32> key_;
  std::optional<content::ChunkId> id_;
};

nlohmann::json to_json(const std::string& file, const Outcome& outcome) {
  return {{"file", file},
          {"container", content::to_string(outcome.container)},
          {"cb_compressed", outcome.body_size},
          {"cb_original", outcome.plain.size()},
          {"checksum", crypto::adler32(outcome.plain, crypto::adler32_depot_seed)},
          {"sha1", to_hex(crypto::sha1(outcome.plain))}};
}

void decode_one(const ChunkOptions& options) {
  const auto& file = options.files[0];
  const auto outcome = ChunkFiles(options).decode(file);
  if (outcome.exit != Exit::done) {
    throw CommandError(outcome.exit, outcome.error);
  }
  if (!options.out.empty()) {
    write_file(options.out, outcome.plain);
  }
  if (options.json) {
    write_json(to_json(file, outcome));
  } else if (options.out.empty()) {
    write_out(outcome.plain);
  }
}

/// Several chunks: decoded on all CPUs, a line for each, written only into a folder.
void decode_many(const ChunkOptions& options) {
  if (!options.sha1.empty() || options.checksum) {
    throw CommandError(Exit::usage, "--sha1 and --checksum are those of one chunk; give one file");
  }
  if (!options.out.empty() && !std::filesystem::is_directory(options.out)) {
    throw CommandError(Exit::usage, "--out: several chunks need an existing folder");
  }
  const ChunkFiles chunks(options);
  std::vector<Outcome> outcomes(options.files.size());
  std::vector<nlohmann::json> lines(options.files.size());
  parallel_for(options.files.size(), options.threads, "decoding", options.files.size(),
               [&](std::size_t i, std::atomic<std::uint64_t>& done) {
                 auto outcome = chunks.decode(options.files[i]);
                 if (outcome.exit == Exit::done) {
                   lines[i] = to_json(options.files[i], outcome);
                   if (!options.out.empty()) {
                     const auto name = lines[i].at("sha1").get<std::string>();
                     write_file((std::filesystem::path(options.out) / name).string(), outcome.plain);
                   }
                 }
                 outcome.plain = {};
                 outcomes[i] = std::move(outcome);
                 ++done;
               });
  auto worst = Exit::done;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].exit != Exit::done) {
      std::fprintf(stderr, "corliss: %s\n", outcomes[i].error.c_str());
      worst = std::max(worst, outcomes[i].exit);
    } else if (options.json) {
      write_json(lines[i], false);
    } else {
      write_out(fmt::format("{}  {:>8} of {:>8} bytes  {}  {}\n", lines[i].at("sha1").get<std::string>(),
                            lines[i].at("cb_compressed").get<std::uint64_t>(),
                            lines[i].at("cb_original").get<std::uint64_t>(),
                            lines[i].at("container").get<std::string>(), options.files[i]));
    }
  }
  if (worst != Exit::done) {
    throw Finished{worst};
  }
}

}  // namespace

void add_chunk(CLI::App& app) {
  auto& command = add_command(app, "chunk", "depot chunks: decrypt, decompress, verify");
  command.require_subcommand(1);

  auto options = std::make_shared<ChunkOptions>();
  auto& decode = add_command(command, "decode", "decode chunks as content servers send them",
                             {"corliss chunk decode bac8e265.bin --depot-key @depot_441.key --sha1 "
                              "bac8e2657470b2eb70d6ddcd6c07004be8738697",
                              "corliss chunk decode chunks/* --depot-key @depot_441.key --out plain   # "
                              "many, named by their SHA-1"});
  decode
      .add_option("FILE", options->files,
                  "bodies of chunks; - is standard input. The plain bytes of one go to standard "
                  "output; of several only a line each, without --out")
      ->required();
  decode.add_option("--depot-key", options->depot_key, key_help)->required();
  decode.add_option("--checksum", options->checksum, "the Adler-32 (seed 0) that the manifest states")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{std::numeric_limits<std::uint32_t>::max()}));
  decode
      .add_option("--size", options->size,
                  "the plain size that the manifest states; else the container is believed")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{std::numeric_limits<std::uint32_t>::max()}));
  decode.add_option("--sha1", options->sha1,
                    "the chunk's id; else 40 hex digits in the file's name, if there are any");
  decode.add_option("--out", options->out,
                    "write to this file; with several chunks into this folder, named by SHA-1");
  decode.add_option("--threads", options->threads, "for several chunks; 0: one for each CPU");
  decode.add_flag("--json", options->json,
                  "print what came out as JSON, one line for each of several chunks");
  decode.callback([options] { options->files.size() == 1 ? decode_one(*options) : decode_many(*options); });

  add_check(command, "tests/data/content/chunks.json", vectors::check_chunks);
}

}  // namespace corliss::tools
