#include "sim/client_probe.h"

#include <corliss/base/base64.h>
#include <corliss/proto/errc.h>
#include <corliss/sim/cm_session.h>

#include <algorithm>

namespace corliss::sim::test {
namespace {

using namespace std::chrono_literals;
using proto::EAccountType;
using proto::EMsg;
using proto::EResult;
using proto::EUniverse;
using proto::SteamId;

const SteamId user_logon(proto::AccountId(0), 1, EUniverse::Public, EAccountType::Individual);
const SteamId anonymous_logon(proto::AccountId(0), 0, EUniverse::Public, EAccountType::AnonUser);

/// A message that came, taken apart.
struct Got {
  EMsg emsg{};
  std::vector<std::uint8_t> body;
  proto::CMsgProtoBufHeader header;
  bool protobuf = true;

  template <class Body>
  Body as() const {
    Body out;
    EXPECT_TRUE(out.ParseFromArray(body.data(), static_cast<int>(body.size())));
    return out;
  }
  EResult logon_result() const {
    return static_cast<EResult>(as<proto::CMsgClientLogonResponse>().eresult());
  }
};

class CmSessionTest : public ::testing::Test {
 protected:
  void start(CmOptions options = {}, const FaultRules& rules = {}) {
    options.clock = [] { return std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000)); };
    session_.reset();
    cm_.emplace(std::move(options), rng_);
    session_.emplace(*cm_, PublicAddress(0x7F000001U), rules, now_);
  }

  template <class Body>
  Result<void> give(const Body& body, proto::CMsgProtoBufHeader header = {},
                    EMsg emsg = proto::emsg_of<Body>) {
    return give_as(emsg, body, header);
  }
  Result<void> give_as(EMsg emsg, const google::protobuf::MessageLite& body,
                       const proto::CMsgProtoBufHeader& header) {
    std::vector<std::uint8_t> bytes(proto::message_size(header, body));
    EXPECT_TRUE(proto::write_message(emsg, header, body, bytes));
    return session_->receive(bytes, now_);
  }

  /// Everything due, Multis unpacked.
  std::vector<Got> take() {
    std::vector<Got> all;
    multis_ = 0;
    while (auto message = session_->poll_message(now_)) {
      multis_ += proto::split_message(*message)->emsg == EMsg::Multi ? 1 : 0;
      proto::MultiReader reader;
      reader.begin(*message);
      for (auto next = reader.next(); next && *next; next = reader.next()) {
        proto::MessageView view;
        EXPECT_TRUE(view.parse(**next));
        all.push_back({view.emsg(),
                       {view.body().begin(), view.body().end()},
                       view.protobuf_header(),
                       view.is_protobuf()});
      }
    }
    return all;
  }

  static proto::CMsgProtoBufHeader from(SteamId id) {
    proto::CMsgProtoBufHeader header;
    header.set_steamid(id.value());
    return header;
  }
  static proto::CMsgClientLogon logon(const std::string& token = "") {
    proto::CMsgClientLogon body;
    body.set_protocol_version(65581);
    if (!token.empty()) {
      body.set_access_token(token);
    }
    return body;
  }
  static std::string jwt(const std::string& payload) {
    std::string middle = to_base64(bytes_of(payload));
    std::replace(middle.begin(), middle.end(), '+', '-');
    std::replace(middle.begin(), middle.end(), '/', '_');
    middle.erase(std::find(middle.begin(), middle.end(), '='), middle.end());
    return "eyJ0eXAiOiJKV1QifQ." + middle + ".c2lnbmF0dXJl";
  }

  /// Logs on and gives the header that later messages of this client have.
  proto::CMsgProtoBufHeader log_on() {
    EXPECT_TRUE(give(logon(), from(anonymous_logon)));
    const auto got = take();
    EXPECT_FALSE(got.empty());
    return got.empty() ? proto::CMsgProtoBufHeader() : got.front().header;
  }

  corliss::test::TestRng rng_;
  TimePoint now_{1h};
  std::optional<Cm> cm_;
  std::optional<CmSession> session_;
  int multis_ = 0;
};

