#include "crypto/kernels.h"

#include "crypto/cpu_features.h"

#include <corliss/base/secret.h>

#include <array>
#include <cstdlib>

namespace corliss::crypto {
namespace detail {

std::span<const KernelEntry> kernel_entries() noexcept {
  static const auto entries = std::to_array<KernelEntry>({
#if defined(__x86_64__)
    {{"avx512", "AVX-512 (F, BW), VAES, SHA-NI, AES-NI", cpu_has_avx512()}, &avx512_kernel},
        {{"vaes", "AVX2, VAES, SHA-NI, AES-NI", cpu_has_vaes()}, &vaes_kernel},
        {{"shani", "SHA-NI, AES-NI", cpu_has_shani()}, &shani_kernel},
#endif
        {{"portable", "", true}, &portable_kernel},
  });
  return entries;
}

Result<const KernelEntry*> find_kernel(std::string_view name) noexcept {
  for (const auto& entry : kernel_entries()) {
    if (entry.kernel.name == name) {
      if (!entry.kernel.supported) {
        return fail(Errc::kernel_unsupported);
      }
      return &entry;
    }
  }
  return fail(Errc::kernel_unknown);
}

Result<const KernelEntry*> choose_kernel(const char* variable) noexcept {
  if (variable != nullptr && *variable != '\0') {
    return find_kernel(variable);
  }
  for (const auto& entry : kernel_entries()) {
    if (entry.kernel.supported) {
      return &entry;
    }
  }
  return fail(Errc::kernel_unsupported);
}

Result<const KernelEntry*> default_kernel_entry() noexcept {
  static const auto entry = choose_kernel(secure_getenv("CORLISS_KERNEL"));
  return entry;
}

__attribute__((noinline)) void wipe_stack() noexcept {
  std::array<std::uint8_t, 2048> below;
  wipe(below);
}

}  // namespace detail

std::span<const Kernel> kernels() noexcept {
  static const auto list = [] {
    std::array<Kernel, 8> rows{};
    std::size_t count = 0;
    for (const auto& entry : detail::kernel_entries()) {
      rows.at(count++) = entry.kernel;
    }
    return std::pair{rows, count};
  }();
  return std::span(list.first).first(list.second);
}

Result<std::string_view> default_kernel() noexcept {
  CORLISS_TRY(const auto* entry, detail::default_kernel_entry());
  return entry->kernel.name;
}

}  // namespace corliss::crypto
