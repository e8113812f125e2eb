#include "support/test_support.h"

#include <corliss/base/base64.h>

namespace corliss {
namespace {

// RFC 4648 section 10.
TEST(Base64, RfcVectors) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(to_base64(bytes_of(plain)), text);
    EXPECT_EQ(text_of(from_base64(text).value()), plain);
  }
}

TEST(Base64, RoundTrips) {
  test::TestRng rng;
  for (std::size_t size = 0; size < 100; ++size) {
    const auto bytes = rng.bytes(size);
    EXPECT_EQ(from_base64(to_base64(bytes)).value(), bytes);
  }
}

TEST(Base64, RefusesEverythingElse) {
  for (const char* text : {"Z", "Zg", "Zg=", "=", "====", "Zg==Zg==", "Z===", "Zh==", "Zm9=", "Zm 9v", "Zm9-",
                           "Zm9_", "Zm9v\n", "Z=g="}) {
    EXPECT_EQ(from_base64(text).error(), BaseErrc::bad_base64) << text;
  }
}

}  // namespace
}  // namespace corliss
