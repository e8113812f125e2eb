#include "support/test_support.h"

#include <corliss/base/hex.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace corliss::test {

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    if (const char* text = std::getenv("CORLISS_TEST_SEED")) {
      return static_cast<std::uint64_t>(std::strtoull(text, nullptr, 10));
    }
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }();
  return value;
}

Result<void> TestRng::fill(Bytes out) noexcept {
  for (auto& byte : out) {
    byte = static_cast<std::uint8_t>(engine_());
  }
  return {};
}

std::size_t TestRng::between(std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(engine_);
}

std::vector<std::uint8_t> TestRng::bytes(std::size_t count) {
  std::vector<std::uint8_t> out(count);
  (void)fill(out);
  return out;
}

std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(CORLISS_TEST_DATA) / name;
}

std::optional<std::filesystem::path> real_data(const std::string& name) {
  const char* folder = std::getenv("CORLISS_REAL_DATA");
  auto path = std::filesystem::path(folder != nullptr ? folder : CORLISS_SHARED_REAL) / name;
  if (!std::filesystem::exists(path)) {
    return std::nullopt;
  }
  return path;
}

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + path.string());
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::uint8_t> hex(const std::string& text) {
  auto bytes = from_hex(text);
  if (!bytes) {
    throw std::runtime_error("not hex: " + text);
  }
  return *std::move(bytes);
}

}  // namespace corliss::test
