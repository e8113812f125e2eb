#include "support/allocations.h"
#include "support/test_support.h"

#include <corliss/base/endian.h>
#include <corliss/base/hex.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>

#include <libdeflate.h>

namespace corliss::proto {
namespace {

using Packet = std::vector<std::uint8_t>;

/// What came out of a packet: messages as hex, then the error if there was one.
struct Outcome {
  std::vector<std::string> messages;
  std::error_code error;
};

Outcome unpack(MultiReader& reader, ConstBytes packet) {
  Outcome out;
  reader.begin(packet);
  for (;;) {
    const auto message = reader.next();
    if (!message) {
      out.error = message.error();
      EXPECT_EQ(reader.next().error(), out.error) << "the error stays";
      return out;
    }
    if (!*message) {
      EXPECT_EQ(reader.next().value(), std::nullopt) << "the end stays";
      return out;
    }
    out.messages.push_back(to_hex(**message));
  }
}

Outcome unpack(ConstBytes packet, const MultiLimits& limits = {}) {
  MultiReader reader(limits);
  return unpack(reader, packet);
}

/// A Multi of any body, its declared size free.
Packet multi_of(ConstBytes body, std::uint32_t size_unzipped) {
  CMsgMulti multi;
  if (size_unzipped != 0) {
    multi.set_size_unzipped(size_unzipped);
  }
  multi.set_message_body(std::string(text_of(body)));
  Packet out(message_size(CMsgProtoBufHeader(), multi));
  EXPECT_TRUE(write_message(EMsg::Multi, CMsgProtoBufHeader(), multi, out));
  return out;
}

Packet gzip(ConstBytes plain) {
  auto* const compressor = libdeflate_alloc_compressor(12);
  Packet out(libdeflate_gzip_compress_bound(compressor, plain.size()));
  out.resize(libdeflate_gzip_compress(compressor, plain.data(), plain.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

Packet with_lengths(const std::vector<Packet>& messages) {
  Packet out;
  for (const auto& message : messages) {
    std::array<std::uint8_t, 4> size{};
    store_le(size.data(), static_cast<std::uint32_t>(message.size()));
    out.insert(out.end(), size.begin(), size.end());
    out.insert(out.end(), message.begin(), message.end());
  }
  return out;
}

Packet make(const std::vector<Packet>& messages, MultiPacking packing) {
  const std::vector<ConstBytes> views(messages.begin(), messages.end());
  return *make_multi(views, packing);
}

const Packet hello = test::hex("4d2600800000000008ad8004");
const Packet struct_message =
    test::hex("7b0000002402002a00000000000000ffffffffffffffffefba560000010010017929edff");

TEST(Multi, AnyOtherPacketGivesItself) {
  for (const auto& packet : {hello, struct_message, test::hex("ffffff7f"), test::hex("0100000000000000")}) {
    const auto out = unpack(packet);
    EXPECT_FALSE(out.error);
    EXPECT_EQ(out.messages, std::vector<std::string>{to_hex(packet)});
  }
}

TEST(Multi, GivesItsMessagesInOrder) {
  const auto inner = make({struct_message, hello}, MultiPacking::gzip);
  for (const auto packing : {MultiPacking::plain, MultiPacking::gzip}) {
    const auto out = unpack(make({hello, inner, struct_message, make({}, packing), hello}, packing));
    EXPECT_FALSE(out.error) << out.error.message();
    EXPECT_EQ(out.messages, (std::vector<std::string>{to_hex(hello), to_hex(struct_message), to_hex(hello),
                                                      to_hex(struct_message), to_hex(hello)}));
  }
}

TEST(Multi, FieldsMayComeInAnyOrderTwiceOrUnknown) {
  // message_body, size_unzipped 5 and then 0 (the last counts), field 9 of each wire type, message_body
  // again.
  const auto part = to_hex(with_lengths({hello}));
  const auto packet = test::hex(
      "0100008000000000"
      "1201ff"
      "0805"
      "0800"
      "4a0161"
      "4d01020304"
      "490102030405060708"
      "4805"
      "1210" +
      part);
  const auto out = unpack(packet);
  EXPECT_FALSE(out.error) << out.error.message();
  EXPECT_EQ(out.messages, std::vector<std::string>{to_hex(hello)});
}

TEST(Multi, RefusesMalformedOnes) {
  const auto zipped = gzip(with_lengths({hello}));
  const auto size = static_cast<std::uint32_t>(hello.size() + 4);
  const auto cut = [&](std::size_t by) {
    return Packet(zipped.begin(), zipped.end() - static_cast<std::ptrdiff_t>(by));
  };
  auto bad_crc = zipped;
  bad_crc[bad_crc.size() - 5] ^= 1;
  auto twice = zipped;
  twice.insert(twice.end(), zipped.begin(), zipped.end());
  auto trailing = zipped;
  trailing.push_back(0);
  struct Bad {
    const char* name;
    Packet packet;
    std::error_code why;
  };
  const std::vector<Bad> rows{
      {"nothing", {}, Errc::message_too_short},
      {"three bytes", test::hex("010000"), Errc::message_too_short},
      {"no header length", test::hex("01000080"), Errc::message_too_short},
      {"header length beyond the end", test::hex("0100008001000000"), Errc::bad_header_length},
      {"header garbage", test::hex("0100008002000000ffff"), Errc::bad_header},
      {"body garbage", test::hex("0100008000000000ff"), Errc::bad_body},
      {"body longer than the packet", test::hex("01000080000000001205"), Errc::bad_body},
      {"body of 2^32 - 1", test::hex("010000800000000012ffffffff0f"), Errc::bad_body},
      {"tag of 6 bytes", test::hex("01000080000000008887a7e1c57d01"), Errc::bad_body},
      {"length of 2^32", test::hex("0100008000000000128080808010"), Errc::bad_body},
      {"fixed64 cut", test::hex("0100008000000000190000"), Errc::bad_body},
      {"fixed32 cut", test::hex("01000080000000001d0000"), Errc::bad_body},
      {"a group", test::hex("01000080000000001b1c"), Errc::bad_body},
      {"end of a group", test::hex("01000080000000000c"), Errc::bad_body},
      {"field number 0", test::hex("01000080000000000000"), Errc::bad_body},
      {"half a length", multi_of(test::hex("0c0000"), 0), Errc::multi_bad_part},
      {"part beyond the end", multi_of(test::hex("0d0000004d2600800000000008ad8004"), 0),
       Errc::multi_bad_part},
      {"part of 2^31", multi_of(test::hex("00000080616263"), 0), Errc::multi_bad_part},
      {"part of 2^32 - 1", multi_of(test::hex("ffffffff61626364"), 0), Errc::multi_bad_part},
      {"part of 2^32 - 4", multi_of(test::hex("fcffffff61626364"), 0), Errc::multi_bad_part},
      {"empty part", multi_of(test::hex("00000000"), 0), Errc::message_too_short},
      {"part of 3 bytes", multi_of(test::hex("030000004d2600"), 0), Errc::message_too_short},
      {"nested Multi without header length", multi_of(test::hex("0400000001000080"), 0),
       Errc::message_too_short},
      {"no gzip", multi_of(test::hex("6e6f7420677a6970"), 50), Errc::multi_bad_gzip},
      {"nothing to unpack", multi_of({}, 50), Errc::multi_bad_gzip},
      {"zlib", multi_of(test::hex("789c030000000001"), 5), Errc::multi_bad_gzip},
      {"trailer cut", multi_of(cut(8), size), Errc::multi_bad_gzip},
      {"last byte cut", multi_of(cut(1), size), Errc::multi_bad_gzip},
      {"half", multi_of(cut(zipped.size() / 2), size), Errc::multi_bad_gzip},
      {"wrong CRC", multi_of(bad_crc, size), Errc::multi_bad_gzip},
      {"declared one less", multi_of(zipped, size - 1), Errc::multi_bad_size},
      {"declared one more", multi_of(zipped, size + 1), Errc::multi_bad_size},
      {"two members", multi_of(twice, size), Errc::multi_bad_gzip},
      {"two members, both declared", multi_of(twice, 2 * size), Errc::multi_bad_size},
      {"a byte behind", multi_of(trailing, size), Errc::multi_bad_gzip},
      {"more than deflate can make", multi_of(zipped, static_cast<std::uint32_t>(1040 * zipped.size() + 65)),
       Errc::multi_bad_size},
      {"just as much", multi_of(zipped, static_cast<std::uint32_t>(1040 * zipped.size() + 64)),
       Errc::multi_bad_size},
      {"2^31", multi_of(zipped, 0x80000000), Errc::multi_bad_size},
      {"2^32 - 1", multi_of(zipped, 0xFFFFFFFF), Errc::multi_bad_size},
  };
  for (const auto& row : rows) {
    const auto out = unpack(row.packet);
    EXPECT_EQ(out.error, row.why) << row.name << ": " << out.error.message();
    EXPECT_TRUE(out.messages.empty()) << row.name;
  }
}

TEST(Multi, EveryTruncationIsRefused) {
  const auto packet = make({hello, struct_message}, MultiPacking::gzip);
  for (std::size_t size = 0; size < packet.size(); ++size) {
    const auto out = unpack(ConstBytes(packet).first(size));
    if (size == 8) {  // a Multi of no body at all
      EXPECT_FALSE(out.error);
      continue;
    }
    EXPECT_TRUE(out.error) << size;
  }
}

TEST(Multi, WhatCameBeforeAnErrorWasGood) {
  auto body = with_lengths({hello, struct_message});
  body.push_back(1);
  const auto out = unpack(multi_of(body, 0));
  EXPECT_EQ(out.error, Errc::multi_bad_part);
  EXPECT_EQ(out.messages, (std::vector<std::string>{to_hex(hello), to_hex(struct_message)}));
}

TEST(Multi, NestingIsLimited) {
  auto packet = hello;
  for (std::size_t depth = 1; depth <= 12; ++depth) {
    packet = make({packet}, depth % 2 == 0 ? MultiPacking::gzip : MultiPacking::plain);
    const auto out = unpack(packet);
    EXPECT_EQ(out.error, depth <= 8 ? std::error_code() : Errc::multi_too_deep) << depth;
    EXPECT_EQ(unpack(packet, {.depth = depth}).messages.size(), 1U);
    EXPECT_EQ(unpack(packet, {.depth = depth - 1}).error, Errc::multi_too_deep);
  }
}

TEST(Multi, UnpackedSizeIsLimitedBeforeAnythingIsAllocated) {
  const Packet zeros(std::size_t{1} << 20);
  const auto bomb = multi_of(gzip(zeros), 1U << 20);
  MultiReader reader({.unpacked_size = (std::size_t{1} << 20) - 1});
  EXPECT_EQ(unpack(reader, hello).messages.size(), 1U);
  (void)unpack(reader, make({hello}, MultiPacking::plain));  // makes what a reader keeps
  const test::AllocationCount count;
  reader.begin(bomb);
  EXPECT_EQ(reader.next().error(), Errc::multi_too_large);
  EXPECT_LT(count.bytes(), 1000U);
  // One byte more of limit, and it is unpacked, to find parts of no size in it.
  EXPECT_EQ(unpack(bomb, {.unpacked_size = std::size_t{1} << 20}).error, Errc::message_too_short);
}

TEST(Multi, ALieAboutTheSizeAllocatesNothing) {
  MultiReader reader;
  (void)unpack(reader, make({hello}, MultiPacking::plain));
  const auto lie = multi_of(gzip(hello), 100U << 20);
  const test::AllocationCount count;
  reader.begin(lie);
  EXPECT_EQ(reader.next().error(), Errc::multi_bad_size);
  EXPECT_LT(count.bytes(), 1000U);
}

TEST(Multi, TheLimitIsForAllOfAPacketTogether) {
  const Packet filler(100000 - 4, 0x7F);
  const auto inner = make({filler}, MultiPacking::gzip);  // unpacks to 100,000 bytes
  const auto packet = make({inner, inner, inner}, MultiPacking::plain);
  EXPECT_EQ(unpack(packet, {.unpacked_size = 300000}).messages.size(), 3U);
  const auto out = unpack(packet, {.unpacked_size = 299999});
  EXPECT_EQ(out.error, Errc::multi_too_large);
  EXPECT_EQ(out.messages.size(), 2U);
  // The next packet starts anew.
  MultiReader reader({.unpacked_size = 300000});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(unpack(reader, packet).messages.size(), 3U);
  }
}

TEST(Multi, BombsWithinBombsEndInTheLimit) {
  // Each level unpacks to 20 copies of the one below.
  auto packet = make({Packet(50000, 0x7F)}, MultiPacking::gzip);
  for (int level = 0; level < 4; ++level) {
    packet = make(std::vector<Packet>(20, packet), MultiPacking::gzip);
  }
  const auto out = unpack(packet, {.unpacked_size = std::size_t{2} << 20});
  EXPECT_EQ(out.error, Errc::multi_too_large);
}

TEST(Multi, AllocatesNothingOnceWarm) {
  const auto packet =
      make({hello, make({struct_message, hello}, MultiPacking::gzip), hello}, MultiPacking::gzip);
  const auto plain = make({hello, struct_message}, MultiPacking::plain);
  MultiReader reader;
  const auto round = [&] {
    std::size_t messages = 0;
    for (const auto& each : {ConstBytes(packet), ConstBytes(plain), ConstBytes(hello)}) {
      reader.begin(each);
      while (const auto message = *reader.next()) {
        ++messages;
      }
    }
    return messages;
  };
  ASSERT_EQ(round(), 7U);
  const test::AllocationCount count;
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(round(), 7U);
  }
  EXPECT_EQ(count.calls(), 0U);
}

TEST(Multi, LargeBuffersAreGivenBack) {
  const auto large = make({Packet(5000, 0x7F)}, MultiPacking::gzip);
  MultiReader reader({.kept_size = 5003});
  EXPECT_EQ(unpack(reader, large).messages.size(), 1U);
  reader.begin(hello);
  const test::AllocationCount count;
  reader.begin(large);
  EXPECT_TRUE(reader.next().value());
  EXPECT_EQ(count.calls(), 1U) << "the buffer was kept";
}

TEST(Multi, PlainMessagesAreNotCopied) {
  const auto packet = make({hello}, MultiPacking::plain);
  MultiReader reader;
  reader.begin(packet);
  const auto message = reader.next().value();
  EXPECT_EQ(message->data(), packet.data() + packet.size() - hello.size());
}

TEST(Multi, MovesWithWhatItHolds) {
  const auto packet = make({hello, struct_message}, MultiPacking::gzip);
  MultiReader first;
  first.begin(packet);
  EXPECT_EQ(to_hex(*first.next().value()), to_hex(hello));
  MultiReader second(std::move(first));
  EXPECT_EQ(to_hex(*second.next().value()), to_hex(struct_message));
  EXPECT_EQ(second.next().value(), std::nullopt);
}

TEST(Multi, MadeOnesReadBack) {
  test::TestRng random;
  MultiReader reader;
  for (int round = 0; round < 50; ++round) {
    std::vector<Packet> messages(random.between(0, 20));
    std::vector<std::string> expected;
    for (auto& message : messages) {
      message = random.bytes(random.between(4, 300));
      message[0] = 2;  // no Multi
      expected.push_back(to_hex(message));
    }
    for (const auto packing : {MultiPacking::plain, MultiPacking::gzip}) {
      const auto out = unpack(reader, make(messages, packing));
      ASSERT_FALSE(out.error) << out.error.message();
      ASSERT_EQ(out.messages, expected);
    }
  }
}

TEST(Multi, TooLargeOnesAreNotMade) {
  const Packet half(max_message_size / 2);
  const std::array<ConstBytes, 2> two{half, half};
  EXPECT_EQ(make_multi(two, MultiPacking::plain).error(), Errc::message_too_large);
  const Packet larger(max_message_size + 1);
  EXPECT_EQ(make_multi(std::array<ConstBytes, 1>{larger}, MultiPacking::gzip).error(),
            Errc::message_too_large);
}

}  // namespace
}  // namespace corliss::proto
