#include "keyvalues/binary_core.h"

#include <corliss/keyvalues/binary.h>

#include <algorithm>
#include <string>
#include <utility>

namespace corliss::keyvalues {
namespace {

class VisitorSink {
 public:
  explicit VisitorSink(Visitor& visitor) noexcept : visitor_(&visitor) {}

  Next block(const std::uint8_t* name, std::size_t name_size) {
    return visitor_->on_block(text_of({name, name_size}), {});
  }
  Next leaf(Type type, const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
            std::size_t size) {
    const Value number = Value::of_bits(type, size == 8   ? load_le<std::uint64_t>(value)
                                              : size == 4 ? load_le<std::uint32_t>(value)
                                                          : 0);
    return visitor_->on_leaf(text_of({name, name_size}),
                             type == Type::string ? Value(text_of({value, size})) : number, {});
  }
  Next end() { return visitor_->on_end(); }

 private:
  Visitor* visitor_;
};

using Core = detail::BinaryCore<VisitorSink>;

}  // namespace

class BinaryStream::Impl {
 public:
  Impl(Visitor& visitor, const BinaryOptions& options)
      : sink_(visitor), core_(sink_, options.limits, options.all_roots), max_size_(options.limits.max_size) {}

  Result<std::size_t> feed(ConstBytes piece) {
    if (error_) {
      return tl::unexpected(error_);
    }
    std::size_t taken = 0;
    while (taken < piece.size() && !done_) {
      if (stopped_) {
        return piece.size();
      }
      auto rest = piece.subspan(taken);
      if (position_ + carry_.size() >= max_size_) {
        return refuse(Errc::too_large, position_ + carry_.size());
      }
      rest =
          rest.first(std::min(rest.size(), max_size_ - static_cast<std::size_t>(position_) - carry_.size()));
      const std::size_t held = carry_.size();
      if (held == 0) {
        CORLISS_TRY(const std::size_t used, run(rest, false));
        if (!done_) {
          carry_.assign(text_of(rest.subspan(used)));
        }
        taken += done_ ? used : rest.size();
        continue;
      }
      // Just enough behind the broken node to end it, then on in the caller's own bytes.
      const std::size_t slice = std::min(rest.size(), std::max(held, least_slice));
      carry_.append(text_of(rest.first(slice)));
      CORLISS_TRY(const std::size_t used, run(bytes_of(carry_), false));
      if (used >= held) {
        taken += used - held;
        carry_.clear();
      } else {
        taken += slice;
      }
    }
    return taken;
  }

  Result<void> finish() {
    if (error_) {
      return tl::unexpected(error_);
    }
    if (!done_ && !stopped_) {
      CORLISS_CHECK(run(bytes_of(carry_), true));
    }
    return {};
  }

  [[nodiscard]] bool done() const noexcept { return done_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] const ErrorPlace& error_place() const noexcept { return place_; }

 private:
  static constexpr std::size_t least_slice = 64;

  tl::unexpected<std::error_code> refuse(std::error_code error, std::uint64_t offset) {
    error_ = error;
    place_ = {{offset, 0, 0}, std::nullopt, {}};
    return tl::unexpected(error);
  }

  // How much of the window is done with.
  Result<std::size_t> run(ConstBytes window, bool last) {
    static constexpr std::uint8_t nothing = 0;
    const std::uint8_t* const begin = window.empty() ? &nothing : window.data();
    const auto status = core_.run(begin, begin + window.size(), position_, last);
    if (status == Core::Status::failed) {
      auto refused = refuse(core_.error(), position_ + static_cast<std::uint64_t>(core_.error_at() - begin));
      if (core_.error() == Errc::unexpected_end && !core_.open_blocks().empty()) {
        place_.opened = Place{core_.open_blocks().back(), 0, 0};
      }
      return refused;
    }
    if (status == Core::Status::stopped) {
      stopped_ = true;
      return window.size();
    }
    done_ = status == Core::Status::done;
    const auto used = static_cast<std::size_t>(core_.rest() - begin);
    position_ += used;
    return used;
  }

  VisitorSink sink_;
  Core core_;
  const std::size_t max_size_;
  std::uint64_t position_ = 0;  // of the next window
  std::string carry_;           // a node that the last piece broke off in
  bool done_ = false;
  bool stopped_ = false;
  std::error_code error_;
  ErrorPlace place_;
};

BinaryStream::BinaryStream(Visitor& visitor, BinaryOptions options)
    : impl_(std::make_unique<Impl>(visitor, options)) {}
BinaryStream::~BinaryStream() = default;
BinaryStream::BinaryStream(BinaryStream&&) noexcept = default;
BinaryStream& BinaryStream::operator=(BinaryStream&&) noexcept = default;

Result<std::size_t> BinaryStream::feed(ConstBytes piece) {
  return impl_->feed(piece);
}
Result<void> BinaryStream::finish() {
  return impl_->finish();
}
bool BinaryStream::done() const noexcept {
  return impl_->done();
}
bool BinaryStream::stopped() const noexcept {
  return impl_->stopped();
}
const ErrorPlace& BinaryStream::error_place() const noexcept {
  return impl_->error_place();
}

}  // namespace corliss::keyvalues
