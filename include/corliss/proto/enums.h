#pragma once

#include <cstdint>

namespace corliss::proto {

/// A world of Steam of its own. Any number may arrive; those without a name are kept.
/// Source: SteamKit enums.steamd.
enum class EUniverse : std::uint8_t { Invalid = 0, Public = 1, Beta = 2, Internal = 3, Dev = 4 };

/// What a SteamId names, 4 bits. 11 to 15 are unused and kept as they are. Source: SteamKit enums.steamd.
enum class EAccountType : std::uint8_t {
  Invalid = 0,
  Individual = 1,
  Multiseat = 2,
  GameServer = 3,
  AnonGameServer = 4,
  Pending = 5,
  ContentServer = 6,
  Clan = 7,
  Chat = 8,
  ConsoleUser = 9,
  AnonUser = 10,
};

}  // namespace corliss::proto
