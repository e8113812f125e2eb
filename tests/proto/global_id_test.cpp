#include <corliss/proto/errc.h>
#include <corliss/proto/global_id.h>
#include <corliss/proto/job_id.h>

#include <type_traits>
#include <unordered_set>

namespace corliss::proto {
namespace {

static_assert(GlobalId().is_none() && JobId().is_none());
static_assert(GlobalId().value() == ~std::uint64_t{0} && JobId().value() == ~std::uint64_t{0});
static_assert(!GlobalId(0).is_none() && !JobId(0).is_none());
static_assert(GlobalId().start_time() == GlobalId::max_start_time);
static_assert(GlobalId::max_start_time.time_since_epoch().count() == 2178279423);
static_assert(!std::is_convertible_v<JobId, GlobalId> && !std::is_convertible_v<std::uint64_t, JobId>);
static_assert(JobId(1) < JobId(2));

TEST(GlobalId, PutTogether) {
  const GlobalId id(1234, UnixTime(std::chrono::seconds(1767225600)), 3, 117);
  EXPECT_EQ(id.value(), 2111757204062209234U);
  EXPECT_EQ(id.sequential_count(), 1234U);
  EXPECT_EQ(id.start_time(), UnixTime(std::chrono::seconds(1767225600)));
  EXPECT_EQ(id.process_id(), 3U);
  EXPECT_EQ(id.box_id(), 117U);
  // Parts that do not fit stay in their bits.
  EXPECT_EQ(GlobalId(0x100001, GlobalId::max_start_time + std::chrono::seconds(1), 0x10, 0x400).value(), 1U);
}

TEST(GlobalId, Text) {
  EXPECT_EQ(*GlobalId::parse("629145600000007"), GlobalId(629145600000007));
  EXPECT_EQ(to_string(GlobalId()), "18446744073709551615");
  EXPECT_EQ(GlobalId::parse("").error(), Errc::bad_id);
  EXPECT_EQ(GlobalId::parse("18446744073709551616").error(), Errc::id_out_of_range);
}

TEST(JobId, Basics) {
  EXPECT_EQ(to_string(JobId(42)), "42");
  EXPECT_EQ(JobId(629145600000007).as_global_id().sequential_count(), 7U);
  EXPECT_EQ((std::unordered_set<JobId>{JobId(1), JobId(2), JobId(1)}.size()), 2U);
  EXPECT_EQ((std::unordered_set<GlobalId>{GlobalId(1), GlobalId(1)}.size()), 1U);
}

}  // namespace
}  // namespace corliss::proto
