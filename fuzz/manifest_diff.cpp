// Two small depots made from the input; the plan from one to the other, carried out on paper, leaves exactly
// the chunks of the new one at their places, and takes from the old one only what is there.
#include "fuzz.h"

#include <corliss/content/manifest_diff.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using corliss::content::Chunk;
using corliss::content::FileChange;
using corliss::content::Manifest;

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  unsigned below(unsigned bound) {
    if (bytes_.empty()) {
      return 0;
    }
    const unsigned value = bytes_.front() % bound;
    bytes_ = bytes_.subspan(1);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

Manifest make(Input& input) {
  std::map<std::string, std::vector<Chunk>> chunks;
  for (unsigned files = input.below(6); files > 0; --files) {
    auto& list = chunks[std::string(1, static_cast<char>('a' + input.below(8)))];
    list.clear();
    std::uint64_t offset = 0;
    for (unsigned count = input.below(6); count > 0; --count) {
      corliss::crypto::Sha1Digest id{};
      id[input.below(2) * 19] = static_cast<std::uint8_t>(1 + input.below(6));
      Chunk chunk;
      chunk.id = corliss::content::ChunkId(id);
      chunk.size = 1U + id[0] + 2U * id[19];
      chunk.offset = offset + input.below(2);
      offset = chunk.offset + chunk.size;
      list.push_back(chunk);
    }
  }
  std::vector<corliss::content::NewManifestFile> files;
  for (const auto& [name, list] : chunks) {
    corliss::content::NewManifestFile file;
    file.name = name;
    file.size = list.empty() ? 0 : list.back().offset + list.back().size;
    file.flags = input.below(4) == 0 ? corliss::content::depot_file_flag::user_config : 0;
    file.content_hash[0] = static_cast<std::uint8_t>(input.below(2));
    file.chunks = list;
    files.push_back(file);
  }
  auto manifest = Manifest::make({}, files);
  FUZZ_CHECK(manifest.has_value());
  return *std::move(manifest);
}

bool has_chunk(const Manifest& manifest, std::size_t file, const Chunk& chunk, std::uint64_t offset) {
  const auto chunks = manifest.file(file).chunks;
  return std::any_of(chunks.begin(), chunks.end(),
                     [&](const Chunk& other) { return other.id == chunk.id && other.offset == offset; });
}

}  // namespace

void fuzz(std::span<const std::uint8_t> bytes) {
  Input input(bytes);
  const auto from = make(input);
  const auto to = make(input);
  const auto plan = corliss::content::plan_update(from, to);
  FUZZ_CHECK(plan.has_value());

  std::set<corliss::content::ChunkId> ids;
  std::set<std::pair<std::uint32_t, std::uint64_t>> written;
  for (const auto& step : plan->steps) {
    FUZZ_CHECK(ids.insert(step.chunk.id).second);
    FUZZ_CHECK(!step.local || has_chunk(from, step.local->file, step.chunk, step.local->offset));
    for (const auto& target : plan->targets_of(step)) {
      FUZZ_CHECK(has_chunk(to, target.file, step.chunk, target.offset));
      FUZZ_CHECK(written.emplace(target.file, target.offset).second);
    }
  }
  std::size_t wanted = 0;
  for (const auto& delta : plan->files) {
    if (delta.to && delta.change != FileChange::attributes && !delta.keeps_user_copy) {
      wanted += to.file(*delta.to).chunks.size();
    }
  }
  FUZZ_CHECK(wanted == written.size());
}
