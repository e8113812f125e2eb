// Any bytes as a chunk. The first byte picks what they are: 0 an encrypted body, 1 the container inside, 2 a
// delta whose source is the first quarter. The expected size is what the container claims, so that
// decompression is reached.
#include "fuzz.h"

#include <corliss/content/chunk.h>
#include <corliss/crypto/checksum.h>
#include <corliss/crypto/hash.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

constexpr std::size_t max_fuzz_size = 1 << 16;

using corliss::content::ChunkDecoder;
using corliss::content::ChunkSpec;

std::array<std::uint8_t, 32> corpus_key() {
  std::array<std::uint8_t, 32> key{};
  for (std::size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<std::uint8_t>(3 + 7 * i);
  }
  return key;
}

}  // namespace

void fuzz(std::span<const std::uint8_t> input) {
  static ChunkDecoder decoder(corpus_key());
  static corliss::crypto::DepotCipher cipher(corpus_key());
  if (input.empty()) {
    return;
  }
  const auto mode = input[0] % 3;
  std::vector<std::uint8_t> bytes(input.begin() + 1, input.end());
  std::span<const std::uint8_t> container = bytes;
  std::span<const std::uint8_t> source;
  if (mode == 0) {
    const auto opened = cipher.open(bytes);
    if (!opened) {
      return;
    }
    container = *opened;
  } else if (mode == 2) {
    source = container.first(container.size() / 4);
    container = container.subspan(source.size());
  }
  ChunkSpec spec;
  const auto size = ChunkDecoder::claimed_size(container);
  spec.size = size ? *size : 100;
  if (spec.size > max_fuzz_size) {
    return;
  }
  std::vector<std::uint8_t> out(spec.size);
  const bool done = mode == 2 ? decoder.apply_delta(container, source, spec, out).has_value()
                              : decoder.unpack(container, spec, out).has_value();
  if (done) {
    // The same with everything known must succeed too, and with a wrong id fail.
    const auto first = out;
    spec.checksum = corliss::crypto::adler32(out, corliss::crypto::adler32_depot_seed);
    spec.id = corliss::content::ChunkId(corliss::crypto::sha1(out));
    const auto again = [&] {
      return mode == 2 ? decoder.apply_delta(container, source, spec, out).has_value()
                       : decoder.unpack(container, spec, out).has_value();
    };
    FUZZ_CHECK(again() && out == first);
    spec.id = corliss::content::ChunkId();
    FUZZ_CHECK(!again());
  }
}
