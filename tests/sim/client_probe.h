#pragma once

#include "support/test_support.h"

#include <corliss/net/channel.h>
#include <corliss/proto/connection.pb.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>
#include <corliss/proto/struct_messages.h>

#include <optional>
#include <vector>

namespace corliss::sim::test {

/// What a client of ours saw of a connection.
struct Outcome {
  bool connected = false;
  std::optional<proto::EResult> logon;       ///< of ClientLogOnResponse, either form
  std::optional<proto::EResult> logged_off;  ///< of ClientLoggedOff
  std::vector<std::uint64_t> answers;        ///< client_request_timestamp of each answer, in order
  std::vector<proto::EMsg> others;
  std::optional<net::Closed> closed;
  std::error_code broken;  ///< a message that could not be read
};

/// A small client: hello, anonymous logon, some timestamp requests, log-off. Messages in, messages out.
class ClientProbe {
 public:
  static constexpr std::uint64_t requests = 3;

  explicit ClientProbe(std::uint64_t first_request = 100) : first_(first_request) {}

  std::vector<std::vector<std::uint8_t>> on_connected() {
    outcome.connected = true;
    proto::CMsgClientHello hello;
    hello.set_protocol_version(65581);
    proto::CMsgClientLogon logon;
    logon.set_protocol_version(65581);
    proto::CMsgProtoBufHeader header;
    header.set_steamid(117093590311632896U);
    return {message({}, hello), message(header, logon)};
  }

  /// The messages to answer with. After an error in `broken`, or with `done`, close.
  std::vector<std::vector<std::uint8_t>> on_message(ConstBytes bytes) {
    std::vector<std::vector<std::uint8_t>> answers;
    multi_.begin(bytes);
    for (;;) {
      const auto next = multi_.next();
      if (!next) {
        outcome.broken = next.error();
        return {};
      }
      if (!*next) {
        return answers;
      }
      if (auto read = view_.parse(**next); !read) {
        outcome.broken = read.error();
        return {};
      }
      take(answers);
    }
  }

  [[nodiscard]] bool done() const { return done_; }

  template <class Body>
  static std::vector<std::uint8_t> message(const proto::CMsgProtoBufHeader& header, const Body& body) {
    std::vector<std::uint8_t> bytes(proto::message_size(header, body));
    EXPECT_TRUE(proto::write_message(proto::emsg_of<Body>, header, body, bytes));
    return bytes;
  }

  Outcome outcome;

 private:
  void take(std::vector<std::vector<std::uint8_t>>& answers) {
    switch (view_.emsg()) {
      case proto::EMsg::ClientLogOnResponse:
        if (!view_.is_protobuf()) {
          outcome.logon = proto::MsgClientLogOnResponse::parse(view_.body())->result;
        } else {
          proto::CMsgClientLogonResponse response;
          ASSERT_TRUE(view_.read_body(response));
          outcome.logon = static_cast<proto::EResult>(response.eresult());
          ids_.set_steamid(view_.steam_id().value());
          ids_.set_client_sessionid(view_.session_id());
        }
        if (outcome.logon == proto::EResult::OK) {
          for (std::uint64_t i = 0; i < requests; ++i) {
            proto::CMsgClientServerTimestampRequest request;
            request.set_client_request_timestamp(first_ + i);
            auto header = ids_;
            header.set_jobid_source(first_ + i);
            answers.push_back(message(header, request));
          }
        }
        return;
      case proto::EMsg::ClientServerTimestampResponse: {
        proto::CMsgClientServerTimestampResponse response;
        ASSERT_TRUE(view_.read_body(response));
        EXPECT_EQ(view_.target_job().value(), response.client_request_timestamp());
        outcome.answers.push_back(response.client_request_timestamp());
        if (!done_ && response.client_request_timestamp() == first_ + requests - 1) {
          done_ = true;
          answers.push_back(message(ids_, proto::CMsgClientLogOff()));
        }
        return;
      }
      case proto::EMsg::ClientLoggedOff: {
        proto::CMsgClientLoggedOff body;
        ASSERT_TRUE(view_.read_body(body));
        outcome.logged_off = static_cast<proto::EResult>(body.eresult());
        return;
      }
      default:
        outcome.others.push_back(view_.emsg());
    }
  }

  std::uint64_t first_;
  bool done_ = false;
  proto::CMsgProtoBufHeader ids_;
  proto::MessageView view_;
  proto::MultiReader multi_;
};

}  // namespace corliss::sim::test
