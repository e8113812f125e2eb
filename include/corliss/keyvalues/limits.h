#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace corliss::keyvalues {

/// What a reader accepts at most. Input from the network keeps the defaults; raise them for files of your
/// own.
struct Limits {
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  std::size_t max_size = std::size_t{64} << 20;   ///< Bytes of one document. Trees stop at 4 GiB in any case.
  std::size_t max_depth = 100;                    ///< Blocks inside each other. Valve's readers: 100 as well.
  std::size_t max_nodes = 4'000'000;              ///< Blocks and leaves together.
  std::size_t max_token = std::size_t{64} << 20;  ///< Bytes of one name, value or condition; at most 128 MiB.
  std::size_t max_strings = 1'000'000;  ///< Strings in the table of appinfo.vdf 41 (real: about 10,000).
  std::size_t max_include_depth = 8;    ///< Files that include each other.
  std::size_t max_includes = 64;        ///< Files that one document may pull in altogether.

  /// For streams, which hold one token at a time: any length, any number of nodes, tokens up to 1 MiB.
  [[nodiscard]] static constexpr Limits for_streams() noexcept {
    Limits limits;
    limits.max_size = unlimited;
    limits.max_nodes = unlimited;
    limits.max_token = std::size_t{1} << 20;
    return limits;
  }
};

/// A place in the input.
struct Place {
  std::uint64_t offset = 0;  ///< Bytes from the start of the input as given (UTF-16 and marks included).
  std::uint64_t line = 0;    ///< From 1; LF, CR and CR LF end a line. 0 in binary input.
  std::uint64_t column = 0;  ///< From 1, in code points. 0 in binary input.

  friend bool operator==(const Place&, const Place&) = default;
};

/// Where an error was met.
struct ErrorPlace {
  Place at;
  /// Errc::unexpected_end: where the innermost block that was never closed opened.
  std::optional<Place> opened;
  /// The file that `at` is in: IncludedFile::identity, or empty for the document itself.
  std::string file;
};

}  // namespace corliss::keyvalues
