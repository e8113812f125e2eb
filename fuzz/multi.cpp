// Any packet through a MultiReader with small limits, twice and beside a plain reading of the same rules. The
// first byte is a bit set: 1 the input is the body of a Multi, 2 it is gzipped first, so that content is
// reached.
#include "fuzz.h"

#include <corliss/base/endian.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>

#include <algorithm>
#include <string>
#include <vector>

#include <google/protobuf/unknown_field_set.h>
#include <libdeflate.h>

using namespace corliss;         // NOLINT(google-build-using-namespace)
using namespace corliss::proto;  // NOLINT(google-build-using-namespace)

namespace {

constexpr MultiLimits limits{.unpacked_size = std::size_t{1} << 20, .depth = 4, .kept_size = 4096};

struct Outcome {
  std::vector<std::vector<std::uint8_t>> messages;
  bool good = false;
  bool operator==(const Outcome&) const = default;
};

Outcome unpack(MultiReader& reader, ConstBytes packet) {
  Outcome out;
  reader.begin(packet);
  for (;;) {
    const auto message = reader.next();
    if (!message || !*message) {
      out.good = message.has_value();
      return out;
    }
    FUZZ_CHECK((*message)->size() >= 4);
    out.messages.emplace_back((*message)->begin(), (*message)->end());
  }
}

/// The rules once more, plainly: recursive, with copies, by the generated class.
bool reference(const std::vector<std::uint8_t>& packet, std::size_t depth, std::size_t& unpacked,
               Outcome& out) {
  if (packet.size() < 4) {
    return false;
  }
  if (load_le<std::uint32_t>(packet.data()) != 0x80000001) {
    out.messages.push_back(packet);
    return true;
  }
  MessageView view;
  CMsgMulti multi;
  if (depth == limits.depth || !view.parse(packet) || !view.read_body(multi)) {
    return false;
  }
  for (int i = 0; i < multi.unknown_fields().field_count(); ++i) {
    if (multi.unknown_fields().field(i).type() == google::protobuf::UnknownField::TYPE_GROUP) {
      return false;
    }
  }
  std::string body = multi.message_body();
  if (multi.size_unzipped() > 0) {
    const std::size_t size = multi.size_unzipped();
    if (size > 1040 * body.size() + 64 || size > limits.unpacked_size - unpacked) {
      return false;
    }
    std::string plain(size, '\0');
    auto* const decompressor = libdeflate_alloc_decompressor();
    std::size_t taken = 0;
    std::size_t made = 0;
    const auto result = libdeflate_gzip_decompress_ex(decompressor, body.data(), body.size(), plain.data(),
                                                      size, &taken, &made);
    libdeflate_free_decompressor(decompressor);
    if (result != LIBDEFLATE_SUCCESS || made != size || taken != body.size()) {
      return false;
    }
    unpacked += size;
    body = plain;
  }
  for (std::size_t at = 0; at < body.size();) {
    if (body.size() - at < 4) {
      return false;
    }
    const std::size_t size = load_le<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(body.data()) + at);
    at += 4;
    if (size > body.size() - at) {
      return false;
    }
    if (!reference({body.begin() + static_cast<std::ptrdiff_t>(at),
                    body.begin() + static_cast<std::ptrdiff_t>(at + size)},
                   depth + 1, unpacked, out)) {
      return false;
    }
    at += size;
  }
  return true;
}

std::vector<std::uint8_t> packet_of(std::span<const std::uint8_t> input) {
  const auto mode = input.empty() ? 0 : input.front();
  const auto rest = input.empty() ? input : input.subspan(1);
  if ((mode & 1) == 0) {
    return {rest.begin(), rest.end()};
  }
  std::string body(rest.begin(), rest.end());
  CMsgMulti multi;
  if ((mode & 2) != 0 && !body.empty()) {
    auto* const compressor = libdeflate_alloc_compressor(1);
    std::string zipped(libdeflate_gzip_compress_bound(compressor, body.size()), '\0');
    zipped.resize(
        libdeflate_gzip_compress(compressor, body.data(), body.size(), zipped.data(), zipped.size()));
    libdeflate_free_compressor(compressor);
    multi.set_size_unzipped(static_cast<std::uint32_t>(body.size()));
    body = zipped;
  }
  multi.set_message_body(body);
  std::vector<std::uint8_t> packet(message_size(CMsgProtoBufHeader(), multi));
  FUZZ_CHECK(write_message(EMsg::Multi, CMsgProtoBufHeader(), multi, packet));
  return packet;
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  const auto packet = packet_of(input);
  static MultiReader kept(limits);  // carries its buffers from input to input
  const auto first = unpack(kept, packet);
  FUZZ_CHECK(unpack(kept, packet) == first);
  Outcome plain;
  std::size_t unpacked = 0;
  plain.good = reference(packet, 0, unpacked, plain);
  FUZZ_CHECK(plain == first);
}