TEST_F(CmSessionTest, AnonymousLogonWithoutHello) {
  start();
  ASSERT_TRUE(give(logon(), from(anonymous_logon)));
  const auto got = take();
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(multis_, 1);
  EXPECT_EQ(got[0].emsg, EMsg::ClientLogOnResponse);
  const auto response = got[0].as<proto::CMsgClientLogonResponse>();
  EXPECT_EQ(response.eresult(), 1);
  EXPECT_EQ(response.heartbeat_seconds(), 9);
  EXPECT_EQ(response.legacy_out_of_game_heartbeat_seconds(), 9);
  EXPECT_EQ(response.rtime32_server_time(), 1'700'000'000U);
  EXPECT_EQ(response.public_ip().v4(), 0x7F000001U);
  EXPECT_EQ(response.client_supplied_steamid(), got[0].header.steamid());
  const SteamId id(got[0].header.steamid());
  EXPECT_EQ(id.type(), EAccountType::AnonUser);
  EXPECT_NE(id.account_id().value(), 0U);
  EXPECT_NE(got[0].header.client_sessionid(), 0);
  EXPECT_EQ(got[1].emsg, EMsg::ClientSessionToken);
  EXPECT_EQ(got[2].emsg, EMsg::ClientCMList);
  EXPECT_EQ(cm_->logged_on(), 1U);
  session_.reset();
  EXPECT_EQ(cm_->logged_on(), 0U);
}

TEST_F(CmSessionTest, PushesPlainGzipOrOneByOne) {
  for (const auto multi : {std::optional(proto::MultiPacking::plain),
                           std::optional(proto::MultiPacking::gzip), std::optional<proto::MultiPacking>()}) {
    CmOptions options;
    options.multi = multi;
    options.cm_list = {"a:1", "b:2"};
    start(options);
    ASSERT_TRUE(give(logon(), from(anonymous_logon)));
    const auto got = take();
    ASSERT_EQ(got.size(), 3U);
    EXPECT_EQ(multis_, multi ? 1 : 0);
    EXPECT_EQ(got[2].as<proto::CMsgClientCMList>().cm_websocket_addresses(1), "b:2");
  }
}

TEST_F(CmSessionTest, TokenLogons) {
  struct Case {
    std::string token;
    EResult result;
  };
  const std::string good =
      R"({"iss":"steam","sub":"76561197960287930","aud":["client","derive"],"exp":1700000001})";
  const std::vector<Case> cases{
      {jwt(good), EResult::OK},
      {"opaque", EResult::OK},
      {"opaque2", EResult::InvalidPassword},
      {"", EResult::InvalidPassword},
      {"a.b", EResult::InvalidPassword},
      {"a.b.c.d", EResult::InvalidPassword},
      {"a.!!!.c", EResult::InvalidPassword},
      {jwt("[]"), EResult::InvalidPassword},
      {jwt("{"), EResult::InvalidPassword},
      {jwt(R"({"iss":"r:1","sub":"76561197960287930","aud":["client"],"exp":1700000001})"),
       EResult::InvalidPassword},
      {jwt(R"({"iss":"steam","sub":"0","aud":["client"],"exp":1700000001})"), EResult::InvalidPassword},
      {jwt(R"({"iss":"steam","sub":1,"aud":["client"],"exp":1700000001})"), EResult::InvalidPassword},
      {jwt(R"({"iss":"steam","sub":"76561197960287930","aud":["web"],"exp":1700000001})"),
       EResult::AccessDenied},
      {jwt(R"({"iss":"steam","sub":"76561197960287930","exp":1700000001})"), EResult::AccessDenied},
      {jwt(R"({"iss":"steam","sub":"76561197960287930","aud":["client"],"exp":1700000000})"),
       EResult::Expired},
      {jwt(R"({"iss":"steam","sub":"76561197960287930","aud":["client"]})"), EResult::Expired},
  };
  for (const auto& [token, result] : cases) {
    SCOPED_TRACE(token);
    CmOptions options;
    options.accounts = {{"opaque", SteamId(76561197960287930U)}};
    start(options);
    ASSERT_TRUE(give(logon(token), from(user_logon.with_instance(2))));
    const auto got = take();
    ASSERT_FALSE(got.empty());
    EXPECT_EQ(got[0].logon_result(), result);
    if (result == EResult::OK) {
      EXPECT_EQ(got[0].header.steamid(), SteamId(76561197960287930U).with_instance(2).value());
      EXPECT_FALSE(session_->over());
    } else {
      EXPECT_EQ(got.size(), 1U);
      EXPECT_FALSE(got[0].header.has_steamid());
      EXPECT_EQ(session_->over(), Errc::logged_off);
    }
  }
}

TEST_F(CmSessionTest, TokensOfAnySize) {
  start();
  std::string token = jwt("{}");
  token.insert(0, 1'000'000, 'a');
  ASSERT_TRUE(give(logon(token), from(user_logon)));
  EXPECT_EQ(take().at(0).logon_result(), EResult::InvalidPassword);
}

TEST_F(CmSessionTest, LogonsThatAreRefused) {
  CmOptions closed;
  closed.anonymous = false;
  closed.accept_any_jwt = false;
  start(closed);
  ASSERT_TRUE(give(logon(), from(anonymous_logon)));
  EXPECT_EQ(take().at(0).logon_result(), EResult::AccessDenied);

  start();
  auto old = logon();
  old.set_protocol_version(0x0001'001B);
  ASSERT_TRUE(give(old, from(anonymous_logon)));
  EXPECT_EQ(take().at(0).logon_result(), EResult::InvalidProtocolVer);

  start();
  ASSERT_TRUE(give(logon(), from(user_logon), EMsg::ClientLogonGameServer));
  EXPECT_EQ(take().at(0).logon_result(), EResult::GSLTDenied);

  start({}, {{.kind = FaultKind::result, .result = EResult::RateLimitExceeded}});
  ASSERT_TRUE(give(logon(), from(anonymous_logon)));
  EXPECT_EQ(take().at(0).logon_result(), EResult::RateLimitExceeded);

  start();
  log_on();
  ASSERT_TRUE(give(logon(), from(anonymous_logon)));
  EXPECT_TRUE(take().empty()) << "another session id than its own";
}

TEST_F(CmSessionTest, GameServersLogOnByToken) {
  CmOptions options;
  options.accounts = {{"gslt", SteamId(85568392920039424U + 7)}};
  start(options);
  auto body = logon();
  body.set_game_server_token("gslt");
  ASSERT_TRUE(give(body, from(SteamId(85568392920039424U)), EMsg::ClientLogonGameServer));
  const auto got = take();
  EXPECT_EQ(got.at(0).logon_result(), EResult::OK);
  EXPECT_EQ(got.at(0).header.steamid(), 85568392920039424U + 7);
  start();
  ASSERT_TRUE(give(logon(), from(SteamId(90071992547409920U))));
  EXPECT_EQ(SteamId(take().at(0).header.steamid()).type(), EAccountType::AnonGameServer);
}

TEST_F(CmSessionTest, SessionsDiffer) {
  start();
  const auto first = log_on();
  CmSession other(*cm_, PublicAddress(std::array<std::uint8_t, 16>{}), {}, now_);
  session_.reset();
  session_.emplace(*cm_, PublicAddress(1U), FaultRules{}, now_);
  const auto second = log_on();
  EXPECT_NE(first.steamid(), second.steamid());
  EXPECT_NE(first.client_sessionid(), second.client_sessionid());
}

TEST_F(CmSessionTest, HeartbeatsKeepItAlive) {
  start();
  const auto header = log_on();
  for (int i = 0; i < 5; ++i) {
    now_ += 26s;
    session_->on_deadline(now_);
    ASSERT_TRUE(give(proto::CMsgClientHeartBeat(), header));
    EXPECT_TRUE(take().empty());
  }
  proto::CMsgClientHeartBeat asking;
  asking.set_send_reply(true);
  ASSERT_TRUE(give(asking, header));
  const auto reply = take();
  ASSERT_EQ(reply.size(), 1U);
  EXPECT_EQ(reply[0].emsg, EMsg::ClientHeartBeat);
  EXPECT_EQ(reply[0].header.client_sessionid(), header.client_sessionid());
  EXPECT_EQ(session_->deadline(), now_ + 27s);
  now_ += 27s;
  session_->on_deadline(now_);
  EXPECT_EQ(session_->over(), Errc::heartbeat_missed);
  EXPECT_TRUE(take().empty());
  EXPECT_FALSE(session_->deadline());
  EXPECT_EQ(cm_->logged_on(), 0U);
}

TEST_F(CmSessionTest, WhoDoesNotLogOnIsSentAway) {
  start();
  proto::CMsgClientHello hello;
  hello.set_protocol_version(65580);
  ASSERT_TRUE(give(hello));
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(session_->deadline(), now_ + 60s);
  now_ += 60s;
  session_->on_deadline(now_);
  EXPECT_FALSE(session_->over()) << "there is a message to send first";
  const auto got = take();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].emsg, EMsg::ClientLogOnResponse);
  EXPECT_FALSE(got[0].protobuf);
  EXPECT_EQ(proto::MsgClientLogOnResponse::parse(got[0].body)->result, EResult::TryAnotherCM);
  EXPECT_EQ(session_->over(), Errc::logon_timeout);
}

