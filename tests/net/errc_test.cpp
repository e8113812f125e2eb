#include <corliss/net/errc.h>
#include <corliss/net/event.h>

namespace corliss::net {
namespace {

TEST(NetErrc, MapsToFaults) {
  EXPECT_EQ(std::error_code(Errc::closed_here), Fault::closed);
  EXPECT_EQ(std::error_code(Errc::stream_truncated), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::idle_timeout), Fault::timeout);
  EXPECT_EQ(std::error_code(Errc::frame_too_large), Fault::limit);
  EXPECT_EQ(std::error_code(Errc::wrong_universe), Fault::refused);
  EXPECT_EQ(std::error_code(Errc::bad_key_exchange), Fault::unauthenticated);
  EXPECT_EQ(std::error_code(Errc::sequence_exhausted), Fault::limit);
  EXPECT_EQ(std::error_code(Errc::bad_http), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::upgrade_refused), Fault::refused);
  EXPECT_EQ(std::error_code(Errc::bad_mask), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::queue_full), Fault::limit);
  EXPECT_EQ(std::error_code(Errc::not_drained), Fault::local);
  EXPECT_EQ(std::error_code(Errc::not_drained).message(), "the last input is not drained yet");
  EXPECT_STREQ(std::error_code(Errc::not_drained).category().name(), "corliss.net");
}

TEST(NetEvent, TellsWhoClosed) {
  EXPECT_TRUE(Closed{Errc::closed_here}.user_initiated());
  EXPECT_FALSE(Closed{Errc::closed_by_peer}.user_initiated());
}

}  // namespace
}  // namespace corliss::net
