#pragma once

#include <corliss/base/result.h>

#include <span>
#include <string_view>

namespace corliss::crypto {

/// One implementation of the packet channel. All give the same bytes; they differ in speed and in what they
/// ask of the CPU.
struct Kernel {
  std::string_view name;   ///< What `PacketCipher` and CORLISS_KERNEL take.
  std::string_view needs;  ///< CPU features, as people read them: "SHA-NI, AES-NI"; empty for none.
  bool supported;          ///< Whether this CPU, and the operating system on it, can run it.
};

/// All kernels that this build knows, the fastest first; the last one runs everywhere. Lives for ever.
/// A name is a ceiling: a cipher of one kernel may use cheaper instructions where those are faster (one
/// packet does not fill sixteen lanes), never dearer ones.
[[nodiscard]] std::span<const Kernel> kernels() noexcept;

/// The kernel that a cipher made without a name uses: the environment variable CORLISS_KERNEL (read once, and
/// not in set-user-id programs), else the first that is supported.
/// Errors: Errc::kernel_unknown or Errc::kernel_unsupported for what the variable says; mend the variable.
[[nodiscard]] Result<std::string_view> default_kernel() noexcept;

}  // namespace corliss::crypto
