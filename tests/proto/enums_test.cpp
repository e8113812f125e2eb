#include <corliss/proto/emsg.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/proto/eresult.h>

namespace corliss::proto {
namespace {

static_assert(static_cast<std::uint32_t>(EMsg::ClientHello) == 9805);
static_assert(emsg_of_word(0x8000264D) == EMsg::ClientHello);
static_assert(emsg_of_word(0x0000264D) == EMsg::ClientHello);
static_assert(emsg_of<CMsgClientLogonResponse> == EMsg::ClientLogOnResponse);
static_assert(emsg_of<CMsgClientPICSProductInfoRequest> == static_cast<EMsg>(8903));

TEST(EMsg, NamesAndNumbers) {
  EXPECT_EQ(name_of(EMsg::Multi), "Multi");
  EXPECT_EQ(name_of(EMsg::Invalid), "Invalid");
  EXPECT_EQ(name_of(EMsg{8904}), "ClientPICSProductInfoResponse");
  EXPECT_EQ(name_of(EMsg{9808}), "ClientFeatureGroupInfo");
  EXPECT_EQ(name_of(EMsg{3}), "");
  EXPECT_EQ(name_of(EMsg{0x7FFFFFFF}), "");
  EXPECT_EQ(emsg_of_name("ClientLogon"), EMsg::ClientLogon);
  EXPECT_EQ(emsg_of_name("clientlogon"), std::nullopt);
  EXPECT_EQ(emsg_of_name(""), std::nullopt);
  EXPECT_EQ(to_string(EMsg::ClientHello), "ClientHello (9805)");
  EXPECT_EQ(to_string(EMsg{4711}), "EMsg 4711");
}

TEST(EMsg, EveryNameReadsBack) {
  std::size_t named = 0;
  for (std::uint32_t number = 0; number < 10000; ++number) {
    const auto name = name_of(EMsg{number});
    if (!name.empty()) {
      ++named;
      EXPECT_EQ(emsg_of_name(name), EMsg{number}) << name;
    }
  }
  EXPECT_EQ(named, 329U);  // the rows of protos/enums/emsg.csv
}

TEST(EResult, NamesAndNumbers) {
  EXPECT_EQ(name_of(EResult::AccessDenied), "AccessDenied");
  EXPECT_EQ(name_of(EResult{4}), "");
  EXPECT_EQ(name_of(EResult{-1}), "");
  EXPECT_EQ(eresult_of_name("TryAnotherCM"), EResult{48});
  EXPECT_EQ(eresult_of_name("Nothing"), std::nullopt);
  EXPECT_EQ(to_string(EResult::RateLimitExceeded), "RateLimitExceeded (84)");
  EXPECT_EQ(to_string(EResult{-7}), "EResult -7");
}

TEST(EResult, IsAnErrorCategoryThatKeepsTheNumber) {
  for (const int number : {0, 1, 2, 16, 48, 131, 4711, -1, 2147483647}) {
    const std::error_code code = EResult{number};
    EXPECT_EQ(eresult_of(code), EResult{number});
    EXPECT_EQ(static_cast<bool>(code), number != 1) << number;
    EXPECT_EQ(code.message(), to_string(EResult{number}));
  }
  EXPECT_EQ(eresult_of(std::error_code(BaseErrc::truncated)), std::nullopt);
  EXPECT_STREQ(eresult_category().name(), "steam.eresult");
  EXPECT_TRUE(check(EResult::OK));
  EXPECT_EQ(check(EResult::Banned).error(), EResult::Banned);
  EXPECT_EQ(check(EResult::Invalid).error(), EResult::Invalid);
}

TEST(EResult, MapsToFaults) {
  EXPECT_EQ(std::error_code(EResult::Timeout), Fault::timeout);
  EXPECT_EQ(std::error_code(EResult::TryAnotherCM), Fault::closed);
  EXPECT_EQ(std::error_code(EResult::ServiceUnavailable), Fault::closed);
  EXPECT_EQ(std::error_code(EResult::LoggedInElsewhere), Fault::refused);
  EXPECT_EQ(std::error_code(EResult::InvalidPassword), Fault::refused);
  EXPECT_EQ(std::error_code(EResult::Invalid), Fault::refused);
  EXPECT_EQ(std::error_code(EResult{4711}), Fault::refused);
  EXPECT_NE(std::error_code(EResult::OK), Fault::refused);
}

}  // namespace
}  // namespace corliss::proto
