#include "bench/packet_subject_base.h"

#include <algorithm>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace corliss::bench {

std::string_view name_of(Op op) noexcept {
  switch (op) {
    case Op::seal:
      return "seal";
    case Op::open:
      return "open";
    case Op::mac:
      return "mac";
    case Op::key:
      return "key";
  }
  return "?";
}

std::string_view name_of(Part part) noexcept {
  switch (part) {
    case Part::whole:
      return "total";
    case Part::random:
      return "random";
    case Part::mac:
      return "mac";
    case Part::cipher:
      return "cipher";
  }
  return "?";
}

PacketSubject::PacketSubject(std::string name, Op op, Part part, const Workload& workload)
    : name_(std::move(name) + " " + std::string(name_of(op))), op_(op), part_(part), arena_(workload) {
  if (part != Part::whole) {
    name_ += " (" + std::string(name_of(part)) + ")";
  }
  macs_.resize(20 * arena_.size());
}

const std::uint8_t* PacketSubject::given_nonce() noexcept {
  static constexpr std::array<std::uint8_t, 3> nonce{0x11, 0xF0, 0x5A};
  return nonce.data();
}

void PacketSubject::prepare() {
  if (op_ == Op::open && part_ != Part::mac) {
    arena_.fill_packets();
  } else {
    arena_.fill_plain();
  }
}

void PacketSubject::pass() {
  const std::size_t batch = arena_.workload().batch;
  for (std::size_t first = 0; first < arena_.size(); first += batch) {
    run(first, batch);
  }
}

std::string PacketSubject::check_macs() {
  for (std::size_t i = 0; i < arena_.size(); ++i) {
    const auto& slot = arena_.slots()[i];
    std::vector<std::uint8_t> input(given_nonce(), given_nonce() + 3);
    input.insert(input.end(), arena_.plain(slot), arena_.plain(slot) + slot.plain_size);
    std::array<std::uint8_t, 20> expected;
    HMAC(EVP_sha1(), session_key(slot.session).data(), 16, input.data(), input.size(), expected.data(),
         nullptr);
    if (!std::equal(expected.begin(), expected.end(), mac_of(i))) {
      return "MAC " + std::to_string(i) + " of " + std::to_string(slot.plain_size) + " bytes is wrong";
    }
  }
  return {};
}

std::string PacketSubject::check() {
  prepare();
  pass();
  collect();
  if (op_ == Op::mac || part_ == Part::mac) {
    return check_macs();
  }
  if (part_ != Part::whole) {
    return {};  // the whole is measured in the same group, and checked
  }
  if (op_ == Op::seal) {
    return arena_.check_packets();
  }
  if (auto wrong = arena_.check_plain(); !wrong.empty()) {
    return wrong;
  }
  const std::size_t broken = arena_.size() / 2;
  prepare();
  arena_.plain(arena_.slots()[broken])[3] ^= 0x10;
  pass();
  collect();
  return arena_.check_refusal(broken);
}

}  // namespace corliss::bench
