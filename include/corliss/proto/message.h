#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/proto/emsg.h>
#include <corliss/proto/eresult.h>
#include <corliss/proto/header.pb.h>
#include <corliss/proto/job_id.h>
#include <corliss/proto/steam_id.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// Messages: what is inside a decrypted packet. Layout: docs/wire/messages.md.
namespace corliss::proto {

/// Largest message that `write_message` makes and that a transport should take, 64 MiB. Steam publishes no
/// limit; the largest ordinary messages are a few MiB.
inline constexpr std::size_t max_message_size = std::size_t{64} << 20;

/// Which header a message has, named as Valve names them.
enum class HeaderKind : std::uint8_t {
  MsgHdr,                ///< 20 bytes, the three ChannelEncrypt messages only.
  ExtendedClientMsgHdr,  ///< 36 bytes, then a packed structure: the few old messages still in use.
  MsgHdrProtoBuf,        ///< 8 bytes, a CMsgProtoBufHeader, then a protobuf message: all others.
};

/// The header kind that the first word of a message means.
[[nodiscard]] constexpr HeaderKind header_kind_of_word(std::uint32_t word) noexcept {
  const auto emsg = emsg_of_word(word);
  if (emsg == EMsg::ChannelEncryptRequest || emsg == EMsg::ChannelEncryptResponse ||
      emsg == EMsg::ChannelEncryptResult) {
    return HeaderKind::MsgHdr;
  }
  return (word & protobuf_flag) != 0 ? HeaderKind::MsgHdrProtoBuf : HeaderKind::ExtendedClientMsgHdr;
}

/// Wire: u32 EMsg, u64 target job, u64 source job. Source: SteamKit header.steamd.
struct MsgHdr {
  static constexpr std::size_t size = 20;
  JobId target_job;
  JobId source_job;
};

/// Wire: u32 EMsg, u8 36, u16 2, u64 target job, u64 source job, u8 canary, u64 SteamID, i32 session.
/// Source: SteamKit header.steamd. Peers do not check the canary; neither does `MessageView`, which shows it.
struct ExtendedClientMsgHdr {
  static constexpr std::size_t size = 36;
  static constexpr std::uint16_t version = 2;
  static constexpr std::uint8_t right_canary = 239;
  JobId target_job;
  JobId source_job;
  SteamId steam_id;
  std::int32_t session_id = 0;
  std::uint8_t canary = right_canary;
};

/// A message cut into header and body; nothing of either is looked into. The spans lie in the packet.
struct MessageParts {
  EMsg emsg;
  HeaderKind kind;
  ConstBytes header;  ///< MsgHdrProtoBuf: the CMsgProtoBufHeader. Otherwise the whole fixed header.
  ConstBytes body;    ///< What is left, to the end.
};

/// Cuts a packet into its parts. Allocates nothing.
/// Errors: Errc::message_too_short, Errc::bad_header_length, Errc::bad_struct_header.
[[nodiscard]] Result<MessageParts> split_message(ConstBytes packet) noexcept;

/// A message read where it lies: the header is decoded, the body is a span of the packet. Keep one and parse
/// message after message with it: once warm nothing is allocated (headers with an IPv6 address or unknown
/// text fields excepted). One thread at a time.
///
///     MessageView message;
///     CORLISS_CHECK(message.parse(packet));
///     if (message.emsg() == EMsg::ClientLogOnResponse) {
///       CMsgClientLogonResponse response;
///       CORLISS_CHECK(message.read_body(response));
///     }
class MessageView {
 public:
  /// Reads `packet`, which must live as long as the spans and text of this view are used. EMsgs and header
  /// fields that nobody knows are kept. On an error the view is empty. Errors: as of `split_message`, and
  /// Errc::bad_header.
  [[nodiscard]] Result<void> parse(ConstBytes packet);

  [[nodiscard]] EMsg emsg() const noexcept { return parts_.emsg; }
  [[nodiscard]] HeaderKind kind() const noexcept { return parts_.kind; }
  [[nodiscard]] bool is_protobuf() const noexcept { return kind() == HeaderKind::MsgHdrProtoBuf; }
  [[nodiscard]] ConstBytes body() const noexcept { return parts_.body; }

  /// The job of ours that this answers, or none. All header kinds.
  [[nodiscard]] JobId target_job() const noexcept { return target_job_; }
  /// The job of theirs that wants an answer, or none. All header kinds.
  [[nodiscard]] JobId source_job() const noexcept { return source_job_; }
  /// 0 where the header has none.
  [[nodiscard]] SteamId steam_id() const noexcept { return steam_id_; }
  [[nodiscard]] std::int32_t session_id() const noexcept { return session_id_; }

  /// The result of a service call. Only ServiceMethodResponse has one that means something; absent is not OK.
  [[nodiscard]] std::optional<EResult> eresult() const noexcept;
  /// `Service.Method#1` of a service call, its answer or a notification; empty otherwise. Lives until the
  /// next parse.
  [[nodiscard]] std::string_view target_job_name() const noexcept { return header_.target_job_name(); }

  /// The whole protobuf header; empty for the other kinds. Lives until the next parse.
  [[nodiscard]] const CMsgProtoBufHeader& protobuf_header() const noexcept { return header_; }
  /// The extended header, for that kind.
  [[nodiscard]] std::optional<ExtendedClientMsgHdr> extended_header() const noexcept;

  /// Reads the body into a protobuf message, which may be used again and again.
  /// Errors: Errc::wrong_header_kind (ignore the message), Errc::bad_body.
  [[nodiscard]] Result<void> read_body(google::protobuf::MessageLite& into) const;

 private:
  MessageParts parts_{EMsg::Invalid, HeaderKind::ExtendedClientMsgHdr, {}, {}};
  JobId target_job_;
  JobId source_job_;
  SteamId steam_id_;
  std::int32_t session_id_ = 0;
  CMsgProtoBufHeader header_;
};

/// Bytes that `write_message` writes with these.
[[nodiscard]] std::size_t message_size(const CMsgProtoBufHeader& header,
                                       const google::protobuf::MessageLite& body);
[[nodiscard]] std::size_t message_size(const CMsgProtoBufHeader& header, ConstBytes body);
[[nodiscard]] constexpr std::size_t message_size(const MsgHdr&, ConstBytes body) noexcept {
  return MsgHdr::size + body.size();
}
[[nodiscard]] constexpr std::size_t message_size(const ExtendedClientMsgHdr&, ConstBytes body) noexcept {
  return ExtendedClientMsgHdr::size + body.size();
}

/// Writes a whole message into the front of `out` and returns that part; nothing is allocated. For a
/// transport that frames and seals in place pass the middle of a buffer, with the room that it wants before
/// and behind. Errors: Errc::message_too_large, BaseErrc::buffer_too_small; nothing is written.
[[nodiscard]] Result<Bytes> write_message(EMsg emsg, const CMsgProtoBufHeader& header,
                                          const google::protobuf::MessageLite& body, Bytes out);
/// The same with a body that is serialised already. It must not overlap `out`.
[[nodiscard]] Result<Bytes> write_message(EMsg emsg, const CMsgProtoBufHeader& header, ConstBytes body,
                                          Bytes out);
[[nodiscard]] Result<Bytes> write_message(EMsg emsg, const MsgHdr& header, ConstBytes body,
                                          Bytes out) noexcept;
[[nodiscard]] Result<Bytes> write_message(EMsg emsg, const ExtendedClientMsgHdr& header, ConstBytes body,
                                          Bytes out) noexcept;

}  // namespace corliss::proto
