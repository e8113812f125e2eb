#include "keyvalues/place.h"
#include "keyvalues/text_core.h"
#include "keyvalues/utf16.h"

#include <corliss/keyvalues/text.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace corliss::keyvalues {
namespace {

using detail::Encoding;
using detail::PlaceTracker;
using detail::Token;
using detail::TokenConditions;

class VisitorSink {
 public:
  explicit VisitorSink(Visitor& visitor) noexcept : visitor_(&visitor) {}

  Next block(const Token& name, const TokenConditions& conditions) {
    return visitor_->on_block(plain(name, name_), view(conditions));
  }
  Next leaf(const Token& name, const Token& value, const TokenConditions& conditions) {
    return visitor_->on_leaf(plain(name, name_), Value(plain(value, value_)), view(conditions));
  }
  Next end() { return visitor_->on_end(); }
  Result<void> directive(Directive directive, std::string_view file) {
    return visitor_->on_directive(directive, file);
  }

 private:
  static std::string_view plain(const Token& token, std::string& scratch) {
    if (!token.escaped) {
      return token.view();
    }
    scratch.clear();
    detail::append_unescaped(token.view(), scratch);
    return scratch;
  }
  static NodeConditions view(const TokenConditions& conditions) noexcept {
    return {conditions.after_name.view(), conditions.after_value.view()};
  }

  Visitor* visitor_;
  std::string name_;
  std::string value_;
};

using Core = detail::TextCore<VisitorSink>;

}  // namespace

class TextStream::Impl {
 public:
  Impl(Visitor& visitor, TextOptions options)
      : options_(std::move(options)), sink_(visitor), core_(sink_, options_) {}

  Result<void> feed(ConstBytes piece) {
    if (error_) {
      return tl::unexpected(error_);
    }
    if (stopped_ || piece.empty()) {
      return {};
    }
    if (piece.size() > options_.limits.max_size - size_) {
      return fail_here(Errc::too_large);
    }
    size_ += piece.size();
    if (encoding_known_) {
      return decode(piece);
    }
    const std::size_t more = std::min(piece.size(), detail::longest_mark - head_.size());
    head_.append(text_of(piece.first(more)));
    if (head_.size() == detail::longest_mark) {
      CORLISS_CHECK(begin());
    }
    return decode(piece.subspan(more));
  }

  Result<void> finish() {
    if (error_) {
      return tl::unexpected(error_);
    }
    if (!encoding_known_) {
      CORLISS_CHECK(begin());
    }
    if (encoding_ != Encoding::utf8) {
      std::string rest;
      const bool whole = decoder_.finish(rest);
      CORLISS_CHECK(read(bytes_of(rest)));
      if (!whole && !stopped_) {
        return fail_here(Errc::bad_encoding);
      }
    }
    if (!stopped_) {
      (void)run(bytes_of(carry_), true);
      carry_.clear();
    }
    if (error_) {
      return tl::unexpected(error_);
    }
    return {};
  }

