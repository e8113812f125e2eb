#pragma once

/// What this CPU, and the operating system on it, can run. By cpuid itself: the compilers'
/// __builtin_cpu_supports knows neither "sha" (clang 14) nor asks in constant time.
namespace corliss::crypto::detail {

#if defined(__x86_64__)
/// SHA-NI, AES-NI, SSE4.1.
[[nodiscard]] bool cpu_has_shani() noexcept;
/// The same, and AVX2, VAES.
[[nodiscard]] bool cpu_has_vaes() noexcept;
/// The same, and AVX-512 F and BW, VAES.
[[nodiscard]] bool cpu_has_avx512() noexcept;
#endif

}  // namespace corliss::crypto::detail
