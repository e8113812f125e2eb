#include <corliss/net/channel.h>

#include <algorithm>

namespace corliss::net {

Result<void> Channel::send(ConstBytes message, TimePoint now) {
  CORLISS_TRY(const Bytes room, prepare(message.size()));
  std::copy(message.begin(), message.end(), room.begin());
  return commit(now);
}

}  // namespace corliss::net
