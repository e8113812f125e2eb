// A CM session fed messages, each behind its u8 length (255: time passes). First byte: the faults, and
// whether the client is logged on already.
#include "fuzz.h"

#include <corliss/base/reader.h>
#include <corliss/proto/connection.pb.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/sim/cm_session.h>

namespace {

using namespace corliss;

class CountingRng final : public Rng {
 public:
  Result<void> fill(Bytes out) noexcept override {
    for (auto& byte : out) {
      byte = ++last_;
    }
    return {};
  }

 private:
  std::uint8_t last_ = 0;
};

void log_on(sim::CmSession& session, TimePoint now) {
  proto::CMsgProtoBufHeader header;
  header.set_steamid(117093590311632896U);
  proto::CMsgClientLogon body;
  body.set_protocol_version(65581);
  std::vector<std::uint8_t> bytes(proto::message_size(header, body));
  FUZZ_CHECK(proto::write_message(proto::EMsg::ClientLogon, header, body, bytes));
  FUZZ_CHECK(session.receive(bytes, now));
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  Reader in(input);
  const auto start = in.u8();
  if (!start) {
    return;
  }
  CountingRng rng;
  TimePoint now{std::chrono::hours(1)};
  sim::Cm cm({}, rng);
  sim::FaultRules rules;
  if ((*start & 1) != 0) {
    rules.push_back({.kind = sim::FaultKind::late, .by = std::chrono::seconds(1)});
  }
  if ((*start & 2) != 0) {
    rules.push_back({.kind = sim::FaultKind::try_another_cm, .after_messages = std::uint64_t{*start} >> 4U});
  }
  {
    sim::CmSession session(cm, sim::PublicAddress(0x7F000001U), rules, now);
    if ((*start & 4) != 0) {
      log_on(session, now);
      while (session.poll_message(now)) {
      }
    }
    bool ended = false;
    while (!in.empty()) {
      const auto length = in.u8().value_or(0);
      if (length == 255) {
        now += std::chrono::seconds(20);
        session.on_deadline(now);
      } else {
        const auto message = in.bytes(std::min<std::size_t>(length, in.remaining()));
        const auto taken = session.receive(*message, now);
        FUZZ_CHECK(!ended || !taken);
        ended = ended || !taken;
        FUZZ_CHECK(!ended || session.over() || session.deadline());  // at once, or after what is late
      }
      while (const auto out = session.poll_message(now)) {
        FUZZ_CHECK(proto::split_message(*out));
      }
      ended = ended || session.over();
      FUZZ_CHECK(cm.logged_on() == (session.session_id() != 0 ? 1U : 0U));
    }
  }
  FUZZ_CHECK(cm.logged_on() == 0);
}
