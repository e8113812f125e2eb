#pragma once

#include <corliss/base/result.h>
#include <corliss/crypto/hash.h>

#include <compare>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace corliss::content {

/// The name of a chunk: the SHA-1 of its plain bytes. Chunks of equal bytes have equal ids, in all depots.
class ChunkId {
 public:
  static constexpr std::size_t size = 20;

  constexpr ChunkId() noexcept : bytes_{} {}
  constexpr explicit ChunkId(const crypto::Sha1Digest& sha1) noexcept : bytes_(sha1) {}
  explicit ChunkId(std::span<const std::uint8_t, size> sha1) noexcept {
    std::memcpy(bytes_.data(), sha1.data(), size);
  }

  [[nodiscard]] constexpr const crypto::Sha1Digest& bytes() const noexcept { return bytes_; }

  /// 40 hexadecimal digits of either case. Errors: BaseErrc::bad_hex.
  [[nodiscard]] static Result<ChunkId> parse(std::string_view text) noexcept;

  friend bool operator==(const ChunkId&, const ChunkId&) noexcept = default;
  friend auto operator<=>(const ChunkId&,
                          const ChunkId&) noexcept = default;  // NOLINT(modernize-use-nullptr)

 private:
  crypto::Sha1Digest bytes_;
};

/// 40 lower-case hexadecimal digits.
[[nodiscard]] std::string to_string(const ChunkId& id);

}  // namespace corliss::content

template <>
struct std::hash<corliss::content::ChunkId> {
  /// Ids of honest manifests are uniformly distributed, so the first bytes will do. Do not key a table by it
  /// with ids of a manifest from elsewhere that nobody has verified.
  std::size_t operator()(const corliss::content::ChunkId& id) const noexcept {
    std::size_t value;
    std::memcpy(&value, id.bytes().data(), sizeof value);
    return value;
  }
};
