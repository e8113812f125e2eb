#include "sim/token.h"

#include <corliss/base/endian.h>
#include <corliss/proto/connection.pb.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/proto/struct_messages.h>
#include <corliss/sim/cm_session.h>
#include <corliss/sim/errc.h>

#include <algorithm>
#include <utility>

namespace corliss::sim {
namespace {

using proto::EAccountType;
using proto::EMsg;
using proto::EResult;
using proto::SteamId;

/// Since minor version 28 any message may be protobuf; a CM of ours speaks nothing older. Source: SteamKit
/// MsgClientLogon constants.
constexpr std::uint32_t major_version = 1;
constexpr std::uint32_t min_minor_version = 28;

bool speaks(std::uint32_t version) {
  return version >> 16 == major_version && (version & 0xFFFF) >= min_minor_version;
}

void set_address(proto::CMsgIPAddress& into, const PublicAddress& address) {
  if (const auto* v4 = std::get_if<std::uint32_t>(&address)) {
    into.set_v4(*v4);
  } else {
    const auto& v6 = std::get<std::array<std::uint8_t, 16>>(address);
    into.set_v6(v6.data(), v6.size());
  }
}

std::uint32_t random_u32(Rng& rng) {
  std::array<std::uint8_t, 4> bytes{};
  (void)rng.fill(bytes);
  return load_le<std::uint32_t>(bytes.data());
}

std::uint64_t random_u64(Rng& rng) {
  return std::uint64_t{random_u32(rng)} << 32 | random_u32(rng);
}

std::vector<std::uint8_t> bytes_of_message(EMsg emsg, const proto::CMsgProtoBufHeader& header,
                                           const google::protobuf::MessageLite& body) {
  std::vector<std::uint8_t> bytes(proto::message_size(header, body));
  if (!proto::write_message(emsg, header, body, bytes)) {
    bytes.clear();
  }
  return bytes;
}

}  // namespace

Cm::Cm(CmOptions options, Rng& rng)
    : options_(std::move(options)), rng_(&rng), next_session_(random_u32(rng)) {}

Cm::~Cm() = default;

CmSession::CmSession(Cm& cm, const PublicAddress& address, const FaultRules& rules, TimePoint now)
    : cm_(&cm), address_(address), quiet_until_(now + cm.options_.logon_timeout) {
  for (const auto& rule : rules) {
    if (rule.kind == FaultKind::late) {
      late_ += rule.by;
    } else if (rule.kind == FaultKind::try_another_cm) {
      sent_away_after_ = std::min(sent_away_after_.value_or(rule.after_messages), rule.after_messages);
    } else if (rule.kind == FaultKind::result && rule.at == FaultPoint::logon) {
      logon_result_ = rule.result;
    }
  }
  if (sent_away_after_ == 0U) {
    logon_result_ = EResult::TryAnotherCM;
    sent_away_after_.reset();
  }
}

CmSession::~CmSession() {
  end({});
}

void CmSession::end(std::error_code why) noexcept {
  if (session_id_ != 0) {
    --cm_->logged_on_;
    session_id_ = 0;
    steam_id_ = {};
  }
  if (!over_) {
    over_ = why;
  }
}

Result<void> CmSession::receive(ConstBytes message, TimePoint now) {
  if (over_) {
    return fail(over_);
  }
  const auto refuse_message = [&](std::error_code why) {
    outgoing_.clear();
    end(why);
    return fail(why);
  };
  cm_->multi_.begin(message);
  for (;;) {
    const auto next = cm_->multi_.next();
    if (!next) {
      return refuse_message(next.error());
    }
    if (!*next || over_) {
      return {};
    }
    if (auto done = dispatch(**next, now); !done) {
      return refuse_message(done.error());
    }
  }
}

Result<void> CmSession::dispatch(ConstBytes message, TimePoint now) {
  auto& view = cm_->view_;
  CORLISS_CHECK(view.parse(message));
  const bool logged_on = session_id_ != 0;
  if (logged_on) {
    if (view.session_id() != session_id_) {
      return {};
    }
    quiet_until_ = now + cm_->options_.heartbeat * cm_->options_.missed_heartbeats;
  }
  switch (view.emsg()) {
    case EMsg::ClientHello:
    case EMsg::Multi:
      return {};
    case EMsg::ClientLogon:
    case EMsg::ClientLogonGameServer:
      return logon(now);
    case EMsg::ServiceMethodCallFromClientNonAuthed:
      answer_service_call(now);
      return {};
    default:
      break;
  }
  if (!logged_on) {
    return {};
  }
  switch (view.emsg()) {
    case EMsg::ClientHeartBeat: {
      proto::CMsgClientHeartBeat heartbeat;
      CORLISS_CHECK(view.read_body(heartbeat));
      if (heartbeat.send_reply()) {
        put(EMsg::ClientHeartBeat, header(), proto::CMsgClientHeartBeat(), now);
      }
      return {};
    }
    case EMsg::ClientLogOff:
      end(Errc::logged_off);
      return {};
    case EMsg::ClientServerTimestampRequest:
      return answer_timestamp(now);
    case EMsg::ServiceMethodCallFromClient:
      answer_service_call(now);
      return {};
    default:
      if (!view.source_job().is_none()) {
        auto head = header();
        head.set_jobid_target(view.source_job().value());
        put(EMsg::DestJobFailed, head, proto::CMsgClientHeartBeat(), now);
      }
      return {};
  }
}

Result<void> CmSession::logon(TimePoint now) {
  const auto& view = cm_->view_;
  const auto& options = cm_->options_;
  proto::CMsgClientLogon request;
  CORLISS_CHECK(view.read_body(request));
  if (session_id_ != 0) {
    refuse(EResult::InvalidState, now);
    return {};
  }
  if (logon_result_) {
    refuse(*logon_result_, now);
    return {};
  }
  if (!speaks(request.protocol_version())) {
    refuse(EResult::InvalidProtocolVer, now);
    return {};
  }
  const SteamId asked = view.steam_id();
  const bool anonymous =
      asked.type() == EAccountType::AnonUser || asked.type() == EAccountType::AnonGameServer;
  if (anonymous && view.emsg() == EMsg::ClientLogon) {
    if (!options.anonymous) {
      refuse(EResult::AccessDenied, now);
      return {};
    }
    accept(SteamId(proto::AccountId(cm_->next_account_++), 1, options.universe, asked.type()), now);
    return {};
  }
  const bool game_server = view.emsg() == EMsg::ClientLogonGameServer;
  const std::string& token = game_server ? request.game_server_token() : request.access_token();
  const auto known =
      std::find_if(options.accounts.begin(), options.accounts.end(),
                   [&](const Account& account) { return !token.empty() && account.token == token; });
  TokenVerdict verdict;
  if (known != options.accounts.end()) {
    verdict = {EResult::OK, known->steam_id};
  } else if (game_server) {
    verdict = {EResult::GSLTDenied, {}};
  } else if (options.accept_any_jwt) {
    verdict = judge_token(token, options.clock());
  }
  if (verdict.result != EResult::OK) {
    refuse(verdict.result, now);
    return {};
  }
  const bool instance_told = !game_server && asked.is_individual();
  accept(instance_told ? verdict.steam_id.with_instance(asked.instance()) : verdict.steam_id, now);
  return {};
}

void CmSession::accept(SteamId id, TimePoint now) {
  const auto& options = cm_->options_;
  do {
    session_id_ = static_cast<std::int32_t>(cm_->next_session_++);
  } while (session_id_ == 0);
  ++cm_->logged_on_;
  steam_id_ = id;
  quiet_until_ = now + options.heartbeat * options.missed_heartbeats;

  const auto seconds = static_cast<std::int32_t>(options.heartbeat.count());
  proto::CMsgClientLogonResponse response;
  response.set_eresult(static_cast<std::int32_t>(EResult::OK));
  response.set_legacy_out_of_game_heartbeat_seconds(seconds);
  response.set_heartbeat_seconds(seconds);
  response.set_rtime32_server_time(static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(options.clock().time_since_epoch()).count()));
  response.set_cell_id(options.cell_id);
  response.set_cell_id_ping_threshold(std::numeric_limits<std::int32_t>::max());
  set_address(*response.mutable_public_ip(), address_);
  response.set_client_supplied_steamid(id.value());
  response.set_ip_country_code(options.country);
  response.set_client_instance_id(random_u64(*cm_->rng_));
  put(EMsg::ClientLogOnResponse, header(), response, now);
  if (!over_) {
    welcome(now);
  }
}

