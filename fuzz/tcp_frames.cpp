// The stream is cut into pieces by the fuzzer; what comes out must be the stream again, frame by frame.
#include "fuzz.h"

#include <corliss/net/errc.h>
#include <corliss/net/tcp_frame.h>

#include <algorithm>
#include <vector>

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty()) {
    return;
  }
  // First byte: the longest piece, and whether the limit is low.
  const std::size_t longest = 1 + (input[0] & 0x7f);
  const std::size_t limit = (input[0] & 0x80) != 0 ? 64 : corliss::net::max_frame_size;
  const auto stream = input.subspan(1);
  corliss::net::TcpFrameReader reader(limit);
  std::vector<std::uint8_t> again;
  std::error_code error;
  std::vector<std::uint8_t> piece;
  for (std::size_t at = 0; at < stream.size() && !error;) {
    const std::size_t count = std::min(longest, stream.size() - at);
    piece.assign(stream.begin() + static_cast<std::ptrdiff_t>(at),
                 stream.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
    FUZZ_CHECK(reader.feed(piece));
    for (;;) {
      const auto next = reader.next();
      if (!next) {
        error = next.error();
        break;
      }
      if (!*next) {
        break;
      }
      FUZZ_CHECK((*next)->size() <= limit);
      std::array<std::uint8_t, corliss::net::tcp_frame_header_size> header;
      corliss::net::write_tcp_frame_header(header, static_cast<std::uint32_t>((*next)->size()));
      again.insert(again.end(), header.begin(), header.end());
      again.insert(again.end(), (*next)->begin(), (*next)->end());
    }
  }
  FUZZ_CHECK(again.size() <= stream.size() && std::equal(again.begin(), again.end(), stream.begin()));
  FUZZ_CHECK(!error || error == corliss::net::Errc::bad_magic ||
             error == corliss::net::Errc::frame_too_large);
  if (!error) {
    FUZZ_CHECK(reader.end_of_input().has_value() == (again.size() == stream.size()));
  }
}
