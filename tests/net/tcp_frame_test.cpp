#include "support/allocations.h"
#include "support/test_support.h"

#include <corliss/base/endian.h>
#include <corliss/net/errc.h>
#include <corliss/net/tcp_frame.h>

#include <fstream>

namespace corliss::net {
namespace {

using Frames = std::vector<std::vector<std::uint8_t>>;

std::vector<std::uint8_t> frame(ConstBytes payload) {
  std::vector<std::uint8_t> out(tcp_frame_header_size);
  write_tcp_frame_header(std::span(out).first<tcp_frame_header_size>(),
                         static_cast<std::uint32_t>(payload.size()));
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

/// Feeds one piece and drains it; the first error, if any.
std::error_code feed(TcpFrameReader& reader, std::vector<std::uint8_t> piece, Frames& frames) {
  if (auto fed = reader.feed(piece); !fed) {
    return fed.error();
  }
  for (;;) {
    auto next = reader.next();
    if (!next) {
      return next.error();
    }
    if (!*next) {
      return {};
    }
    frames.emplace_back((*next)->begin(), (*next)->end());
  }
}

nlohmann::json vectors() {
  return nlohmann::json::parse(std::ifstream(test::data("net/transport.json")));
}

TEST(TcpFrame, Vectors) {
  const auto cases = vectors();
  ASSERT_EQ(cases["tcp"].size(), 2u);
  for (const auto& vector : cases["tcp"]) {
    const auto bytes = test::hex(vector["frame"]);
    const auto payload = test::hex(vector["payload"]);
    EXPECT_EQ(frame(payload), bytes);
    TcpFrameReader reader;
    Frames frames;
    EXPECT_FALSE(feed(reader, bytes, frames));
    EXPECT_EQ(frames, Frames{payload}) << vector["name"];
  }
}

TEST(TcpFrame, MalformedVectors) {
  const std::map<std::string, Errc> expected{{"bad-magic", Errc::bad_magic},
                                             {"magic-byte-swapped", Errc::bad_magic},
                                             {"truncated-payload-then-eof", Errc::stream_truncated},
                                             {"truncated-header-then-eof", Errc::stream_truncated},
                                             {"length-over-limit", Errc::frame_too_large}};
  const auto cases = vectors();
  ASSERT_EQ(cases["tcp_malformed"].size(), expected.size());
  for (const auto& vector : cases["tcp_malformed"]) {
    TcpFrameReader reader;
    Frames frames;
    std::error_code error = feed(reader, test::hex(vector["bytes"]), frames);
    if (!error) {
      const auto ended = reader.end_of_input();
      ASSERT_FALSE(ended) << vector["name"];
      error = ended.error();
    }
    EXPECT_EQ(error, expected.at(vector["name"])) << vector["name"];
    EXPECT_TRUE(frames.empty());
    EXPECT_EQ(reader.feed({}).error(), error) << "the first error is final";
    EXPECT_EQ(reader.next().error(), error);
    EXPECT_EQ(reader.end_of_input().error(), error);
  }
}

TEST(TcpFrame, EverySplitGivesTheSameFrames) {
  test::TestRng rng;
  Frames sent;
  std::vector<std::uint8_t> stream;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8},
                                 std::size_t{670}, std::size_t{0}, std::size_t{9000}, std::size_t{3}}) {
    sent.push_back(rng.bytes(size));
    const auto bytes = frame(sent.back());
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  // Every split in two pieces, then random splits, single bytes among them.
  for (std::size_t at = 0; at <= stream.size(); ++at) {
    TcpFrameReader reader;
    Frames frames;
    const auto middle = stream.begin() + static_cast<std::ptrdiff_t>(at);
    ASSERT_FALSE(feed(reader, {stream.begin(), middle}, frames));
    ASSERT_FALSE(feed(reader, {middle, stream.end()}, frames));
    ASSERT_EQ(frames, sent) << "split at " << at;
    ASSERT_TRUE(reader.end_of_input());
  }
  for (int round = 0; round < 50; ++round) {
    TcpFrameReader reader;
    Frames frames;
    const std::size_t longest = rng.between(1, 3000);
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t count = std::min(rng.between(1, longest), stream.size() - at);
      const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(at);
      ASSERT_FALSE(feed(reader, {begin, begin + static_cast<std::ptrdiff_t>(count)}, frames));
      at += count;
    }
    ASSERT_EQ(frames, sent);
  }
}