  [[nodiscard]] const ErrorPlace& error_place() const noexcept { return place_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  static constexpr std::size_t decode_slice = 4096;
  static constexpr std::size_t least_slice = 64;

  Result<void> fail_here(std::error_code error) {
    error_ = error;
    place_ = {tracker_.after(bytes_of(carry_)).place(), std::nullopt, {}};
    return tl::unexpected(error);
  }

  Result<void> begin() {
    encoding_known_ = true;
    const auto head = std::move(head_);
    const auto mark = detail::find_mark(bytes_of(head));
    encoding_ = mark.encoding;
    decoder_ = detail::Utf16Decoder(encoding_ == Encoding::utf16_be);
    tracker_ = PlaceTracker(mark.size, encoding_ != Encoding::utf8);
    return decode(bytes_of(head).subspan(mark.size));
  }

  Result<void> decode(ConstBytes piece) {
    if (encoding_ == Encoding::utf8) {
      return read(piece);
    }
    while (!piece.empty()) {
      const auto slice = piece.first(std::min(piece.size(), decode_slice));
      piece = piece.subspan(slice.size());
      std::string text;
      decoder_.decode(slice, text);
      CORLISS_CHECK(read(bytes_of(text)));
    }
    return {};
  }

  // UTF-8 from here on. NULs are fine while nothing follows them.
  Result<void> read(ConstBytes text) {
    if (text.empty() || stopped_) {
      return {};
    }
    if (!has_nul_) {
      const auto* const nul = static_cast<const std::uint8_t*>(std::memchr(text.data(), 0, text.size()));
      const auto before = nul != nullptr ? static_cast<std::size_t>(nul - text.data()) : text.size();
      CORLISS_CHECK(read_plain(text.first(before)));
      text = text.subspan(before);
      has_nul_ = nul != nullptr;
    }
    if (has_nul_ && !stopped_ &&
        std::any_of(text.begin(), text.end(), [](std::uint8_t c) { return c != 0; })) {
      return fail_here(Errc::nul);
    }
    return {};
  }

  Result<void> read_plain(ConstBytes text) {
    while (!text.empty() && !carry_.empty() && !stopped_) {
      // Just enough behind the broken token to end it, then on in the caller's own bytes.
      const std::size_t held = carry_.size();
      const std::size_t slice = std::min(text.size(), std::max(held, least_slice));
      carry_.append(text_of(text.first(slice)));
      const std::size_t used = run(bytes_of(carry_), false);
      if (error_) {
        return tl::unexpected(error_);
      }
      if (used >= held) {
        text = text.subspan(used - held);
        carry_.clear();
      } else {
        text = text.subspan(slice);
      }
    }
    if (!text.empty() && !stopped_) {
      const std::size_t used = run(text, false);
      if (error_) {
        return tl::unexpected(error_);
      }
      carry_.assign(text_of(text.subspan(used)));
    }
    return {};
  }

  // Runs the grammar over a window and returns how much of it is done with.
  std::size_t run(ConstBytes window, bool last) {
    static constexpr std::uint8_t nothing = 0;
    const std::uint8_t* const begin = window.empty() ? &nothing : window.data();
    const auto status = core_.run(begin, begin + window.size(), position_, last);
    if (status == Core::Status::failed) {
      const auto offset = static_cast<std::size_t>(core_.error_at() - begin);
      error_ = core_.error();
      note_open_blocks(window);
      place_ = {tracker_.after(window.first(offset)).place(), std::nullopt, {}};
      if (error_ == Errc::unexpected_end && !open_.empty()) {
        place_.opened = open_.back();
      }
      return 0;
    }
    if (status == Core::Status::stopped) {
      stopped_ = true;
      return window.size();
    }
    const auto used = static_cast<std::size_t>(core_.rest() - begin);
    note_open_blocks(window);
    tracker_.advance(window.first(used));
    position_ += used;
    return used;
  }

  // Places of blocks that opened in this window and outlive it.
  void note_open_blocks(ConstBytes window) {
    const auto& open = core_.open_blocks();
    // A block of before is still open if it opened before this window; equal depths may hide a change.
    while (!open_.empty() && (open_.size() > open.size() || open[open_.size() - 1] >= position_)) {
      open_.pop_back();
    }
    PlaceTracker at = tracker_;
    std::size_t done = 0;
    for (std::size_t i = open_.size(); i < open.size(); ++i) {
      const auto offset = static_cast<std::size_t>(open[i] - position_);
      at.advance(window.subspan(done, offset - done));
      done = offset;
      open_.push_back(at.place());
    }
  }

  const TextOptions options_;
  VisitorSink sink_;
  Core core_;
  std::size_t size_ = 0;
  bool encoding_known_ = false;
  Encoding encoding_ = Encoding::utf8;
  detail::Utf16Decoder decoder_{false};
  std::string head_;   // the first bytes, until a mark would be whole
  std::string carry_;  // a token that the last piece broke off in
  bool has_nul_ = false;
  bool stopped_ = false;
  std::uint64_t position_ = 0;  // of the next window, in UTF-8 after the mark
  PlaceTracker tracker_;        // the same as a place
  std::vector<Place> open_;
  std::error_code error_;
  ErrorPlace place_;
};

TextOptions stream_options() {
  TextOptions options;
  options.limits = Limits::for_streams();
  return options;
}

TextStream::TextStream(Visitor& visitor, TextOptions options)
    : impl_(std::make_unique<Impl>(visitor, std::move(options))) {}
TextStream::~TextStream() = default;
TextStream::TextStream(TextStream&&) noexcept = default;
TextStream& TextStream::operator=(TextStream&&) noexcept = default;

Result<void> TextStream::feed(ConstBytes piece) {
  return impl_->feed(piece);
}
Result<void> TextStream::finish() {
  return impl_->finish();
}
const ErrorPlace& TextStream::error_place() const noexcept {
  return impl_->error_place();
}
bool TextStream::stopped() const noexcept {
  return impl_->stopped();
}

}  // namespace corliss::keyvalues
