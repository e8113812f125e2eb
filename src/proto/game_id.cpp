#include <corliss/proto/errc.h>
#include <corliss/proto/game_id.h>

#include <limits>

#include <libdeflate.h>

namespace corliss::proto {
namespace {

std::uint32_t crc32(std::uint32_t crc, std::string_view text) noexcept {
  return libdeflate_crc32(crc, text.data(), text.size());
}

}  // namespace

Result<GameId> GameId::for_app(AppId app) noexcept {
  if (app.value() > max_app_id) {
    return fail(Errc::id_out_of_range);
  }
  return GameId(app.value());
}

Result<GameId> GameId::for_mod(AppId app, std::string_view path) noexcept {
  CORLISS_TRY(const auto id, for_app(app));
  return id.with_type(EGameIdType::GameMod).with_mod_id(crc32(0, path));
}

GameId GameId::for_shortcut(std::string_view executable, std::string_view name) noexcept {
  return GameId().with_type(EGameIdType::Shortcut).with_mod_id(crc32(crc32(0, executable), name));
}

Result<GameId> GameId::parse(std::string_view text) noexcept {
  return detail::parse_decimal(text, std::numeric_limits<std::uint64_t>::max()).map([](std::uint64_t value) {
    return GameId(value);
  });
}

}  // namespace corliss::proto
