#pragma once

#include <string>
#include <vector>

namespace corliss::bench {

/// Where a figure was measured.
struct Machine {
  std::string cpu;                    ///< the brand string of the CPU
  std::vector<std::string> features;  ///< those that matter to a hot path of ours, as Linux spells them
  std::string compiler;
  std::string openssl;  ///< the libcrypto that is loaded
};

[[nodiscard]] Machine describe_machine();

}  // namespace corliss::bench
