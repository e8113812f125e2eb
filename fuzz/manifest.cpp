// Any bytes as a manifest. The first byte picks the rules; the rest is the file. What is read can be written
// and read again; what is encrypted is decrypted with the key of the corpus; no refused name gives a path.
#include "fuzz.h"

#include <corliss/content/manifest.h>

#include <array>

namespace {

using corliss::content::Manifest;
using corliss::content::PathRules;
using corliss::content::PathVerdict;

corliss::crypto::DepotCipher& corpus_cipher() {
  static corliss::crypto::DepotCipher cipher = [] {
    std::array<std::uint8_t, 32> key{};
    for (std::size_t i = 0; i < key.size(); ++i) {
      key[i] = static_cast<std::uint8_t>(3 + 7 * i);
    }
    return corliss::crypto::DepotCipher(key);
  }();
  return cipher;
}

/// The links of version 4; version 5 refuses such, so what is written cannot be read.
bool has_link_without_target(const Manifest& manifest) {
  for (std::size_t i = 0; i < manifest.file_count(); ++i) {
    const auto file = manifest.file(i);
    if (file.is_link() && file.stored_link_target.empty()) {
      return true;
    }
  }
  return false;
}

void check_paths(const Manifest& manifest) {
  for (std::size_t i = 0; i < manifest.file_count(); ++i) {
    const auto file = manifest.file(i);
    const auto path = manifest.safe_path(i);
    FUZZ_CHECK(path.has_value() ==
               (!manifest.info().names_encrypted && file.verdict == PathVerdict::accepted));
    if (path) {
      const auto& text = path->text();
      FUZZ_CHECK(!text.empty() && text.front() != '/' && text.back() != '/');
      FUZZ_CHECK(("/" + text + "/").find("/../") == std::string::npos);
      FUZZ_CHECK(manifest.safe_link_target(i).has_value() == !file.stored_link_target.empty());
    }
  }
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  const PathRules rules = (input[0] & 1) != 0 ? PathRules::for_windows() : PathRules::posix();
  corliss::content::ManifestParseOptions options;
  options.refuse_wrong_crc = (input[0] & 2) != 0;
  options.rules = (input[0] & 4) != 0 ? std::optional(rules) : std::nullopt;
  options.limits.unpacked_size = 1 << 20;
  corliss::content::ManifestFault fault;
  options.fault = &fault;
  auto manifest = Manifest::parse(input.subspan(1), options);
  if (!manifest) {
    return;
  }
  check_paths(*manifest);
  const auto written = manifest->write();
  if (!has_link_without_target(*manifest)) {
    auto again = Manifest::parse(written, options);
    FUZZ_CHECK(again.has_value());
    FUZZ_CHECK(again->write() == written);
    FUZZ_CHECK(again->file_count() == manifest->file_count());
  }

  if (manifest->info().names_encrypted) {
    if (!manifest->decrypt_names(corpus_cipher(), options.rules)) {
      FUZZ_CHECK(manifest->info().names_encrypted && manifest->write() == written);
      return;
    }
    check_paths(*manifest);
  }
  const auto refused = manifest->check_paths(rules);
  FUZZ_CHECK(refused.has_value());
  check_paths(*manifest);
}