TEST(TcpFrame, EveryTruncationIsNoticedAtTheEnd) {
  const auto bytes = frame(test::TestRng().bytes(20));
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    TcpFrameReader reader;
    Frames frames;
    ASSERT_FALSE(feed(reader, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, frames));
    EXPECT_TRUE(reader.inside_frame());
    EXPECT_EQ(reader.end_of_input().error(), Errc::stream_truncated);
  }
}

TEST(TcpFrame, HostileLengthsAllocateNothing) {
  constexpr std::size_t limit = 100'000;
  (void)make_error_code(
      Errc::frame_too_large);  // its category is made once, and registers its end with malloc
  struct Case {
    std::uint32_t length;
    bool refused;
  };
  for (const auto& c : {Case{0, false}, Case{1, false}, Case{limit, false}, Case{limit + 1, true},
                        Case{std::uint32_t{1} << 31, true}, Case{UINT32_MAX, true}}) {
    std::vector<std::uint8_t> header(tcp_frame_header_size);
    write_tcp_frame_header(std::span(header).first<tcp_frame_header_size>(), c.length);
    TcpFrameReader reader(limit);
    ASSERT_TRUE(reader.feed(header));
    const test::AllocationCount count;
    const auto next = reader.next();
    const std::size_t allocated = count.bytes();
    EXPECT_LE(allocated, 4096u) << c.length;
    ASSERT_EQ(!next, c.refused) << c.length;
    if (c.refused) {
      EXPECT_EQ(next.error(), Errc::frame_too_large);
      EXPECT_EQ(allocated, 0u);
    }
  }
}

TEST(TcpFrame, MemoryGrowsWithWhatArrives) {
  TcpFrameReader reader;
  std::vector<std::uint8_t> stream(tcp_frame_header_size);
  write_tcp_frame_header(std::span(stream).first<tcp_frame_header_size>(), max_frame_size);
  ASSERT_TRUE(reader.feed(stream));
  ASSERT_TRUE(reader.next());
  std::vector<std::uint8_t> piece(10'000);
  std::size_t arrived = 0;
  const test::AllocationCount count;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(reader.feed(piece));
    ASSERT_TRUE(reader.next());
    arrived += piece.size();
    EXPECT_LE(count.bytes(), 4 * arrived + 8192);  // doubling: all buffers together
  }
}

TEST(TcpFrame, SteadyStateAllocatesNothing) {
  test::TestRng rng;
  std::vector<std::uint8_t> stream;
  for (int i = 0; i < 100; ++i) {
    const auto bytes = frame(rng.bytes(670));
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  TcpFrameReader reader;
  int frames = 0;
  const auto run = [&] {
    for (std::size_t at = 0; at < stream.size(); at += 1000) {
      ASSERT_TRUE(reader.feed(Bytes(stream).subspan(at, std::min<std::size_t>(1000, stream.size() - at))));
      while (reader.next().value()) {
        ++frames;
      }
    }
  };
  run();
  const test::AllocationCount count;
  run();
  EXPECT_EQ(frames, 200);
  EXPECT_EQ(count.calls(), 0u);
}

TEST(TcpFrame, FramesInOnePieceAreHandedOutInPlace) {
  auto bytes = frame(bytes_of("in place"));
  TcpFrameReader reader;
  ASSERT_TRUE(reader.feed(bytes));
  EXPECT_EQ(reader.feed(bytes).error(), Errc::not_drained);
  const auto payload = reader.next().value().value();
  EXPECT_EQ(payload.data(), bytes.data() + tcp_frame_header_size);
  EXPECT_TRUE(reader.feed(bytes));
}

TEST(TcpFrame, LimitAppliesToFramesNotLookedAtYet) {
  auto stream = frame(std::vector<std::uint8_t>(10));
  const auto larger = frame(std::vector<std::uint8_t>(100));
  stream.insert(stream.end(), larger.begin(), larger.end());
  TcpFrameReader reader(10);
  ASSERT_TRUE(reader.feed(stream));
  ASSERT_EQ(reader.next().value().value().size(), 10u);
  reader.set_limit(100);
  EXPECT_EQ(reader.next().value().value().size(), 100u);
}

}  // namespace
}  // namespace corliss::net
