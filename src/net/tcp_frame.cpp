#include <corliss/base/endian.h>
#include <corliss/net/errc.h>
#include <corliss/net/tcp_frame.h>

#include <algorithm>

namespace corliss::net {
namespace {

constexpr std::uint32_t tcp_magic = 0x31305456;  // "VT01"
// The least that a buffer for a spread frame grows by; small frames fit at once.
constexpr std::size_t growth_step = 2048;

}  // namespace

void write_tcp_frame_header(std::span<std::uint8_t, tcp_frame_header_size> out,
                            std::uint32_t payload) noexcept {
  store_le<std::uint32_t>(out.data(), payload);
  store_le<std::uint32_t>(out.data() + 4, tcp_magic);
}

Result<void> TcpFrameReader::feed(Bytes piece) noexcept {
  if (error_) {
    return fail(error_);
  }
  if (!input_.empty()) {
    return fail(Errc::not_drained);
  }
  input_ = piece;
  complete_.clear();
  return {};
}

Result<std::size_t> TcpFrameReader::check(ConstBytes header) noexcept {
  if (load_le<std::uint32_t>(header.data() + 4) != tcp_magic) {
    error_ = Errc::bad_magic;
    return fail(error_);
  }
  const std::size_t payload = load_le<std::uint32_t>(header.data());
  if (payload > limit_) {
    error_ = Errc::frame_too_large;
    return fail(error_);
  }
  return payload;
}

bool TcpFrameReader::gather(std::size_t upto) {
  const std::size_t count = std::min(upto - partial_.size(), input_.size());
  const std::size_t need = partial_.size() + count;
  if (need > partial_.capacity()) {
    // Never the announced length in one go: at most twice what has arrived.
    partial_.reserve(
        std::min(std::max({need, 2 * partial_.capacity(), growth_step}), std::max(upto, growth_step)));
  }
  partial_.append(input_.first(count));
  input_ = input_.subspan(count);
  return partial_.size() == upto;
}

Result<std::optional<Bytes>> TcpFrameReader::next() {
  if (error_) {
    return fail(error_);
  }
  if (partial_.empty() && input_.size() >= tcp_frame_header_size) {
    CORLISS_TRY(const std::size_t payload, check(input_.first(tcp_frame_header_size)));
    const std::size_t whole = tcp_frame_header_size + payload;
    if (input_.size() >= whole) {
      const Bytes frame = input_.first(whole);
      input_ = input_.subspan(whole);
      return frame.subspan(tcp_frame_header_size);
    }
  }
  if (input_.empty()) {
    return std::nullopt;
  }
  if (partial_.size() < tcp_frame_header_size && !gather(tcp_frame_header_size)) {
    return std::nullopt;
  }
  CORLISS_TRY(const std::size_t payload, check(partial_.bytes()));
  if (!gather(tcp_frame_header_size + payload)) {
    return std::nullopt;
  }
  complete_.swap(partial_);
  partial_.clear();
  return complete_.bytes().subspan(tcp_frame_header_size);
}

Result<void> TcpFrameReader::end_of_input() noexcept {
  if (error_) {
    return fail(error_);
  }
  if (!input_.empty()) {
    return fail(Errc::not_drained);
  }
  error_ = inside_frame() ? Errc::stream_truncated : Errc::closed_by_peer;
  if (inside_frame()) {
    return fail(error_);
  }
  return {};
}

void TcpFrameReader::wipe_rest() noexcept {
  wipe(input_);
  input_ = {};
  partial_.release();
}

void TcpFrameReader::trim() noexcept {
  complete_.release();
  if (partial_.empty()) {
    partial_.release();
  }
}

}  // namespace corliss::net
