#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/rng.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// What every test may use.
namespace corliss::test {

/// The seed of this run, logged at its start: CORLISS_TEST_SEED, or a fresh one. Set the variable to repeat a
/// run.
std::uint64_t seed();

/// Repeatable random bytes for tests; also an `Rng`.
class TestRng final : public Rng {
 public:
  TestRng() : engine_(seed()) {}
  explicit TestRng(std::uint64_t own_seed) : engine_(own_seed) {}
  Result<void> fill(Bytes out) noexcept override;
  /// Uniform in [low, high].
  std::size_t between(std::size_t low, std::size_t high);
  std::vector<std::uint8_t> bytes(std::size_t count);

 private:
  std::mt19937_64 engine_;
};

/// A file below tests/data.
std::filesystem::path data(const std::string& name);
/// A file of the real sample data (CORLISS_REAL_DATA, else ../shared/real beside the project), or nothing
/// where it is absent: then GTEST_SKIP() with `real_data_hint`.
std::optional<std::filesystem::path> real_data(const std::string& name);
inline constexpr const char* real_data_hint =
    "real sample data is absent; set CORLISS_REAL_DATA to its folder";

/// The whole file; throws std::runtime_error with its path where it cannot be read.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);
/// Bytes of a hex string; throws std::runtime_error for other text. For vectors.
std::vector<std::uint8_t> hex(const std::string& text);

}  // namespace corliss::test
