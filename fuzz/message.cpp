// Any packet as a message: what is read is written and read back the same.
#include "fuzz.h"

#include <corliss/base/bytes.h>
#include <corliss/proto/connection.pb.h>
#include <corliss/proto/gc_message.h>
#include <corliss/proto/message.h>
#include <corliss/proto/struct_messages.h>

#include <algorithm>
#include <vector>

using namespace corliss;         // NOLINT(google-build-using-namespace)
using namespace corliss::proto;  // NOLINT(google-build-using-namespace)

namespace {

bool same(ConstBytes a, ConstBytes b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Writes the message from what was read of it. Fields may move (unknown ones go last), so the result is read
/// again.
void check_round_trip(const MessageView& message, ConstBytes packet) {
  std::vector<std::uint8_t> out(packet.size() * 3 + 64);
  Result<Bytes> written = fail(BaseErrc::truncated);
  switch (message.kind()) {
    case HeaderKind::MsgHdr:
      written = write_message(message.emsg(), MsgHdr{message.target_job(), message.source_job()},
                              message.body(), out);
      break;
    case HeaderKind::ExtendedClientMsgHdr:
      written = write_message(message.emsg(), *message.extended_header(), message.body(), out);
      FUZZ_CHECK(written && same(*written, packet));
      break;
    case HeaderKind::MsgHdrProtoBuf:
      written = write_message(message.emsg(), message.protobuf_header(), message.body(), out);
      break;
  }
  FUZZ_CHECK(written);
  MessageView again;
  FUZZ_CHECK(again.parse(*written));
  FUZZ_CHECK(again.emsg() == message.emsg() && again.kind() == message.kind() &&
             same(again.body(), message.body()));
  FUZZ_CHECK(again.target_job() == message.target_job() && again.source_job() == message.source_job());
  FUZZ_CHECK(again.steam_id() == message.steam_id() && again.session_id() == message.session_id());
  FUZZ_CHECK(again.target_job_name() == message.target_job_name() && again.eresult() == message.eresult());
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  const auto parts = split_message(input);
  MessageView message;
  const bool good = message.parse(input).has_value();
  FUZZ_CHECK(parts || !good);
  FUZZ_CHECK(good || message.body().empty());
  if (good) {
    FUZZ_CHECK(parts->body.data() == message.body().data() && parts->body.size() == message.body().size());
    check_round_trip(message, input);
    CMsgClientLogonResponse body;
    FUZZ_CHECK(!message.read_body(body) || message.is_protobuf());
    (void)MsgClientServerUnavailable::parse(message.body());
    (void)MsgClientLogOnResponse::parse(message.body());
    (void)MsgClientLoggedOff::parse(message.body());
  }
  for (const std::uint32_t msgtype : {4006U, 4006U | protobuf_flag}) {
    if (const auto gc = split_gc_payload(msgtype, input); gc && !gc->is_protobuf) {
      CMsgGCClient again;
      set_gc_payload(again, gc->message, MsgGCHdr{gc->target_job, gc->source_job}, gc->body);
      FUZZ_CHECK(same(bytes_of(again.payload()), input));
    }
  }
}
