#include "vectors/report.h"

#include <corliss/base/hex.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include <nlohmann/json.hpp>

namespace corliss::vectors {

void Report::merge(Report other) {
  cases += other.cases;
  std::move(other.failures.begin(), other.failures.end(), std::back_inserter(failures));
  std::move(other.skipped.begin(), other.skipped.end(), std::back_inserter(skipped));
}

std::vector<std::uint8_t> load_bytes(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw std::system_error(errno != 0 ? errno : EISDIR, std::generic_category(), path.string());
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

nlohmann::json load_json(const std::filesystem::path& path) {
  const auto text = load_bytes(path);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw BadVectorFile(path.string() + ": not JSON: " + error.what());
  }
}

std::vector<std::uint8_t> bytes_of_hex(const nlohmann::json& text) {
  if (!text.is_string()) {
    throw BadVectorFile("expected a hex string, found " + std::string(text.type_name()));
  }
  auto bytes = from_hex(text.get_ref<const std::string&>());
  if (!bytes) {
    throw BadVectorFile("not hex: " + text.get<std::string>().substr(0, 40));
  }
  return *std::move(bytes);
}

}  // namespace corliss::vectors
