#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace corliss::bench {

/// The smallest size at which `product_info_message` is a whole message.
inline constexpr std::size_t min_whole_message_size = 400;

/// A message of exactly `size` bytes as an app-data crawler receives them: EMsgClientPICSProductInfoResponse
/// (8904) with its protobuf header and the KeyValues of one app in its body. The app is made up. Below
/// `min_whole_message_size` the message is cut off. The same bytes every time.
[[nodiscard]] std::vector<std::uint8_t> product_info_message(std::size_t size);

}  // namespace corliss::bench