TEST_F(CmSessionTest, AnswersRequestsByJob) {
  start();
  auto header = log_on();
  header.set_jobid_source(77);
  proto::CMsgClientServerTimestampRequest request;
  request.set_client_request_timestamp(4711);
  ASSERT_TRUE(give(request, header));
  auto got = take();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].header.jobid_target(), 77U);
  EXPECT_EQ(got[0].as<proto::CMsgClientServerTimestampResponse>().client_request_timestamp(), 4711U);
  EXPECT_EQ(got[0].as<proto::CMsgClientServerTimestampResponse>().server_timestamp_ms(), 1'700'000'000'000U);

  header.set_target_job_name("Player.GetGameBadgeLevels#1");
  ASSERT_TRUE(give_as(EMsg::ServiceMethodCallFromClient, proto::CMsgClientHello(), header));
  got = take();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].emsg, EMsg::ServiceMethodResponse);
  EXPECT_EQ(got[0].header.eresult(), 2);
  EXPECT_EQ(got[0].header.target_job_name(), "Player.GetGameBadgeLevels#1");
  EXPECT_EQ(got[0].header.jobid_target(), 77U);

  ASSERT_TRUE(give_as(static_cast<EMsg>(123456), proto::CMsgClientHello(), header));
  got = take();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].emsg, EMsg::DestJobFailed);
  EXPECT_EQ(got[0].header.jobid_target(), 77U);
}

