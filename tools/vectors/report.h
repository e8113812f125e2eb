#pragma once

#include <corliss/base/bytes.h>

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// Vector files, as `corliss … check` and the tests run them: one function a schema, each giving a Report.
namespace corliss::vectors {

/// What running one file of vectors came to.
struct Report {
  struct Failure {
    std::string name;  ///< the case's name in the file
    std::string why;   ///< one line: what was expected, what came
  };

  std::size_t cases = 0;
  std::vector<Failure> failures;
  std::vector<std::string> skipped;  ///< one line each: which case or kernel, and why

  void fail(std::string name, std::string why) { failures.push_back({std::move(name), std::move(why)}); }
  /// Counts a case and records a failure unless `good`.
  void expect(bool good, const std::string& name, const std::string& why) {
    ++cases;
    if (!good) {
      fail(name, why);
    }
  }
  void merge(Report other);
};

/// The file is no vector file of the schema: not JSON, a field missing, bytes that are not hex.
class BadVectorFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads and parses a JSON file. Throws BadVectorFile with path and place for text that is not JSON, and
/// std::system_error where the file cannot be read.
nlohmann::json load_json(const std::filesystem::path& path);

/// The bytes of a hex string. Throws BadVectorFile.
std::vector<std::uint8_t> bytes_of_hex(const nlohmann::json& text);

/// The whole of a file beside the vectors. Throws std::system_error.
std::vector<std::uint8_t> load_bytes(const std::filesystem::path& path);

}  // namespace corliss::vectors
