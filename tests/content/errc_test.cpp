#include <corliss/content/errc.h>

#include <set>
#include <string>

namespace corliss::content {
namespace {

TEST(ContentErrc, EveryValueHasItsTextAndFault) {
  std::set<std::string> texts;
  for (int value = 1; value <= static_cast<int>(Errc::pool_closed); ++value) {
    const std::error_code code = static_cast<Errc>(value);
    EXPECT_TRUE(texts.insert(code.message()).second) << code.message();
    EXPECT_NE(code.message(), "success");
  }
  EXPECT_STREQ(std::error_code(Errc::bad_zip).category().name(), "corliss.content");
  EXPECT_EQ(std::error_code(Errc::length_mismatch), Fault::unauthenticated);
  EXPECT_EQ(std::error_code(Errc::sha1_mismatch), Fault::unauthenticated);
  EXPECT_EQ(std::error_code(Errc::lzma_unsupported), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::too_large), Fault::limit);
  EXPECT_EQ(std::error_code(Errc::wrong_buffer), Fault::local);
  EXPECT_EQ(std::error_code(Errc::bad_trailer), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::too_many_entries), Fault::limit);
  EXPECT_EQ(std::error_code(Errc::bad_encrypted_name), Fault::unauthenticated);
  EXPECT_EQ(std::error_code(Errc::paths_unchecked), Fault::local);
  EXPECT_EQ(std::error_code(Errc::path_conflict), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::pool_closed), Fault::closed);
}

}  // namespace
}  // namespace corliss::content
