#include "crypto/kernels.h"
#include "crypto/packet_checks.h"
#include "crypto/random_source.h"

#include <corliss/base/secret.h>
#include <corliss/crypto/packet_cipher.h>

namespace corliss::crypto {

void detail::SessionDeleter::operator()(const Session* session) const noexcept {
  session->kernel->destroy(session);
}

namespace {

using detail::KernelEntry;
using detail::SessionPtr;
using Key = std::span<const std::uint8_t, session_key_size>;

SessionPtr make_session(Key key, const Result<const KernelEntry*>& entry) {
  if (!entry) {
    throw std::system_error(entry.error());
  }
  return SessionPtr((*entry)->functions->make(key));
}

std::string_view kernel_name(const detail::Session& session) noexcept {
  for (const auto& entry : detail::kernel_entries()) {
    if (entry.functions == session.kernel) {
      return entry.kernel.name;
    }
  }
  return {};
}

using SealFunction = decltype(detail::PacketKernel::seal);
using OpenFunction = decltype(detail::PacketKernel::open);

Result<Bytes> seal_with(SealFunction function, const detail::Session& session, ConstBytes plain,
                        const std::uint8_t* random, Bytes out) noexcept {
  const auto packet = out.first(sealed_size(plain.size()));
  if (!function(session, plain.data(), plain.size(), random, packet.data())) [[unlikely]] {
    wipe(packet);
    return fail(Errc::library);
  }
  return packet;
}

/// Opens into `out`; where that fails, wipes `on_refusal`.
Result<Bytes> open_with(OpenFunction function, const detail::Session& session, ConstBytes sealed, Bytes out,
                        Bytes on_refusal) noexcept {
  if (const auto bad = detail::check_sealed(sealed.size())) [[unlikely]] {
    wipe(on_refusal);
    return tl::unexpected(bad);
  }
  const auto size = function(session, sealed.data(), sealed.size(), out.data());
  if (size < 0) [[unlikely]] {
    wipe(on_refusal);
    return fail(size == detail::open_refused ? Errc::unauthenticated : Errc::library);
  }
  return out.first(static_cast<std::size_t>(size));
}

Result<Bytes> open_in_place(OpenFunction function, const detail::Session& session, Bytes sealed) noexcept {
  const auto body = sealed.subspan(sealed.size() < packet_iv_size ? sealed.size() : packet_iv_size);
  return open_with(function, session, sealed, body, sealed);
}

Result<Bytes> open_apart(OpenFunction function, const detail::Session& session, ConstBytes sealed,
                         Bytes out) noexcept {
  const std::size_t length = sealed.size() < packet_iv_size ? 0 : sealed.size() - packet_iv_size;
  if (out.size() < length) {
    return fail(BaseErrc::buffer_too_small);
  }
  const auto part = out.first(length);
  if (length != 0 && part.data() != sealed.data() + packet_iv_size && !detail::apart(sealed, part)) {
    return fail(Errc::buffers_overlap);
  }
  return open_with(function, session, sealed, part, part);
}

}  // namespace

PacketCipher::PacketCipher(Key key) : session_(make_session(key, detail::default_kernel_entry())) {}
PacketCipher::PacketCipher(Key key, std::string_view kernel)
    : session_(make_session(key, detail::find_kernel(kernel))) {}

Result<Bytes> PacketCipher::seal(ConstBytes plain, std::span<const std::uint8_t, 3> nonce,
                                 Bytes out) const noexcept {
  if (const auto bad = detail::check_seal(plain, out)) {
    return tl::unexpected(bad);
  }
  return seal_with(session_->kernel->seal, *session_, plain, nonce.data(), out);
}

Result<Bytes> PacketCipher::seal(ConstBytes plain, Bytes out) const noexcept {
  if (const auto bad = detail::check_seal(plain, out)) {
    return tl::unexpected(bad);
  }
  Nonce nonce;
  CORLISS_CHECK(detail::draw_random(nonce));
  return seal_with(session_->kernel->seal, *session_, plain, nonce.data(), out);
}

Result<Bytes> PacketCipher::open(Bytes sealed) const noexcept {
  return open_in_place(session_->kernel->open, *session_, sealed);
}

Result<Bytes> PacketCipher::open(ConstBytes sealed, Bytes out) const noexcept {
  return open_apart(session_->kernel->open, *session_, sealed, out);
}

std::string_view PacketCipher::kernel() const noexcept {
  return kernel_name(*session_);
}

LegacyPacketCipher::LegacyPacketCipher(Key key)
    : session_(make_session(key, detail::default_kernel_entry())) {}
LegacyPacketCipher::LegacyPacketCipher(Key key, std::string_view kernel)
    : session_(make_session(key, detail::find_kernel(kernel))) {}

Result<Bytes> LegacyPacketCipher::seal(ConstBytes plain, std::span<const std::uint8_t, packet_iv_size> iv,
                                       Bytes out) const noexcept {
  if (const auto bad = detail::check_seal(plain, out)) {
    return tl::unexpected(bad);
  }
  return seal_with(session_->kernel->seal_legacy, *session_, plain, iv.data(), out);
}

Result<Bytes> LegacyPacketCipher::seal(ConstBytes plain, Bytes out) const noexcept {
  if (const auto bad = detail::check_seal(plain, out)) {
    return tl::unexpected(bad);
  }
  std::array<std::uint8_t, packet_iv_size> iv;
  CORLISS_CHECK(detail::draw_random(iv));
  return seal_with(session_->kernel->seal_legacy, *session_, plain, iv.data(), out);
}

Result<Bytes> LegacyPacketCipher::open(Bytes sealed) const noexcept {
  return open_in_place(session_->kernel->open_legacy, *session_, sealed);
}

Result<Bytes> LegacyPacketCipher::open(ConstBytes sealed, Bytes out) const noexcept {
  return open_apart(session_->kernel->open_legacy, *session_, sealed, out);
}

std::string_view LegacyPacketCipher::kernel() const noexcept {
  return kernel_name(*session_);
}

}  // namespace corliss::crypto