void CmSession::refuse(EResult result, TimePoint now) {
  proto::CMsgClientLogonResponse response;
  response.set_eresult(static_cast<std::int32_t>(result));
  put(EMsg::ClientLogOnResponse, header(), response, now);
  end(Errc::logged_off);
}

void CmSession::welcome(TimePoint now) {
  const auto& options = cm_->options_;
  proto::CMsgClientSessionToken token;
  token.set_token(random_u64(*cm_->rng_));
  proto::CMsgClientCMList list;
  for (const auto& address : options.cm_list) {
    list.add_cm_websocket_addresses(address);
  }
  const std::array<std::vector<std::uint8_t>, 2> messages{
      bytes_of_message(EMsg::ClientSessionToken, header(), token),
      bytes_of_message(EMsg::ClientCMList, header(), list)};
  if (!options.multi) {
    for (const auto& message : messages) {
      queue(message, now + late_);
    }
    return;
  }
  const std::array<ConstBytes, 2> parts{messages[0], messages[1]};
  if (auto multi = proto::make_multi(parts, *options.multi)) {
    queue(std::move(*multi), now + late_);
  }
}

void CmSession::answer_service_call(TimePoint now) {
  const auto& view = cm_->view_;
  if (!view.is_protobuf() || view.source_job().is_none()) {
    return;  // a notification
  }
  auto head = header();
  head.set_jobid_target(view.source_job().value());
  head.set_target_job_name(std::string(view.target_job_name()));
  head.set_eresult(static_cast<std::int32_t>(EResult::Fail));
  put(EMsg::ServiceMethodResponse, head, proto::CMsgClientHeartBeat(), now);
}

