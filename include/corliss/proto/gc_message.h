#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/proto/game_coordinator.pb.h>
#include <corliss/proto/header.pb.h>
#include <corliss/proto/job_id.h>

#include <cstdint>

/// What a CMsgGCClient (ClientToGC, ClientFromGC) carries: a message of a game coordinator, with a header of
/// its own. Layout: docs/wire/messages.md. Job ids of game coordinators are apart from those of Steam.
namespace corliss::proto {

/// Wire: u16 version 1, u64 target job, u64 source job; the message number is in CMsgGCClient.msgtype alone.
/// Source: SteamKit gcsdk header.steamd.
struct MsgGCHdr {
  static constexpr std::size_t size = 18;
  static constexpr std::uint16_t version = 1;
  JobId target_job;
  JobId source_job;
};

/// A payload cut into header and body. The spans lie in the payload.
struct GcMessageParts {
  std::uint32_t message = 0;  ///< The number, without the protobuf flag.
  bool is_protobuf = false;
  ConstBytes header;  ///< With is_protobuf: to be parsed as a CMsgProtoBufHeader, whose numbers it has.
  JobId target_job;   ///< Without is_protobuf; otherwise in the header.
  JobId source_job;
  ConstBytes body;
};

/// Cuts a payload; `msgtype` is that of the CMsgGCClient, whose flag tells the kind of header. Allocates
/// nothing. Errors: Errc::message_too_short, Errc::bad_header_length, Errc::bad_header where the two numbers
/// of a protobuf message differ, Errc::bad_struct_header for a version other than 1.
[[nodiscard]] Result<GcMessageParts> split_gc_payload(std::uint32_t msgtype, ConstBytes payload) noexcept;

/// Fills in msgtype and payload of `into`; the application is the caller's to set. `message` is without the
/// flag.
void set_gc_payload(CMsgGCClient& into, std::uint32_t message, const CMsgProtoBufHeader& header,
                    ConstBytes body);
void set_gc_payload(CMsgGCClient& into, std::uint32_t message, const MsgGCHdr& header, ConstBytes body);

}  // namespace corliss::proto
