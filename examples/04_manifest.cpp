// List the files of a depot manifest, with the paths that are safe to create.
#include <corliss/content/manifest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  using namespace corliss;
  if (argc != 2) {
    return std::fprintf(stderr, "usage: %s MANIFEST\n", argv[0]), 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
  const auto manifest = content::Manifest::parse(bytes_of({file.data(), file.size()}));
  if (!manifest) {
    return std::fprintf(stderr, "%s: %s\n", argv[1], manifest.error().message().c_str()), 1;
  }
  std::printf("depot %u, %zu entries\n", manifest->info().depot.value(), manifest->file_count());
  for (std::size_t i = 0; i < manifest->file_count(); ++i) {
    // stored_name is what somebody else wrote; only a SafePath may be opened.
    const auto path = manifest->safe_path(i);
    std::printf("%10llu  %s\n", static_cast<unsigned long long>(manifest->file(i).size),
                path ? path->text().c_str() : path.error().message().c_str());
  }
}