Result<void> CmSession::answer_timestamp(TimePoint now) {
  proto::CMsgClientServerTimestampRequest request;
  CORLISS_CHECK(cm_->view_.read_body(request));
  proto::CMsgClientServerTimestampResponse response;
  response.set_client_request_timestamp(request.client_request_timestamp());
  response.set_server_timestamp_ms(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(cm_->options_.clock().time_since_epoch())
          .count()));
  auto head = header();
  if (!cm_->view_.source_job().is_none()) {
    head.set_jobid_target(cm_->view_.source_job().value());
  }
  put(EMsg::ClientServerTimestampResponse, head, response, now);
  return {};
}

void CmSession::log_off(EResult result, TimePoint now) {
  if (over_ || session_id_ == 0) {
    return;
  }
  proto::CMsgClientLoggedOff body;
  body.set_eresult(static_cast<std::int32_t>(result));
  sent_away_after_.reset();
  put(EMsg::ClientLoggedOff, header(), body, now);
  end(Errc::logged_off);
}

void CmSession::push(std::vector<std::uint8_t> message, TimePoint now) {
  if (!over_) {
    queue(std::move(message), now);
  }
}

proto::CMsgProtoBufHeader CmSession::header() const {
  proto::CMsgProtoBufHeader header;
  if (session_id_ != 0) {
    header.set_steamid(steam_id_.value());
    header.set_client_sessionid(session_id_);
  }
  return header;
}

void CmSession::put(EMsg emsg, const proto::CMsgProtoBufHeader& header,
                    const google::protobuf::MessageLite& body, TimePoint now) {
  queue(bytes_of_message(emsg, header, body), now + late_);
}

void CmSession::queue(std::vector<std::uint8_t> bytes, TimePoint due) {
  if (bytes.empty()) {
    return;
  }
  outgoing_.push_back({std::move(bytes), due});
  if (sent_away_after_ && --*sent_away_after_ == 0) {
    log_off(EResult::TryAnotherCM, due - late_);
  }
}

std::optional<ConstBytes> CmSession::poll_message(TimePoint now) {
  if (outgoing_.empty() || outgoing_.front().due > now) {
    told_.clear();
    told_.shrink_to_fit();
    return std::nullopt;
  }
  told_ = std::move(outgoing_.front().bytes);
  outgoing_.erase(outgoing_.begin());
  if (outgoing_.empty()) {
    outgoing_.shrink_to_fit();
  }
  return told_;
}

std::optional<TimePoint> CmSession::deadline() const noexcept {
  std::optional<TimePoint> due;
  if (!over_) {
    due = quiet_until_;
  }
  if (!outgoing_.empty()) {
    due = std::min(due.value_or(TimePoint::max()), outgoing_.front().due);
  }
  return due;
}

void CmSession::on_deadline(TimePoint now) {
  if (over_ || now < quiet_until_) {
    return;
  }
  if (session_id_ != 0) {
    outgoing_.clear();
    end(Errc::heartbeat_missed);
    return;
  }
  proto::MsgClientLogOnResponse body;
  body.result = EResult::TryAnotherCM;
  const auto bytes = body.bytes();
  std::vector<std::uint8_t> message(proto::message_size(proto::ExtendedClientMsgHdr{}, bytes));
  (void)proto::write_message(EMsg::ClientLogOnResponse, proto::ExtendedClientMsgHdr{}, bytes, message);
  queue(std::move(message), now);
  end(Errc::logon_timeout);
}

}  // namespace corliss::sim
