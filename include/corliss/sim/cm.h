#pragma once

#include <corliss/base/rng.h>
#include <corliss/base/time.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>
#include <corliss/proto/steam_id.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace corliss::sim {

/// Somebody who may log on by a token of his own, whatever it looks like.
struct Account {
  std::string token;  ///< CMsgClientLogon.access_token, compared byte by byte.
  proto::SteamId steam_id;
};

/// How a connection manager of ours behaves.
struct CmOptions {
  proto::EUniverse universe = proto::EUniverse::Public;
  /// Told at logon, for both kinds of heartbeat.
  std::chrono::seconds heartbeat = std::chrono::seconds(9);
  /// A logged-on client that sent nothing for so many heartbeats is dropped without a word.
  int missed_heartbeats = 3;
  /// A client that did not log on by then gets the old ClientLogOnResponse (TryAnotherCM) and is dropped.
  Duration logon_timeout = std::chrono::seconds(60);
  /// What follows a logon (session token, CM list): one Multi, or message by message.
  std::optional<proto::MultiPacking> multi = proto::MultiPacking::gzip;
  bool anonymous = true;  ///< Whether anonymous users and game servers may log on.
  std::vector<Account> accounts{};
  /// Whether any refresh token logs on as the account that it names: a JWT of issuer `steam` for `client`,
  /// not expired. Its signature is not looked at.
  bool accept_any_jwt = true;
  /// Servers told in ClientCMList, as `host:port` of WebSockets.
  std::vector<std::string> cm_list{};
  std::uint32_t cell_id = 1;
  std::string country = "US";
  /// The date, for server time and the expiry of tokens.
  std::function<std::chrono::system_clock::time_point()> clock = std::chrono::system_clock::now;
};

/// What the sessions of one connection manager share: numbers that must differ, and scratch memory, so that
/// an idle session is small. One thread; must outlive its sessions.
class Cm {
 public:
  /// `rng` gives session ids and tokens and must live as long.
  Cm(CmOptions options, Rng& rng);
  ~Cm();
  Cm(const Cm&) = delete;
  Cm& operator=(const Cm&) = delete;

  [[nodiscard]] const CmOptions& options() const noexcept { return options_; }
  /// Clients that are logged on at the moment.
  [[nodiscard]] std::size_t logged_on() const noexcept { return logged_on_; }

 private:
  friend class CmSession;
  CmOptions options_;
  Rng* rng_;
  std::uint32_t next_session_;
  std::uint32_t next_account_ = 1;
  std::size_t logged_on_ = 0;
  proto::MessageView view_;
  proto::MultiReader multi_;
};

}  // namespace corliss::sim
