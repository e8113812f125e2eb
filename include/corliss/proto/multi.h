#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace corliss::proto {

/// What one packet may unpack to. No peer has limits here; the defaults are far above what Steam sends.
struct MultiLimits {
  std::size_t unpacked_size = std::size_t{128}
                              << 20;  ///< Bytes that all compressed Multis of a packet unpack to, together.
  std::size_t depth = 8;              ///< Multis within each other, the outermost counted.
  std::size_t kept_size = std::size_t{1}
                          << 20;  ///< A buffer above this is given back when the next packet begins.
};

/// Deflate cannot do better than 1032 : 1; a Multi that declares more is a lie and is refused before anything
/// is allocated.
inline constexpr std::size_t max_multi_ratio = 1040;
inline constexpr std::size_t max_multi_slack = 64;

/// Takes packets apart into messages: a Multi gives those inside it, in order and at any nesting, any other
/// packet gives itself. Keep one for all sessions of a thread: its buffers and decompressor are used again,
/// and nothing is allocated once they are warm. One thread at a time.
///
///     CORLISS_CHECK(multi.begin(packet));
///     for (;;) {
///       CORLISS_TRY(const auto message, multi.next());
///       if (!message) break;
///       …                      // a MessageView parses it
///     }
class MultiReader {
 public:
  explicit MultiReader(const MultiLimits& limits = {});
  ~MultiReader();
  MultiReader(MultiReader&&) noexcept;
  MultiReader& operator=(MultiReader&&) noexcept;

  /// Starts with `packet`, which must live until the last message of it was taken. Drops what is left of the
  /// one before.
  void begin(ConstBytes packet) noexcept;

  /// The next message, never a Multi with a protobuf header (a Multi without one comes out as any message, to
  /// be ignored); nothing at the end. It lies in the packet or in a buffer of this reader and lives until the
  /// next call of `next` or `begin`. After an error, which is given again by every call until `begin`, close
  /// the connection; messages that came before it were good. Errors: those of `split_message` and
  /// Errc::bad_header for a Multi itself; Errc::message_too_short for a message of less than 4 bytes;
  /// Errc::bad_body, and Errc::multi_….
  [[nodiscard]] Result<std::optional<ConstBytes>> next();

 private:
  struct Level;
  struct Decompressor;

  Result<std::optional<ConstBytes>> advance();
  Result<void> enter(ConstBytes packet);
  Result<ConstBytes> unzip(ConstBytes zipped, std::size_t size, Level& level);

  MultiLimits limits_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<Level> levels_;  // never shrinks; the first depth_ are in use
  std::size_t depth_ = 0;
  std::size_t unpacked_ = 0;
  ConstBytes first_;
  bool at_first_ = false;
  std::error_code error_;
};

/// Whether the body of a Multi is compressed.
enum class MultiPacking : std::uint8_t { plain, gzip };

/// Packs whole messages into one Multi, as a server does; clients have no need to. Allocates what it returns.
/// Errors: Errc::message_too_large where the messages together are more than `max_message_size`.
[[nodiscard]] Result<std::vector<std::uint8_t>> make_multi(std::span<const ConstBytes> messages,
                                                           MultiPacking packing);

}  // namespace corliss::proto
