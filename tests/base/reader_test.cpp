#include <corliss/base/reader.h>
#include <corliss/base/writer.h>

namespace corliss {
namespace {

TEST(Reader, ReadsWhatWriterWrote) {
  Writer out;
  out.u8(1);
  out.u16(0x0203);
  out.u32(0x04050607);
  out.u64(0x08090a0b0c0d0e0f);
  out.i32(-2);
  out.bytes(bytes_of("xyz"));
  EXPECT_EQ(out.view()[1], 0x03);  // little-endian
  Reader in(out.view());
  EXPECT_EQ(in.u8().value(), 1);
  EXPECT_EQ(in.u16().value(), 0x0203);
  EXPECT_EQ(in.u32().value(), 0x04050607u);
  EXPECT_EQ(in.u64().value(), 0x08090a0b0c0d0e0fu);
  EXPECT_EQ(in.i32().value(), -2);
  EXPECT_EQ(in.offset(), 19u);
  EXPECT_EQ(in.expect_end().error(), BaseErrc::trailing_bytes);
  EXPECT_EQ(text_of(in.take_rest()), "xyz");
  EXPECT_TRUE(in.expect_end());
}

TEST(Reader, ShortReadsFailAndMoveNothing) {
  const std::vector<std::uint8_t> bytes(7);
  Reader in(bytes);
  EXPECT_EQ(in.u64().error(), BaseErrc::truncated);
  EXPECT_EQ(in.bytes(8).error(), BaseErrc::truncated);
  EXPECT_EQ(in.skip(SIZE_MAX).error(), BaseErrc::truncated);
  EXPECT_EQ(in.remaining(), 7u);
  EXPECT_TRUE(in.skip(7));
  EXPECT_EQ(in.u8().error(), BaseErrc::truncated);
  EXPECT_EQ(in.u16().error(), BaseErrc::truncated);
  EXPECT_EQ(in.u32().error(), BaseErrc::truncated);
}

TEST(Endian, BigAndLittleAreMirrored) {
  std::uint8_t buffer[4];
  store_be<std::uint32_t>(buffer, 0x01020304);
  EXPECT_EQ(buffer[0], 1);
  EXPECT_EQ(load_le<std::uint32_t>(buffer), 0x04030201u);
  EXPECT_EQ(load_be<std::uint32_t>(buffer), 0x01020304u);
  EXPECT_EQ(load_be<std::uint16_t>(buffer), 0x0102u);
}

}  // namespace
}  // namespace corliss
