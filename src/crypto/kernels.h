#pragma once

#include <corliss/base/result.h>
#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// How the packet cipher reaches its implementations. Public headers have checked every size, buffer and
/// overlap before anything here is called.
namespace corliss::crypto::detail {

struct PacketKernel;

/// A key in the form that one kernel wants; each kernel derives its own.
struct Session {
  const PacketKernel* kernel;
};

struct SealJob {
  const Session* session;
  const std::uint8_t* plain;
  std::size_t size;
  const std::uint8_t* nonce;  // 3 bytes
  std::uint8_t* out;          // plain == out + 16, or apart
  bool done;                  // result: false where libcrypto failed
};

/// What `open` gives instead of a plaintext size.
inline constexpr std::ptrdiff_t open_refused = -1;
inline constexpr std::ptrdiff_t open_failed = -2;  // libcrypto failed

struct OpenJob {
  const Session* session;
  std::uint8_t* sealed;   // opened in place
  std::size_t size;       // at least 32, a multiple of 16
  std::ptrdiff_t result;  // as of PacketKernel::open
};

/// The functions of one kernel. All are noexcept in spirit and in type, but for `make`.
struct PacketKernel {
  /// Allocates and keys. Throws std::bad_alloc, std::system_error(Errc::library).
  const Session* (*make)(std::span<const std::uint8_t, session_key_size> key);
  /// Wipes and frees.
  void (*destroy)(const Session* session) noexcept;

  /// Writes sealed_size(size) bytes; false where libcrypto failed.
  bool (*seal)(const Session& session, const std::uint8_t* plain, std::size_t size, const std::uint8_t* nonce,
               std::uint8_t* out) noexcept;
  /// `size` is at least 32 and a multiple of 16; writes size - 16 bytes to `out`, which is sealed + 16 or
  /// apart. The plaintext size, or one of the above: what was written is then for the caller to wipe.
  std::ptrdiff_t (*open)(const Session& session, const std::uint8_t* sealed, std::size_t size,
                         std::uint8_t* out) noexcept;

  /// The same for the legacy format. They are also the cipher part of a packet alone.
  bool (*seal_legacy)(const Session& session, const std::uint8_t* plain, std::size_t size,
                      const std::uint8_t* iv, std::uint8_t* out) noexcept;
  std::ptrdiff_t (*open_legacy)(const Session& session, const std::uint8_t* sealed, std::size_t size,
                                std::uint8_t* out) noexcept;

  /// The MAC part alone: all 20 bytes of HMAC-SHA1(nonce | plain). For benchmarks and tests.
  void (*mac)(const Session& session, const std::uint8_t* nonce, const std::uint8_t* plain, std::size_t size,
              std::uint8_t* out) noexcept;

  /// Many packets, all of sessions of this kernel; null where one by one is best.
  void (*seal_batch)(std::span<SealJob> jobs) noexcept;
  void (*open_batch)(std::span<OpenJob> jobs) noexcept;
};

struct KernelEntry {
  Kernel kernel;  // what users see
  const PacketKernel* functions;
};
/// As `kernels()`, with the functions.
[[nodiscard]] std::span<const KernelEntry> kernel_entries() noexcept;
/// The entry of that name. Errors: Errc::kernel_unknown, Errc::kernel_unsupported.
[[nodiscard]] Result<const KernelEntry*> find_kernel(std::string_view name) noexcept;
/// The rule of `default_kernel()` for one value of CORLISS_KERNEL; null for unset.
[[nodiscard]] Result<const KernelEntry*> choose_kernel(const char* variable) noexcept;
[[nodiscard]] Result<const KernelEntry*> default_kernel_entry() noexcept;

#if defined(__x86_64__)
extern const PacketKernel avx512_kernel;
extern const PacketKernel vaes_kernel;
extern const PacketKernel shani_kernel;
#endif
extern const PacketKernel portable_kernel;
/// For tests: makes a session of `portable_kernel` look as if another thread were in it, or no longer.
void occupy_portable(const Session& session, bool occupied) noexcept;

/// Overwrites what the functions called before may have left of a key below the caller's frame.
void wipe_stack() noexcept;

}  // namespace corliss::crypto::detail
