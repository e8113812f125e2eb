#pragma once

#include "crypto/packet_lanes.h"

/// The functions of `shani` for one packet, which the kernels above it share.
namespace corliss::crypto::detail {

[[nodiscard]] const Session* make_shani_session(std::span<const std::uint8_t, session_key_size> key,
                                                const PacketKernel* kernel);
void destroy_shani_session(const Session* session) noexcept;
bool shani_seal(const Session& session, const std::uint8_t* plain, std::size_t size,
                const std::uint8_t* nonce, std::uint8_t* out) noexcept;
std::ptrdiff_t shani_open(const Session& session, const std::uint8_t* sealed, std::size_t size,
                          std::uint8_t* out) noexcept;
bool shani_seal_legacy(const Session& session, const std::uint8_t* plain, std::size_t size,
                       const std::uint8_t* iv, std::uint8_t* out) noexcept;
std::ptrdiff_t shani_open_legacy(const Session& session, const std::uint8_t* sealed, std::size_t size,
                                 std::uint8_t* out) noexcept;
void shani_mac(const Session& session, const std::uint8_t* nonce, const std::uint8_t* plain, std::size_t size,
               std::uint8_t* out) noexcept;
/// Writes ECB(iv) of every job.
void shani_encrypt_ivs(SealSource& source) noexcept;

}  // namespace corliss::crypto::detail
