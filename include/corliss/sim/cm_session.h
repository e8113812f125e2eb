#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/time.h>
#include <corliss/proto/eresult.h>
#include <corliss/proto/message.h>
#include <corliss/proto/steam_id.h>
#include <corliss/sim/cm.h>
#include <corliss/sim/errc.h>
#include <corliss/sim/faults.h>

#include <array>
#include <cstdint>
#include <optional>
#include <system_error>
#include <variant>
#include <vector>

namespace corliss::sim {

/// An address as clients are told it: IPv4 with the first octet in the high byte, or IPv6.
using PublicAddress = std::variant<std::uint32_t, std::array<std::uint8_t, 16>>;

/// What a connection manager says to one client: messages in, messages out, a deadline. It does not know how
/// they travel.
///
///     CmSession session(cm, address, {}, now);
///     … (void)session.receive(message, now);      // an error comes as over(), too
///     … session.on_deadline(now);                 // when session.deadline() is due
///     while (auto message = session.poll_message(now)) { send(*message); }
///     if (session.over()) { close, when all is sent }
///
/// It answers ClientLogon, ClientLogonGameServer, ClientHeartBeat with send_reply, ClientLogOff,
/// ClientServerTimestampRequest; service calls, all of which fail (EResult::Fail); takes ClientHello and
/// ignores everything else, as a CM does. After a logon it pushes ClientSessionToken and ClientCMList. A
/// logged-on client's messages with another session id than its own are ignored.
/// Source: docs/wire/messages.md; what no source tells is our choice, in docs/serve.md.
class CmSession {
 public:
  /// Of `rules` FaultKind::result (at the logon), late and try_another_cm concern it.
  CmSession(Cm& cm, const PublicAddress& address, const FaultRules& rules, TimePoint now);
  ~CmSession();
  CmSession(const CmSession&) = delete;
  CmSession& operator=(const CmSession&) = delete;

  /// Takes a message, whole; a Multi is unpacked. Errors: what MessageView, MultiReader and the body have to
  /// say against it, which is final; after the end, its reason.
  [[nodiscard]] Result<void> receive(ConstBytes message, TimePoint now);

  /// The next message to send, as far as it is due by `now`; lives until the next call.
  [[nodiscard]] std::optional<ConstBytes> poll_message(TimePoint now);

  [[nodiscard]] std::optional<TimePoint> deadline() const noexcept;
  void on_deadline(TimePoint now);

  /// Sends the client away by ClientLoggedOff. Nothing where it is not logged on.
  void log_off(proto::EResult result, TimePoint now);
  /// Queues any message of a caller for the client, stamped by nobody.
  void push(std::vector<std::uint8_t> message, TimePoint now);

  /// Why the connection is to be closed: the session ended, and all its messages were polled; or an error.
  [[nodiscard]] std::error_code over() const noexcept {
    return outgoing_.empty() ? over_ : std::error_code();
  }

  /// 0 before the logon.
  [[nodiscard]] proto::SteamId steam_id() const noexcept { return steam_id_; }
  [[nodiscard]] std::int32_t session_id() const noexcept { return session_id_; }

 private:
  struct Outgoing {
    std::vector<std::uint8_t> bytes;
    TimePoint due;
  };

  Result<void> dispatch(ConstBytes message, TimePoint now);
  Result<void> logon(TimePoint now);
  void answer_service_call(TimePoint now);
  Result<void> answer_timestamp(TimePoint now);
  void accept(proto::SteamId id, TimePoint now);
  void refuse(proto::EResult result, TimePoint now);
  void welcome(TimePoint now);
  void end(std::error_code why) noexcept;
  void count_for_sending_away(TimePoint now);
  [[nodiscard]] proto::CMsgProtoBufHeader header() const;
  void put(proto::EMsg emsg, const proto::CMsgProtoBufHeader& header,
           const google::protobuf::MessageLite& body, TimePoint now);
  void queue(std::vector<std::uint8_t> bytes, TimePoint due);

  Cm* cm_;
  PublicAddress address_;
  std::optional<proto::EResult> logon_result_;
  std::optional<std::uint64_t> sent_away_after_;
  Duration late_{};
  std::vector<Outgoing> outgoing_;
  std::vector<std::uint8_t> told_;
  TimePoint quiet_until_;  ///< The end for a client that says nothing.
  proto::SteamId steam_id_;
  std::int32_t session_id_ = 0;
  std::error_code over_;
};

}  // namespace corliss::sim
