// Any text: what is read as an id is written and read back the same; the exact forms are told apart.
#include "fuzz.h"

#include <corliss/base/bytes.h>
#include <corliss/proto/game_id.h>
#include <corliss/proto/global_id.h>
#include <corliss/proto/steam_id.h>

using corliss::proto::SteamId;
using corliss::proto::SteamIdForm;

void fuzz(std::span<const std::uint8_t> input) {
  const auto text = corliss::text_of(input);
  const auto id = SteamId::parse(text);
  const auto number = SteamId::parse_number(text);
  const auto steam2 = SteamId::parse_steam2(text);
  const auto steam3 = SteamId::parse_steam3(text);
  FUZZ_CHECK(int{number.has_value()} + int{steam2.has_value()} + int{steam3.has_value()} ==
             int{id.has_value()});
  FUZZ_CHECK(corliss::proto::GameId::parse(text).has_value() == number.has_value());
  FUZZ_CHECK(corliss::proto::GlobalId::parse(text).has_value() == number.has_value());
  if (const auto invited = SteamId::parse_invite_code(text)) {
    FUZZ_CHECK(SteamId::parse_invite_code(to_invite_code(*invited)) == invited);
  }
  if (!id) {
    return;
  }
  FUZZ_CHECK(SteamId::parse(to_string(*id, SteamIdForm::number)) == id);
  FUZZ_CHECK(SteamId(id->account_id(), id->instance(), id->universe(), id->type()) == *id);
  if (steam2) {
    FUZZ_CHECK(SteamId::parse(to_string(*id, SteamIdForm::steam2)) == id);
    FUZZ_CHECK(SteamId::parse(to_string(*id, SteamIdForm::steam2_modern)) == id);
  }
  if (steam3) {
    // Instances that the form has no place for are lost; nothing else is.
    const auto again = SteamId::parse(to_string(*id));
    FUZZ_CHECK(again && again->static_account_key() == id->static_account_key());
    FUZZ_CHECK(to_string(*again) == to_string(*id));
  }
}
