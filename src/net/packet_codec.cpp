#include "net/packet_codec.h"

#include <corliss/base/secret.h>

#include <algorithm>
#include <array>

namespace corliss::net {

std::size_t PacketCodec::max_plain(std::size_t packet) const noexcept {
  if (!encrypts()) {
    return packet;
  }
  const std::size_t least = crypto::sealed_size(0);
  return packet < least ? 0 : (packet - crypto::packet_iv_size) / 16 * 16 - 1;
}

Result<void> PacketCodec::seal(std::span<const Record> records, Rng* rng) const noexcept {
  if (const auto* hmac = std::get_if<crypto::PacketCipher>(&cipher_)) {
    std::array<crypto::SealItem, max_batch> items;
    const auto batch = std::span(items).first(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      batch[i].cipher = hmac;
      batch[i].plain = records[i].room.subspan(crypto::packet_iv_size, records[i].plain);
      batch[i].out = records[i].room;
    }
    crypto::seal_batch(batch, *rng);
    const auto failed =
        std::find_if(batch.begin(), batch.end(), [](const auto& item) { return !!item.error; });
    return failed == batch.end() ? Result<void>{} : fail(failed->error);
  }
  if (const auto* legacy = std::get_if<crypto::LegacyPacketCipher>(&cipher_)) {
    for (const auto& record : records) {
      std::array<std::uint8_t, crypto::packet_iv_size> iv;
      CORLISS_CHECK(rng->fill(iv));
      CORLISS_CHECK(legacy->seal(record.room.subspan(crypto::packet_iv_size, record.plain), iv, record.room));
    }
  }
  return {};
}

std::size_t PacketCodec::open(std::span<Bytes> packets, std::error_code& error) const noexcept {
  std::size_t good = 0;
  if (const auto* hmac = std::get_if<crypto::PacketCipher>(&cipher_)) {
    std::array<crypto::OpenItem, max_batch> items;
    const auto batch = std::span(items).first(packets.size());
    for (std::size_t i = 0; i < packets.size(); ++i) {
      batch[i].cipher = hmac;
      batch[i].sealed = packets[i];
    }
    crypto::open_batch(batch);
    for (; good < batch.size() && !batch[good].error; ++good) {
      packets[good] = batch[good].plain;
    }
    if (good < batch.size()) {
      error = batch[good].error;
    }
  } else if (const auto* legacy = std::get_if<crypto::LegacyPacketCipher>(&cipher_)) {
    for (; good < packets.size(); ++good) {
      const auto plain = legacy->open(packets[good]);
      if (!plain) {
        error = plain.error();
        break;
      }
      packets[good] = *plain;
    }
  } else {
    good = packets.size();
  }
  for (const Bytes packet : packets.subspan(good)) {
    wipe(packet);
  }
  return good;
}

}  // namespace corliss::net
