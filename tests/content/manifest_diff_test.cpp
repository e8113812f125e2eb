#include "bench/content_data.h"
#include "support/test_support.h"

#include <corliss/content/manifest_diff.h>

#include <algorithm>
#include <map>
#include <set>

namespace corliss::content {
namespace {

using bench::ByteVector;

/// A depot with contents, so that a plan can be carried out.
struct Depot {
  std::map<std::string, ByteVector> files;
  std::map<std::string, std::uint32_t> flags;
  std::map<std::string, std::string> links;
  std::size_t chunk_size = 100;

  [[nodiscard]] Manifest manifest() const {
    std::vector<NewManifestFile> list;
    std::vector<std::vector<Chunk>> chunks;
    chunks.reserve(files.size());
    for (const auto& [name, bytes] : files) {
      auto& pieces = chunks.emplace_back();
      for (std::size_t at = 0; at < bytes.size(); at += chunk_size) {
        const auto piece = ConstBytes(bytes).subspan(at, std::min(chunk_size, bytes.size() - at));
        pieces.push_back(bench::describe_chunk(piece, piece.size() + 50, at));
      }
      NewManifestFile file;
      file.name = name;
      file.size = bytes.size();
      file.flags = flags.count(name) != 0 ? flags.at(name) : 0;
      file.content_hash = crypto::sha1(bytes);
      file.chunks = pieces;
      list.push_back(file);
    }
    for (const auto& [name, target] : links) {
      NewManifestFile file;
      file.name = name;
      file.link_target = target;
      file.flags = depot_file_flag::symlink;
      list.push_back(file);
    }
    return Manifest::make({}, list).value();
  }
};

/// Carries a plan out in memory; chunks to fetch are taken from `store`. The files that result.
std::map<std::string, ByteVector> apply(const UpdatePlan& plan, const Manifest& from, const Manifest& to,
                                        const Depot& old, const std::map<ChunkId, ByteVector>& store) {
  auto files = old.files;
  std::map<std::uint32_t, ByteVector> written;
  for (const auto& delta : plan.files) {
    if (delta.change == FileChange::removed) {
      files.erase(std::string(from.file(*delta.from).stored_name));
    } else if (delta.change != FileChange::attributes && !delta.keeps_user_copy &&
               !to.file(*delta.to).is_link()) {
      written[*delta.to].resize(to.file(*delta.to).size);
    }
  }
  for (const auto& step : plan.steps) {
    ByteVector plain;
    if (step.local) {
      const auto& source = old.files.at(std::string(from.file(step.local->file).stored_name));
      plain.assign(source.begin() + static_cast<std::ptrdiff_t>(step.local->offset),
                   source.begin() + static_cast<std::ptrdiff_t>(step.local->offset + step.chunk.size));
    } else {
      plain = store.at(step.chunk.id);
    }
    EXPECT_EQ(ChunkId(crypto::sha1(plain)), step.chunk.id);
    for (const auto& target : plan.targets_of(step)) {
      std::copy(plain.begin(), plain.end(),
                written.at(target.file).begin() + static_cast<std::ptrdiff_t>(target.offset));
    }
  }
  for (auto& [file, bytes] : written) {
    files[std::string(to.file(file).stored_name)] = std::move(bytes);
  }
  return files;
}

std::map<ChunkId, ByteVector> store_of(const Depot& depot) {
  std::map<ChunkId, ByteVector> store;
  for (const auto& [name, bytes] : depot.files) {
    for (std::size_t at = 0; at < bytes.size(); at += depot.chunk_size) {
      const auto piece = ConstBytes(bytes).subspan(at, std::min(depot.chunk_size, bytes.size() - at));
      store[ChunkId(crypto::sha1(piece))] = {piece.begin(), piece.end()};
    }
  }
  return store;
}

TEST(ManifestDiff, SaysWhatChanged) {
  Depot before;
  before.files["same"] = bench::game_bytes(250, 1);
  before.files["gone"] = bench::game_bytes(120, 2);
  before.files["moved_from"] = bench::game_bytes(300, 3);
  before.files["edited"] = bench::game_bytes(300, 4);
  before.files["tool"] = bench::game_bytes(50, 5);
  before.files["settings.ini"] = bench::game_bytes(60, 6);
  before.links["link"] = "same";
  Depot after = before;
  after.files.erase("gone");
  after.files["moved_to"] = before.files["moved_from"];
  after.files.erase("moved_from");
  after.files["edited"][150] ^= 1;
  after.files["new"] = bench::game_bytes(100, 7);
  after.files["new_twin"] = after.files["new"];
  after.flags["tool"] = depot_file_flag::executable;
  after.files["settings.ini"] = bench::game_bytes(61, 8);
  after.flags["settings.ini"] = depot_file_flag::user_config;
  after.links["link"] = "edited";

  const auto from = before.manifest();
  const auto to = after.manifest();
  const auto plan = plan_update(from, to).value();
  std::map<std::string, FileChange> changes;
  for (const auto& delta : plan.files) {
    const auto name = delta.to ? to.file(*delta.to).stored_name : from.file(*delta.from).stored_name;
    changes[std::string(name)] = delta.change;
    EXPECT_EQ(delta.keeps_user_copy, name == "settings.ini");
  }
  const std::map<std::string, FileChange> wanted = {
      {"gone", FileChange::removed},    {"moved_from", FileChange::removed},
      {"moved_to", FileChange::added},  {"new", FileChange::added},
      {"new_twin", FileChange::added},  {"edited", FileChange::content},
      {"tool", FileChange::attributes}, {"settings.ini", FileChange::content},
      {"link", FileChange::content}};
  EXPECT_EQ(changes, wanted);
  EXPECT_EQ(plan.totals.files_added, 3u);
  EXPECT_EQ(plan.totals.files_removed, 2u);
  EXPECT_EQ(plan.totals.files_changed, 4u);
  EXPECT_EQ(plan.totals.files_unchanged, 1u);
  // Of `edited` one chunk of three, and the one of `new` once for both.
  EXPECT_EQ(plan.totals.chunks_to_fetch, 2u);
  EXPECT_EQ(plan.totals.bytes_to_fetch, 300u);
  EXPECT_EQ(plan.totals.chunks_local, 5u);
  EXPECT_EQ(plan.totals.bytes_local, 500u);
  EXPECT_EQ(plan.totals.bytes_to_write, 300u + 300u + 200u);

  auto files = apply(plan, from, to, before, store_of(after));
  files["settings.ini"] = after.files["settings.ini"];
  EXPECT_EQ(files, after.files);
}

TEST(ManifestDiff, InstallingFetchesEveryChunkOnce) {
  Depot depot;
  depot.files["a"] = ByteVector(1000, 7);  // ten times the same chunk
  depot.files["b"] = bench::game_bytes(250, 1);
  const auto to = depot.manifest();
  const auto plan = plan_install(to).value();
  EXPECT_EQ(plan.totals.chunks_to_fetch, 4u);
  EXPECT_EQ(plan.totals.files_added, 2u);
  EXPECT_EQ(plan.totals.bytes_to_write, 1250u);
  ASSERT_EQ(plan.steps.size(), 4u);
  EXPECT_EQ(plan.targets_of(plan.steps[0]).size(), 10u);
  EXPECT_TRUE(std::is_sorted(plan.steps.begin(), plan.steps.end(), [&](const auto& a, const auto& b) {
    const auto& left = plan.targets_of(a)[0];
    const auto& right = plan.targets_of(b)[0];
    return std::pair(left.file, left.offset) < std::pair(right.file, right.offset);
  }));
  EXPECT_EQ(apply(plan, Manifest(), to, Depot(), store_of(depot)), depot.files);
}

TEST(ManifestDiff, SameToSameIsNothing) {
  const auto manifest = bench::game_manifest(300, 1);
  const auto plan = plan_update(manifest, manifest).value();
  EXPECT_TRUE(plan.files.empty());
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(plan.totals.files_unchanged, 300u);
}

TEST(ManifestDiff, EncryptedNamesCannotBeCompared) {
  auto manifest = bench::game_manifest(3, 1);
  crypto::DepotCipher cipher(bench::depot_key());
  test::TestRng rng;
  ASSERT_TRUE(manifest.encrypt_names(cipher, rng));
  EXPECT_EQ(plan_update(manifest, bench::game_manifest(3, 1)).error(), Errc::names_encrypted);
  EXPECT_EQ(plan_install(manifest).error(), Errc::names_encrypted);
}

// Any two versions: carrying the plan out gives the new one, and nothing is fetched that an old file has.
TEST(ManifestDiff, AnyPlanLeadsToTheNewVersion) {
  test::TestRng rng;
  for (int round = 0; round < 200; ++round) {
    const auto random_depot = [&rng] {
      Depot depot;
      depot.chunk_size = rng.between(1, 30);
      const auto count = rng.between(0, 8);
      for (std::size_t i = 0; i < count; ++i) {
        // Few different contents, so that chunks repeat within and between versions.
        auto& bytes = depot.files["f" + std::to_string(rng.between(0, 9))];
        bytes.assign(rng.between(0, 90), static_cast<std::uint8_t>(rng.between(0, 2)));
        if (!bytes.empty()) {
          bytes[rng.between(0, bytes.size() - 1)] = static_cast<std::uint8_t>(rng.between(0, 255));
        }
      }
      return depot;
    };
    const auto before = random_depot();
    const auto after = random_depot();
    const auto from = before.manifest();
    const auto to = after.manifest();
    const auto plan = plan_update(from, to).value();
    const auto old_store = store_of(before);
    std::set<ChunkId> seen;
    for (const auto& step : plan.steps) {
      EXPECT_TRUE(seen.insert(step.chunk.id).second);
      EXPECT_EQ(step.local.has_value(), old_store.count(step.chunk.id) != 0);
    }
    ASSERT_EQ(apply(plan, from, to, before, store_of(after)), after.files) << "seed " << test::seed();
  }
}

}  // namespace
}  // namespace corliss::content
