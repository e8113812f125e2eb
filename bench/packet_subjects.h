#pragma once

#include "bench/harness.h"
#include "bench/packet_arena.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The implementations of the packet channel that `bench packet` sets against each other. Each maker may
/// throw std::runtime_error or std::system_error where its library is absent or fails.
namespace corliss::bench {

enum class Op { seal, open, mac, key };
[[nodiscard]] std::string_view name_of(Op op) noexcept;

/// All of an operation, or one part of sealing or opening alone, for the breakdown.
enum class Part { whole, random, mac, cipher };
[[nodiscard]] std::string_view name_of(Part part) noexcept;

/// New libcrypto contexts for each packet, as a program that keeps nothing has it.
[[nodiscard]] std::unique_ptr<Subject> make_fresh(Op op, const Workload& workload, Part part = Part::whole);
/// Fetched algorithms, one EVP_CIPHER_CTX per use (only the IV set anew), one EVP_MAC_CTX (set anew without a
/// key), RAND_bytes(3) for each seal. Op::key: making and freeing all of that.
[[nodiscard]] std::unique_ptr<Subject> make_kept(Op op, const Workload& workload, Part part = Part::whole);
/// The same with Corliss's pool of random bytes. Op::seal only: nothing else draws any.
[[nodiscard]] std::unique_ptr<Subject> make_kept_pool(Op op, const Workload& workload);

/// Corliss with the kernel of that name. One packet a call where `workload.batch` is 1, seal_batch and
/// open_batch elsewhere. Op::key: making and destroying a PacketCipher.
[[nodiscard]] std::unique_ptr<Subject> make_corliss(Op op, const Workload& workload, std::string_view kernel,
                                                    Part part = Part::whole);

/// intel-ipsec-mb: a manager with an interface, such as "sse/job" or "avx512/burst".
struct IpsecVariant {
  std::string name;
  int manager = 0;
  bool burst = false;
};
/// Those that this machine can run; empty where the library or its header was absent.
[[nodiscard]] std::vector<IpsecVariant> ipsec_variants();
/// Seals and opens batches with pad states and keys ready and given nonces.
[[nodiscard]] std::unique_ptr<Subject> make_ipsec(Op op, const Workload& workload,
                                                  const IpsecVariant& variant);

}  // namespace corliss::bench
