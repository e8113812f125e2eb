#include "bench/message.h"

#include "support/test_support.h"

#include <corliss/base/reader.h>

#include <string>

namespace corliss::bench {
namespace {

/// The fields of a protobuf message that holds varints, fixed64 and bytes, in order; fails the test at
/// anything else.
struct Field {
  std::uint64_t number = 0;
  ConstBytes bytes;
};

std::uint64_t varint(Reader& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = in.u8().value();
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      return value;
    }
  }
}

std::vector<Field> fields(ConstBytes message) {
  std::vector<Field> out;
  Reader in(message);
  while (!in.empty()) {
    const auto tag = varint(in);
    Field field{tag >> 3, {}};
    switch (tag & 7) {
      case 0:
        varint(in);
        break;
      case 1:
        (void)in.u64().value();
        break;
      case 2:
        field.bytes = in.bytes(varint(in)).value();
        break;
      default:
        ADD_FAILURE() << "wire type " << (tag & 7);
        return out;
    }
    out.push_back(field);
  }
  return out;
}

TEST(ProductInfoMessage, HasExactlyTheSizeAskedFor) {
  for (const std::size_t size : {0, 1, 15, 16, 64, 128, 255, 256, 670, 1500, 16384, 16385, 16500, 70000}) {
    EXPECT_EQ(product_info_message(size).size(), size);
  }
}

TEST(ProductInfoMessage, IsAWholeMessageWithKeyValues) {
  for (std::size_t size = min_whole_message_size; size < min_whole_message_size + 600; ++size) {
    const auto message = product_info_message(size);
    Reader in(message);
    ASSERT_EQ(in.u32().value(), 8904u | 0x80000000u);
    const auto header = fields(in.bytes(in.u32().value()).value());
    ASSERT_EQ(header.size(), 3u);
    const auto body = fields(in.take_rest());
    ASSERT_EQ(body.size(), 1u);
    const auto app = fields(body[0].bytes);
    ASSERT_EQ(app.size(), 5u);
    ASSERT_EQ(app[4].number, 5u);
    const auto text = text_of(app[4].bytes);
    ASSERT_EQ(text.substr(0, 11), "\"appinfo\"\n{");
    ASSERT_EQ(text.substr(text.size() - 3), std::string_view("\n}\n\0", 4).substr(1)) << size;
    ASSERT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  }
}

}  // namespace
}  // namespace corliss::bench
