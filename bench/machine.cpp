#include "bench/machine.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include <openssl/crypto.h>

namespace corliss::bench {
namespace {

constexpr std::array<std::string_view, 14> interesting{
    "ssse3",  "sse4_1", "pclmulqdq",  "aes",     "avx",      "avx2",     "bmi2",
    "sha_ni", "vaes",   "vpclmulqdq", "avx512f", "avx512bw", "avx512vl", "avx512ifma"};

/// The first value of a key of /proc/cpuinfo, or nothing.
std::string cpuinfo(std::string_view key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos && line.compare(0, key.size(), key) == 0) {
      return line.substr(colon + 2);
    }
  }
  return {};
}

}  // namespace

Machine describe_machine() {
  Machine machine;
  machine.cpu = cpuinfo("model name");
  if (machine.cpu.empty()) {
    machine.cpu = "unknown";
  }
  std::istringstream words(cpuinfo("flags"));
  for (std::string word; words >> word;) {
    if (std::find(interesting.begin(), interesting.end(), word) != interesting.end()) {
      machine.features.push_back(word);
    }
  }
#if defined(__clang__)
  machine.compiler = __VERSION__;
#else
  machine.compiler = "GCC " __VERSION__;
#endif
  machine.openssl = OpenSSL_version(OPENSSL_VERSION);
  return machine;
}

}  // namespace corliss::bench
