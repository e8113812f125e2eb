#include <corliss/crypto/errc.h>

namespace corliss::crypto {
namespace {

TEST(CryptoErrc, MapsToFaults) {
  EXPECT_EQ(std::error_code(Errc::unauthenticated), Fault::unauthenticated);
  EXPECT_EQ(std::error_code(Errc::too_large), Fault::limit);
  EXPECT_EQ(std::error_code(Errc::kernel_unknown), Fault::local);
  EXPECT_EQ(std::error_code(Errc::kernel_unsupported), Fault::local);
  EXPECT_EQ(std::error_code(Errc::bad_key), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::library), Fault::local);
  EXPECT_EQ(std::error_code(Errc::buffers_overlap), Fault::local);
  EXPECT_STREQ(std::error_code(Errc::library).category().name(), "corliss.crypto");
}

}  // namespace
}  // namespace corliss::crypto
