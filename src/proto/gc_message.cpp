#include <corliss/base/endian.h>
#include <corliss/proto/emsg.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/gc_message.h>

#include <algorithm>

namespace corliss::proto {
namespace {

constexpr std::size_t word_size = 4;
constexpr std::size_t protobuf_prefix_size = 8;  // word, header length
constexpr std::size_t at_target_job = 2;
constexpr std::size_t at_source_job = 10;

std::uint8_t* grown(std::string& payload, std::size_t size) {
  payload.resize(size);
  return reinterpret_cast<std::uint8_t*>(payload.data());
}

}  // namespace

Result<GcMessageParts> split_gc_payload(std::uint32_t msgtype, ConstBytes payload) noexcept {
  GcMessageParts out;
  out.message = msgtype & ~protobuf_flag;
  out.is_protobuf = (msgtype & protobuf_flag) != 0;
  if (payload.size() < (out.is_protobuf ? protobuf_prefix_size : MsgGCHdr::size)) {
    return fail(Errc::message_too_short);
  }
  const auto* const from = payload.data();
  if (out.is_protobuf) {
    if (load_le<std::uint32_t>(from) != msgtype) {
      return fail(Errc::bad_header);
    }
    const auto length = load_le<std::uint32_t>(from + word_size);
    if (length > payload.size() - protobuf_prefix_size) {
      return fail(Errc::bad_header_length);
    }
    out.header = payload.subspan(protobuf_prefix_size, length);
    out.body = payload.subspan(protobuf_prefix_size + length);
    return out;
  }
  if (load_le<std::uint16_t>(from) != MsgGCHdr::version) {
    return fail(Errc::bad_struct_header);
  }
  out.header = payload.first(MsgGCHdr::size);
  out.target_job = JobId(load_le<std::uint64_t>(from + at_target_job));
  out.source_job = JobId(load_le<std::uint64_t>(from + at_source_job));
  out.body = payload.subspan(MsgGCHdr::size);
  return out;
}

void set_gc_payload(CMsgGCClient& into, std::uint32_t message, const CMsgProtoBufHeader& header,
                    ConstBytes body) {
  const std::uint32_t msgtype = message | protobuf_flag;
  const std::size_t header_size = header.ByteSizeLong();
  into.set_msgtype(msgtype);
  auto* const to = grown(*into.mutable_payload(), protobuf_prefix_size + header_size + body.size());
  store_le(to, msgtype);
  store_le(to + word_size, static_cast<std::uint32_t>(header_size));
  std::copy(body.begin(), body.end(), header.SerializeWithCachedSizesToArray(to + protobuf_prefix_size));
}

void set_gc_payload(CMsgGCClient& into, std::uint32_t message, const MsgGCHdr& header, ConstBytes body) {
  into.set_msgtype(message & ~protobuf_flag);
  auto* const to = grown(*into.mutable_payload(), MsgGCHdr::size + body.size());
  store_le(to, MsgGCHdr::version);
  store_le(to + at_target_job, header.target_job.value());
  store_le(to + at_source_job, header.source_job.value());
  std::copy(body.begin(), body.end(), to + MsgGCHdr::size);
}

}  // namespace corliss::proto
