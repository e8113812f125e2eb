#include <corliss/sim/errc.h>

namespace corliss::sim {
namespace {

TEST(SimErrc, MapsToFaults) {
  EXPECT_EQ(std::error_code(Errc::bad_script), Fault::malformed);
  EXPECT_EQ(std::error_code(Errc::script_too_large), Fault::limit);
  EXPECT_EQ(std::error_code(Errc::bad_fault), Fault::local);
  EXPECT_EQ(std::error_code(Errc::fault_injected), Fault::closed);
  EXPECT_EQ(std::error_code(Errc::heartbeat_missed), Fault::timeout);
  EXPECT_EQ(std::error_code(Errc::logged_off), Fault::closed);
  EXPECT_EQ(std::error_code(Errc::logged_off).message(), "the client is logged off");
  EXPECT_STREQ(std::error_code(Errc::logged_off).category().name(), "corliss.sim");
}

}  // namespace
}  // namespace corliss::sim
