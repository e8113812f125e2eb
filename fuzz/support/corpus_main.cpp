// Runs a fuzz target over its corpus, as an ordinary test: no libFuzzer, any compiler.
#include "fuzz.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER_OR_FILE...\n", argv[0]);
    return 2;
  }
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
        files.push_back(entry.path());
      }
    } else {
      files.emplace_back(argv[i]);
    }
    for (const auto& path : files) {
      std::ifstream in(path, std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
      fuzz({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
      ++count;
    }
  }
  fuzz({});
  std::printf("%zu inputs\n", count);
  return count > 0 ? 0 : 1;  // an empty corpus is a mistake in the tree
}
