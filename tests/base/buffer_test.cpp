#include <corliss/base/buffer.h>

#include <algorithm>

namespace corliss {
namespace {

TEST(Buffer, GrowsAndKeepsItsContent) {
  Buffer buffer;
  EXPECT_TRUE(buffer.empty());
  buffer.append(bytes_of("one "));
  const auto room = buffer.extend(3);
  std::copy_n("two", 3, room.begin());
  EXPECT_EQ(text_of(buffer.bytes()), "one two");
  buffer.reserve(1000);
  EXPECT_EQ(buffer.capacity(), 1000u);
  EXPECT_EQ(text_of(buffer.bytes()), "one two");
  buffer.truncate(3);
  EXPECT_EQ(text_of(buffer.bytes()), "one");
  const auto* before = buffer.bytes().data();
  buffer.clear();
  buffer.append(bytes_of("again"));
  EXPECT_EQ(buffer.bytes().data(), before);  // capacity stays
}

TEST(Buffer, MovesLeaveAnEmptyOne) {
  Buffer a;
  a.append(bytes_of("secret"));
  Buffer b(std::move(a));
  EXPECT_EQ(a.size(), 0u);  // NOLINT(bugprone-use-after-move): that is the promise
  EXPECT_EQ(a.capacity(), 0u);
  a.append(bytes_of("x"));
  EXPECT_EQ(text_of(b.bytes()), "secret");
  a = std::move(b);
  EXPECT_EQ(text_of(a.bytes()), "secret");
  EXPECT_TRUE(b.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(Buffer, WipesWhatWasTruncatedToo) {
  Buffer buffer;
  buffer.append(bytes_of("a long secret"));
  buffer.truncate(1);
  const auto* data = buffer.bytes().data();
  buffer.clear_and_wipe();
  EXPECT_TRUE(std::all_of(data, data + 13, [](std::uint8_t byte) { return byte == 0; }));
  buffer.release();
  EXPECT_EQ(buffer.capacity(), 0u);
}

}  // namespace
}  // namespace corliss
