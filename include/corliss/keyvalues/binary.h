#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/limits.h>
#include <corliss/keyvalues/tree.h>
#include <corliss/keyvalues/visitor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The binary form of KeyValues: package info, `shortcuts.vdf`, rich presence. Layout:
/// docs/wire/keyvalues.md.
namespace corliss::keyvalues {

struct BinaryOptions {
  Limits limits;
  bool all_roots = false;  ///< On: nodes of the outer level after the first are kept too, not only checked.
};

/// Reads a document into `tree`, whose memory is used again. It ends with its outer end byte:
/// `tree.consumed()` says how many bytes it took, and what follows is the caller's. Names and values stay
/// views into `input`, which must outlive the tree. Both end markers (8 and 11) end any list. No root at all
/// is no error. Errors: Errc, see each; then `tree` is empty and `place->at.offset`, where given, says where.
[[nodiscard]] Result<void> read_binary_into(Tree& tree, ConstBytes input, const BinaryOptions& options = {},
                                            ErrorPlace* place = nullptr);
[[nodiscard]] Result<Tree> read_binary(ConstBytes input, const BinaryOptions& options = {},
                                       ErrorPlace* place = nullptr);
/// The same; the tree takes the input with it.
[[nodiscard]] Result<Tree> read_binary_owned(std::vector<std::uint8_t> input,
                                             const BinaryOptions& options = {}, ErrorPlace* place = nullptr);

/// The header of a binary document with a checksum: "VBKV", then the CRC-32 of all that follows these 8
/// bytes.
inline constexpr std::string_view vbkv_magic = "VBKV";

/// Reads a document with that header, which is the whole of `input`. Errors: also Errc::bad_magic, checksum,
/// trailing_bytes.
[[nodiscard]] Result<Tree> read_vbkv(ConstBytes input, const BinaryOptions& options = {},
                                     ErrorPlace* place = nullptr);

/// Reads binary KeyValues as events, in pieces of any size, with memory for one node.
/// After an error every call gives it again. After the visitor stopped it, all calls succeed and do nothing.
class BinaryStream {
 public:
  explicit BinaryStream(Visitor& visitor, BinaryOptions options = {Limits::for_streams(), false});
  ~BinaryStream();
  BinaryStream(BinaryStream&&) noexcept;
  BinaryStream& operator=(BinaryStream&&) noexcept;

  /// How many bytes of `piece` belong to the document: all of them, until its outer end byte came.
  [[nodiscard]] Result<std::size_t> feed(ConstBytes piece);
  /// Errors: also Errc::unexpected_end or unterminated_string where the end byte did not come.
  [[nodiscard]] Result<void> finish();
  /// The outer end byte came.
  [[nodiscard]] bool done() const noexcept;
  [[nodiscard]] bool stopped() const noexcept;
  [[nodiscard]] const ErrorPlace& error_place() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

enum class EndMarker : std::uint8_t { standard = 8, alternate = 11 };

/// Writes events in the binary form. Conditions are lost. `finish` adds the outer end byte.
class BinaryWriter final : public Visitor {
 public:
  /// Appends to `out`, which the caller may empty at any time between events.
  explicit BinaryWriter(std::vector<std::uint8_t>& out, EndMarker end = EndMarker::standard) noexcept
      : out_(&out), end_(end) {}

  /// After an error the writer answers `stop` and writes nothing more; see `finish`.
  [[nodiscard]] Next on_block(std::string_view name, const NodeConditions& conditions) override;
  [[nodiscard]] Next on_leaf(std::string_view name, const Value& value,
                             const NodeConditions& conditions) override;
  [[nodiscard]] Next on_end() override;

  /// Errors: Errc::nul (in a name or a string), unbalanced.
  [[nodiscard]] Result<void> finish();

 private:
  bool put(Type type, std::string_view name);

  std::vector<std::uint8_t>* out_;
  EndMarker end_;
  std::size_t depth_ = 0;
  std::error_code error_;
};

/// A node and what is below it, or all roots, as a document. Errors: Errc::nul.
[[nodiscard]] Result<std::vector<std::uint8_t>> write_binary(Node node, EndMarker end = EndMarker::standard);
[[nodiscard]] Result<std::vector<std::uint8_t>> write_binary(const Tree& tree,
                                                             EndMarker end = EndMarker::standard);
/// With the "VBKV" header; its lists end with 11.
[[nodiscard]] Result<std::vector<std::uint8_t>> write_vbkv(Node node);

}  // namespace corliss::keyvalues