TEST_F(CmSessionTest, ServiceCallsBeforeTheLogon) {
  start();
  proto::CMsgProtoBufHeader header;
  header.set_jobid_source(5);
  header.set_target_job_name("Authentication.PollAuthSessionStatus#1");
  ASSERT_TRUE(give_as(EMsg::ServiceMethodCallFromClientNonAuthed, proto::CMsgClientHello(), header));
  EXPECT_EQ(take().at(0).header.jobid_target(), 5U);
  ASSERT_TRUE(give_as(EMsg::ServiceMethodCallFromClient, proto::CMsgClientHello(), header));
  EXPECT_TRUE(take().empty()) << "not logged on";
}

TEST_F(CmSessionTest, IgnoresWhatItDoesNotKnow) {
  start();
  const auto header = log_on();
  for (const auto emsg : {EMsg::ClientRequestItemAnnouncements, EMsg::ClientRequestCommentNotifications,
                          EMsg::ClientChatRequestOfflineMessageCount, static_cast<EMsg>(0x7FFFFFFF)}) {
    ASSERT_TRUE(give_as(emsg, proto::CMsgClientHello(), header));
  }
  EXPECT_TRUE(take().empty());
  auto foreign = header;
  foreign.set_client_sessionid(header.client_sessionid() + 1);
  ASSERT_TRUE(give(proto::CMsgClientServerTimestampRequest(), foreign));
  EXPECT_TRUE(take().empty());
  EXPECT_FALSE(session_->over());
}

TEST_F(CmSessionTest, LogOffEndsIt) {
  start();
  const auto header = log_on();
  ASSERT_TRUE(give(proto::CMsgClientLogOff(), header));
  EXPECT_EQ(session_->over(), Errc::logged_off);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(give(proto::CMsgClientHello()).error(), Errc::logged_off);

  start();
  log_on();
  session_->log_off(EResult::LoggedInElsewhere, now_);
  const auto got = take();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].emsg, EMsg::ClientLoggedOff);
  EXPECT_EQ(got[0].as<proto::CMsgClientLoggedOff>().eresult(), 6);
  EXPECT_EQ(session_->over(), Errc::logged_off);
}

TEST_F(CmSessionTest, UnreadableMessagesEndIt) {
  const std::vector<std::pair<std::vector<std::uint8_t>, std::error_code>> cases{
      {{1, 2, 3}, proto::Errc::message_too_short},
      {{0x4D, 0x26, 0, 0x80, 9, 0, 0, 0}, proto::Errc::bad_header_length},
      {{0x8A, 0x15, 0, 0x80, 0, 0, 0, 0, 0xFF}, proto::Errc::bad_body},  // ClientLogon
      {{1, 0, 0, 0x80, 0, 0, 0, 0, 0xFF}, proto::Errc::bad_body},        // Multi
  };
  for (const auto& [bytes, error] : cases) {
    start();
    log_on();
    std::vector<std::uint8_t> message = bytes;
    if (message[0] == 0x8A) {
      start();
    }
    EXPECT_EQ(session_->receive(message, now_).error(), error) << bytes.size();
    EXPECT_EQ(session_->over(), error);
    EXPECT_TRUE(take().empty());
    EXPECT_EQ(session_->receive(message, now_).error(), error);
  }
}

TEST_F(CmSessionTest, LateAnswersWaitForTheirTime) {
  start({}, {{.kind = FaultKind::late, .by = 5s}});
  ASSERT_TRUE(give(logon(), from(anonymous_logon)));
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(session_->deadline(), now_ + 5s);
  now_ += 5s;
  EXPECT_EQ(take().size(), 3U);
}

TEST_F(CmSessionTest, SentAwayAfterSomeMessages) {
  start({}, {{.kind = FaultKind::try_another_cm, .after_messages = 1}});
  ASSERT_TRUE(give(logon(), from(anonymous_logon)));
  const auto got = take();
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].logon_result(), EResult::OK);
  EXPECT_EQ(got[1].emsg, EMsg::ClientLoggedOff);
  EXPECT_EQ(got[1].as<proto::CMsgClientLoggedOff>().eresult(), 48);
}

}  // namespace
}  // namespace corliss::sim::test
