#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/limits.h>
#include <corliss/keyvalues/tree.h>
#include <corliss/keyvalues/visitor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The text form of KeyValues: app info, `.acf`, `.vdf`. Grammar and quirks: docs/wire/keyvalues.md.
namespace corliss::keyvalues {

/// What happens to conditions such as `[$WIN32]` after a name or a value.
enum class ConditionMode : std::uint8_t {
  ignore,    ///< They are read over; their nodes stay. What Steam's own readers of app info do.
  keep,      ///< Nodes stay, and Node::conditions() gives the text. Writers put it back.
  evaluate,  ///< Nodes stay where the condition holds with `TextOptions::symbols`, and go where it does not.
};

/// What a resolver gives for `#include` or `#base`.
struct IncludedFile {
  std::string identity;  ///< What tells files apart: a full path. The same again in a chain: a cycle.
  std::vector<std::uint8_t> bytes;  ///< Its content.
};

/// Finds a file that a document asks for. `from` is the identity of the file that asks, empty for the
/// document itself; `name` is text from the input: check it before it becomes a path. An error ends the parse
/// with it.
using IncludeResolver =
    std::function<Result<IncludedFile>(Directive directive, std::string_view name, std::string_view from)>;

struct TextOptions {
  Limits limits;
  bool escapes = true;     ///< Off: a backslash is ordinary, and a quote always ends the string.
  bool all_roots = false;  ///< On: roots after the first are kept too, not only checked.
  ConditionMode conditions = ConditionMode::ignore;
  std::vector<std::string>
      symbols;  ///< Defined symbols, with or without `$`: "WIN32", "LINUX" … Others are false.
  /// Without one, `#include` and `#base` fail with Errc::directive. Only for trees; streams tell their
  /// visitor.
  IncludeResolver resolver;
};

/// Reads a document into `tree`, whose memory is used again. Names and values stay views into `input`, which
/// must outlive the tree; UTF-16 (by its mark) is converted into the tree. A document without a root is no
/// error. Errors: Errc, see each; then `tree` is empty and `place`, where given, says where. May throw
/// std::bad_alloc.
[[nodiscard]] Result<void> read_text_into(Tree& tree, ConstBytes input, const TextOptions& options = {},
                                          ErrorPlace* place = nullptr);
/// The same into a new tree.
[[nodiscard]] Result<Tree> read_text(ConstBytes input, const TextOptions& options = {},
                                     ErrorPlace* place = nullptr);
/// The same; the tree takes the input with it.
[[nodiscard]] Result<Tree> read_text_owned(std::vector<std::uint8_t> input, const TextOptions& options = {},
                                           ErrorPlace* place = nullptr);

/// Options for streams: no limit but depth (100) and token (1 MiB).
[[nodiscard]] TextOptions stream_options();

/// Reads text as events, in pieces of any size, with memory for one name and one value.
///
///     TextStream stream(visitor);
///     while (…) { CORLISS_CHECK(stream.feed(piece)); }
///     CORLISS_CHECK(stream.finish());
///
/// After an error every call gives it again. After the visitor stopped it, all calls succeed and do nothing.
class TextStream {
 public:
  explicit TextStream(Visitor& visitor, TextOptions options = stream_options());
  ~TextStream();
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) noexcept;

  [[nodiscard]] Result<void> feed(ConstBytes piece);
  [[nodiscard]] Result<void> finish();
  /// Where the error is that `feed` or `finish` returned.
  [[nodiscard]] const ErrorPlace& error_place() const noexcept;
  [[nodiscard]] bool stopped() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes events as text: UTF-8, LF, tabs, everything quoted, `\\ \n \r \t \"` escaped. Byte for byte what
/// Steam sends as app info. Types of binary values are lost: they become their text.
///
///     std::string out;
///     TextWriter writer(out);
///     walk(tree, writer);
///     CORLISS_CHECK(writer.finish());
class TextWriter final : public Visitor {
 public:
  /// Appends to `out`, which the caller may empty at any time between events.
  explicit TextWriter(std::string& out) noexcept : out_(&out) {}

  /// After an error the writer answers `stop` and writes nothing more; see `finish`.
  [[nodiscard]] Next on_block(std::string_view name, const NodeConditions& conditions) override;
  [[nodiscard]] Next on_leaf(std::string_view name, const Value& value,
                             const NodeConditions& conditions) override;
  [[nodiscard]] Next on_end() override;
  [[nodiscard]] Result<void> on_directive(Directive directive, std::string_view file) override;

  /// Errors: Errc::empty_key, nul, leaf_root (a root must be a block), directive (a root named as one),
  /// unbalanced, bad_conditional.
  [[nodiscard]] Result<void> finish() const noexcept;

 private:
  Next fail_with(Errc errc) noexcept;
  bool put_quoted(std::string_view text);
  bool put_condition(std::string_view text);

  std::string* out_;
  std::size_t depth_ = 0;
  std::error_code error_;
};

/// A node and what is below it as text. Errors: as TextWriter::finish.
[[nodiscard]] Result<std::string> write_text(Node node);
/// All roots.
[[nodiscard]] Result<std::string> write_text(const Tree& tree);

}  // namespace corliss::keyvalues
