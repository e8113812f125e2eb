#pragma once

#include <corliss/base/rng.h>
#include <corliss/crypto/random_pool.h>
#include <corliss/io/endpoint.h>
#include <corliss/net/limits.h>
#include <corliss/net/udp_channel.h>
#include <corliss/net/websocket.h>

#include <optional>

namespace corliss::io {

/// What a channel of `scheme` is made with.
[[nodiscard]] inline net::ChannelOptions channel_options(Scheme scheme, const net::Limits& limits,
                                                         const std::optional<net::Timeouts>& timeouts) {
  net::ChannelOptions out;
  if (scheme == Scheme::udp) {
    out = net::udp_channel_options;
  } else if (scheme != Scheme::tcp) {
    out = net::websocket_options;
  }
  out.limits = limits;
  out.timeouts = timeouts.value_or(out.timeouts);
  return out;
}

}  // namespace corliss::io
