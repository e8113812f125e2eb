#pragma once

#include <corliss/net/channel.h>
#include <corliss/net/handshake.h>

#include <string>

namespace corliss::net {

/// The path of every connection manager.
inline constexpr const char* steam_websocket_path = "/cmsocket/";

/// WebSockets are kept alive by pings, so silence means more than on TCP.
inline constexpr Timeouts websocket_timeouts{.idle = std::chrono::seconds(60)};
inline constexpr ChannelOptions websocket_options{.limits = {}, .timeouts = websocket_timeouts};

/// Status codes of close frames (RFC 6455, 7.4.1) that this side sends.
enum class WebSocketStatus : std::uint16_t { normal = 1000, protocol_error = 1002, too_big = 1009 };

/// A Steam connection over WebSocket: the HTTP upgrade, then one binary message for each Steam message,
/// without the channel's encryption: TLS has to be below, which is the caller's to provide, with the
/// certificate checked.
///
///     auto channel = WebSocketChannel::client("ext1.steamserver.net:443", websocket_options, rng, now);
///
/// Messages are never fragmented when sent, and put together when received. Text and empty messages are
/// ignored, as the peers do. Pings are answered, the last one where several came at once. No extension is
/// offered or accepted. Errors that end it: those under WebSocket in errc.h, Errc::frame_too_large,
/// Errc::stream_truncated, the timeouts; where the protocol wants a close frame first, `outgoing` has it.
/// Source: RFC 6455; docs/wire/transport.md.
class WebSocketChannel final : public OwningChannel {
 public:
  /// `host` goes into the Host field: a name or a bracketed IPv6 literal, with the port unless it is 443.
  /// `rng` gives the key and the masks, and must live as long as the channel.
  static WebSocketChannel client(const std::string& host, const ChannelOptions& options, Rng& rng,
                                 TimePoint now, const std::string& path = steam_websocket_path);
  /// Answers 404 to any other path, 426 to any other version of the protocol, 400 to what is no upgrade.
  static WebSocketChannel server(const ChannelOptions& options, TimePoint now,
                                 const std::string& path = steam_websocket_path);

 private:
  using OwningChannel::OwningChannel;
};

}  // namespace corliss::net
