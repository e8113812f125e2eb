#include <corliss/base/endian.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/message.h>

#include <algorithm>

namespace corliss::proto {
namespace {

constexpr std::size_t word_size = 4;
constexpr std::size_t protobuf_prefix_size = 8;  // word, header length

// Offsets in the extended header.
constexpr std::size_t at_header_size = 4;
constexpr std::size_t at_version = 5;
constexpr std::size_t at_target_job = 7;
constexpr std::size_t at_source_job = 15;
constexpr std::size_t at_canary = 23;
constexpr std::size_t at_steam_id = 24;
constexpr std::size_t at_session_id = 32;

ExtendedClientMsgHdr read_extended(const std::uint8_t* from) noexcept {
  return {JobId(load_le<std::uint64_t>(from + at_target_job)),
          JobId(load_le<std::uint64_t>(from + at_source_job)),
          SteamId(load_le<std::uint64_t>(from + at_steam_id)),
          static_cast<std::int32_t>(load_le<std::uint32_t>(from + at_session_id)), from[at_canary]};
}

/// A ConstBytes with the face of a MessageLite, as far as writing needs one.
struct RawBody {
  ConstBytes bytes;
  std::size_t ByteSizeLong() const noexcept { return bytes.size(); }  // NOLINT(readability-identifier-naming)
  std::uint8_t* SerializeWithCachedSizesToArray(std::uint8_t* to) const noexcept {  // NOLINT
    return std::copy(bytes.begin(), bytes.end(), to);
  }
};

Result<void> check_room(std::size_t size, Bytes out) noexcept {
  if (size > max_message_size) {
    return fail(Errc::message_too_large);
  }
  if (size > out.size()) {
    return fail(BaseErrc::buffer_too_small);
  }
  return {};
}

template <class Body>
Result<Bytes> write_protobuf(EMsg emsg, const CMsgProtoBufHeader& header, const Body& body, Bytes out) {
  const std::size_t header_size = header.ByteSizeLong();
  const std::size_t size = protobuf_prefix_size + header_size + body.ByteSizeLong();
  CORLISS_CHECK(check_room(size, out));
  store_le(out.data(), static_cast<std::uint32_t>(emsg) | protobuf_flag);
  store_le(out.data() + word_size, static_cast<std::uint32_t>(header_size));
  auto* const at = header.SerializeWithCachedSizesToArray(out.data() + protobuf_prefix_size);
  body.SerializeWithCachedSizesToArray(at);
  return out.first(size);
}

}  // namespace

Result<MessageParts> split_message(ConstBytes packet) noexcept {
  if (packet.size() < word_size) {
    return fail(Errc::message_too_short);
  }
  const auto word = load_le<std::uint32_t>(packet.data());
  const auto kind = header_kind_of_word(word);
  std::size_t start = 0;
  std::size_t end = MsgHdr::size;
  if (kind == HeaderKind::ExtendedClientMsgHdr) {
    end = ExtendedClientMsgHdr::size;
  } else if (kind == HeaderKind::MsgHdrProtoBuf) {
    start = end = protobuf_prefix_size;
  }
  if (packet.size() < end) {
    return fail(Errc::message_too_short);
  }
  if (kind == HeaderKind::ExtendedClientMsgHdr &&
      (packet[at_header_size] != ExtendedClientMsgHdr::size ||
       load_le<std::uint16_t>(packet.data() + at_version) != ExtendedClientMsgHdr::version)) {
    return fail(Errc::bad_struct_header);
  }
  if (kind == HeaderKind::MsgHdrProtoBuf) {
    // A negative length is a huge one here.
    const auto length = load_le<std::uint32_t>(packet.data() + word_size);
    if (length > packet.size() - protobuf_prefix_size) {
      return fail(Errc::bad_header_length);
    }
    end += length;
  }
  return MessageParts{emsg_of_word(word), kind, packet.subspan(start, end - start), packet.subspan(end)};
}

Result<void> MessageView::parse(ConstBytes packet) {
  parts_ = {EMsg::Invalid, HeaderKind::ExtendedClientMsgHdr, {}, {}};
  target_job_ = source_job_ = JobId();
  steam_id_ = SteamId();
  session_id_ = 0;
  header_.Clear();
  CORLISS_TRY(const auto parts, split_message(packet));
  switch (parts.kind) {
    case HeaderKind::MsgHdr:
      target_job_ = JobId(load_le<std::uint64_t>(parts.header.data() + word_size));
      source_job_ = JobId(load_le<std::uint64_t>(parts.header.data() + word_size + 8));
      break;
    case HeaderKind::ExtendedClientMsgHdr: {
      const auto header = read_extended(parts.header.data());
      target_job_ = header.target_job;
      source_job_ = header.source_job;
      steam_id_ = header.steam_id;
      session_id_ = header.session_id;
      break;
    }
    case HeaderKind::MsgHdrProtoBuf:
      if (parts.header.size() > max_message_size ||
          !header_.ParseFromArray(parts.header.data(), static_cast<int>(parts.header.size()))) {
        header_.Clear();
        return fail(Errc::bad_header);
      }
      target_job_ = JobId(header_.jobid_target());
      source_job_ = JobId(header_.jobid_source());
      steam_id_ = SteamId(header_.steamid());
      session_id_ = header_.client_sessionid();
      break;
  }
  parts_ = parts;
  return {};
}

std::optional<EResult> MessageView::eresult() const noexcept {
  if (!header_.has_eresult()) {
    return std::nullopt;
  }
  return static_cast<EResult>(header_.eresult());
}

std::optional<ExtendedClientMsgHdr> MessageView::extended_header() const noexcept {
  if (kind() != HeaderKind::ExtendedClientMsgHdr || parts_.header.empty()) {
    return std::nullopt;
  }
  return read_extended(parts_.header.data());
}

Result<void> MessageView::read_body(google::protobuf::MessageLite& into) const {
  if (!is_protobuf()) {
    return fail(Errc::wrong_header_kind);
  }
  if (body().size() > max_message_size ||
      !into.ParseFromArray(body().data(), static_cast<int>(body().size()))) {
    return fail(Errc::bad_body);
  }
  return {};
}

std::size_t message_size(const CMsgProtoBufHeader& header, const google::protobuf::MessageLite& body) {
  return protobuf_prefix_size + header.ByteSizeLong() + body.ByteSizeLong();
}

std::size_t message_size(const CMsgProtoBufHeader& header, ConstBytes body) {
  return protobuf_prefix_size + header.ByteSizeLong() + body.size();
}

Result<Bytes> write_message(EMsg emsg, const CMsgProtoBufHeader& header,
                            const google::protobuf::MessageLite& body, Bytes out) {
  return write_protobuf(emsg, header, body, out);
}

Result<Bytes> write_message(EMsg emsg, const CMsgProtoBufHeader& header, ConstBytes body, Bytes out) {
  return write_protobuf(emsg, header, RawBody{body}, out);
}

Result<Bytes> write_message(EMsg emsg, const MsgHdr& header, ConstBytes body, Bytes out) noexcept {
  CORLISS_CHECK(check_room(message_size(header, body), out));
  store_le(out.data(), static_cast<std::uint32_t>(emsg));
  store_le(out.data() + word_size, header.target_job.value());
  store_le(out.data() + word_size + 8, header.source_job.value());
  std::copy(body.begin(), body.end(), out.begin() + MsgHdr::size);
  return out.first(message_size(header, body));
}

Result<Bytes> write_message(EMsg emsg, const ExtendedClientMsgHdr& header, ConstBytes body,
                            Bytes out) noexcept {
  CORLISS_CHECK(check_room(message_size(header, body), out));
  auto* const to = out.data();
  store_le(to, static_cast<std::uint32_t>(emsg));
  to[at_header_size] = ExtendedClientMsgHdr::size;
  store_le(to + at_version, ExtendedClientMsgHdr::version);
  store_le(to + at_target_job, header.target_job.value());
  store_le(to + at_source_job, header.source_job.value());
  to[at_canary] = header.canary;
  store_le(to + at_steam_id, header.steam_id.value());
  store_le(to + at_session_id, static_cast<std::uint32_t>(header.session_id));
  std::copy(body.begin(), body.end(), out.begin() + ExtendedClientMsgHdr::size);
  return out.first(message_size(header, body));
}

}  // namespace corliss::proto
