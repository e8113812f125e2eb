#pragma once

#include <corliss/proto/connection.pb.h>
#include <corliss/proto/emsg.h>
#include <corliss/proto/game_coordinator.pb.h>
#include <corliss/proto/product_info.pb.h>

namespace corliss::proto {

namespace detail {
template <class Message>
constexpr EMsg no_emsg() noexcept {
  static_assert(sizeof(Message) == 0, "this message has no EMsg of its own");
  return EMsg::Invalid;
}
}  // namespace detail

/// The EMsg that a protobuf message travels under, so that a call cannot name the wrong one. Defined for
/// messages that have just one; CMsgGCClient (ClientToGC, ClientFromGC) and CMsgClientLogon of game servers
/// have none or another.
template <class Message>
inline constexpr EMsg emsg_of = detail::no_emsg<Message>();

template <>
inline constexpr EMsg emsg_of<CMsgClientHello> = EMsg::ClientHello;
template <>
inline constexpr EMsg emsg_of<CMsgClientHeartBeat> = EMsg::ClientHeartBeat;
template <>
inline constexpr EMsg emsg_of<CMsgClientLogon> = EMsg::ClientLogon;
template <>
inline constexpr EMsg emsg_of<CMsgClientLogonResponse> = EMsg::ClientLogOnResponse;
template <>
inline constexpr EMsg emsg_of<CMsgClientLogOff> = EMsg::ClientLogOff;
template <>
inline constexpr EMsg emsg_of<CMsgClientLoggedOff> = EMsg::ClientLoggedOff;
template <>
inline constexpr EMsg emsg_of<CMsgClientSessionToken> = EMsg::ClientSessionToken;
template <>
inline constexpr EMsg emsg_of<CMsgClientCMList> = EMsg::ClientCMList;
template <>
inline constexpr EMsg emsg_of<CMsgClientServerTimestampRequest> = EMsg::ClientServerTimestampRequest;
template <>
inline constexpr EMsg emsg_of<CMsgClientServerTimestampResponse> = EMsg::ClientServerTimestampResponse;
template <>
inline constexpr EMsg emsg_of<CMsgClientPICSProductInfoRequest> = EMsg::ClientPICSProductInfoRequest;
template <>
inline constexpr EMsg emsg_of<CMsgClientPICSProductInfoResponse> = EMsg::ClientPICSProductInfoResponse;

}  // namespace corliss::proto
