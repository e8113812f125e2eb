#include <corliss/proto/errc.h>
#include <corliss/proto/steam_id.h>

#include <algorithm>
#include <array>
#include <limits>

namespace corliss::proto {
namespace {

/// One letter of the Steam3 form.
struct Letter {
  char letter;
  EAccountType type;
  std::uint32_t default_instance;
  std::uint32_t flag;  // added to the instance
};

constexpr std::array<Letter, 13> letters{{
    {'I', EAccountType::Invalid, 1, 0},
    {'U', EAccountType::Individual, 1, 0},
    {'M', EAccountType::Multiseat, 1, 0},
    {'G', EAccountType::GameServer, 1, 0},
    {'A', EAccountType::AnonGameServer, 1, 0},
    {'P', EAccountType::Pending, 1, 0},
    {'C', EAccountType::ContentServer, 1, 0},
    {'g', EAccountType::Clan, 0, 0},
    {'T', EAccountType::Chat, 0, 0},
    {'c', EAccountType::Chat, 0, SteamId::clan_chat_flag},
    {'L', EAccountType::Chat, 0, SteamId::lobby_flag},
    {'a', EAccountType::AnonUser, 1, 0},
    {'i', EAccountType::Invalid, 1, 0},  // what types without a letter are written as
}};

constexpr std::string_view steam2_prefix = "STEAM_";
constexpr std::string_view invite_url = "https://s.team/p/";
constexpr std::string_view invite_alphabet = "bcdfghjkmnpqrtvw";
constexpr char max_universe_digit = '4';

constexpr std::uint64_t max32 = std::numeric_limits<std::uint32_t>::max();

struct Split {
  std::string_view first;
  std::string_view rest;
};
/// Splits at the first `separator`; without one, all is `first`.
Split split(std::string_view text, char separator) noexcept {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) {
    return {text, {}};
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

bool starts_with_any_case(std::string_view text, std::string_view upper_prefix) noexcept {
  return text.size() >= upper_prefix.size() &&
         std::equal(upper_prefix.begin(), upper_prefix.end(), text.begin(), [](char upper, char c) {
           return c == upper || (c >= 'a' && c <= 'z' && c - 'a' + 'A' == upper);
         });
}

/// One digit 0 to 4.
std::optional<EUniverse> universe_digit(std::string_view text) noexcept {
  if (text.size() != 1 || text[0] < '0' || text[0] > max_universe_digit) {
    return std::nullopt;
  }
  return static_cast<EUniverse>(text[0] - '0');
}

const Letter* find_letter(std::string_view text) noexcept {
  const auto* const row = std::find_if(letters.begin(), letters.end(), [&](const Letter& l) {
    return text == std::string_view(&l.letter, 1);
  });
  return row != letters.end() ? row : nullptr;
}

char letter_of(SteamId id) noexcept {
  if (id.is_chat()) {
    if ((id.instance() & SteamId::clan_chat_flag) != 0) {
      return 'c';
    }
    return id.is_lobby() ? 'L' : 'T';
  }
  const auto* const row =
      std::find_if(letters.begin(), letters.end(), [&](const Letter& l) { return l.type == id.type(); });
  return row != letters.end() ? row->letter : 'i';
}

std::string to_steam3(SteamId id) {
  std::string out{'[', letter_of(id), ':'};
  out += std::to_string(static_cast<unsigned>(id.universe()));
  out += ':';
  out += to_string(id.account_id());
  if (id.type() == EAccountType::AnonGameServer || id.type() == EAccountType::Multiseat ||
      (id.type() == EAccountType::Individual && id.instance() != SteamId::desktop_instance)) {
    out += ':';
    out += std::to_string(id.instance());
  }
  out += ']';
  return out;
}

std::string to_steam2(SteamId id, EUniverse public_as) {
  if (id.type() != EAccountType::Individual && id.type() != EAccountType::Invalid) {
    return std::to_string(id.value());
  }
  const auto universe = id.universe() == EUniverse::Public ? public_as : id.universe();
  const auto account = id.account_id().value();
  std::string out(steam2_prefix);
  out += std::to_string(static_cast<unsigned>(universe));
  out += (account & 1U) != 0 ? ":1:" : ":0:";
  out += std::to_string(account >> 1);
  return out;
}

}  // namespace

Result<SteamId> SteamId::to_clan_chat() const noexcept {
  if (!is_clan()) {
    return fail(Errc::not_a_clan);
  }
  return with_type(EAccountType::Chat).with_instance(clan_chat_flag);
}

Result<SteamId> SteamId::parse(std::string_view text) noexcept {
  if (text.starts_with('[')) {
    return parse_steam3(text);
  }
  if (starts_with_any_case(text, steam2_prefix)) {
    return parse_steam2(text);
  }
  return parse_number(text);
}

Result<SteamId> SteamId::parse_number(std::string_view text) noexcept {
  return detail::parse_decimal(text, std::numeric_limits<std::uint64_t>::max()).map([](std::uint64_t value) {
    return SteamId(value);
  });
}

Result<SteamId> SteamId::parse_steam2(std::string_view text, std::optional<EUniverse> universe) noexcept {
  if (!starts_with_any_case(text, steam2_prefix)) {
    return fail(Errc::bad_id);
  }
  const auto [x_text, after_x] = split(text.substr(steam2_prefix.size()), ':');
  const auto [y_text, z_text] = split(after_x, ':');
  const auto x = universe_digit(x_text);
  if (!x || (y_text != "0" && y_text != "1")) {
    return fail(Errc::bad_id);
  }
  CORLISS_TRY(const auto z, detail::parse_decimal(z_text, max32 / 2));
  const auto account = static_cast<std::uint32_t>(z * 2 + (y_text == "1" ? 1 : 0));
  const auto read_as = *x == EUniverse::Invalid ? EUniverse::Public : *x;
  return SteamId(AccountId(account), universe.value_or(read_as), EAccountType::Individual);
}

Result<SteamId> SteamId::parse_steam3(std::string_view text) noexcept {
  if (!text.starts_with('[') || !text.ends_with(']')) {
    return fail(Errc::bad_id);
  }
  const auto [letter_text, after_letter] = split(text.substr(1, text.size() - 2), ':');
  const auto [universe_text, numbers] = split(after_letter, ':');
  const auto* const letter = find_letter(letter_text);
  const auto universe = universe_digit(universe_text);
  if (letter == nullptr || !universe) {
    return fail(Errc::bad_id);
  }
  auto account_text = numbers;
  std::optional<std::string_view> instance_text;
  if (numbers.ends_with(')')) {
    const auto open = numbers.find('(');
    if (open == std::string_view::npos) {
      return fail(Errc::bad_id);
    }
    account_text = numbers.substr(0, open);
    instance_text = numbers.substr(open + 1, numbers.size() - open - 2);
  } else if (const auto colon = numbers.find(':'); colon != std::string_view::npos) {
    account_text = numbers.substr(0, colon);
    instance_text = numbers.substr(colon + 1);
  }
  CORLISS_TRY(const auto account, AccountId::parse(account_text));
  std::uint64_t instance = letter->default_instance;
  if (instance_text) {
    CORLISS_TRY(instance, detail::parse_decimal(*instance_text, max_instance));
  }
  return SteamId(account, static_cast<std::uint32_t>(instance) | letter->flag, *universe, letter->type);
}

Result<SteamId> SteamId::parse_invite_code(std::string_view text) noexcept {
  if (text.starts_with(invite_url)) {
    text.remove_prefix(invite_url.size());
  }
  std::uint64_t account = 0;
  bool any = false;
  for (const char c : text) {
    if (c == '-') {
      continue;
    }
    const auto digit = invite_alphabet.find(c);
    if (digit == std::string_view::npos) {
      return fail(Errc::bad_id);
    }
    any = true;
    account = account << 4 | digit;
    if (account > max32) {
      return fail(Errc::id_out_of_range);
    }
  }
  if (!any) {
    return fail(Errc::bad_id);
  }
  return SteamId(AccountId(static_cast<std::uint32_t>(account)), EUniverse::Public, EAccountType::Individual);
}

std::string to_string(SteamId id, SteamIdForm form) {
  switch (form) {
    case SteamIdForm::steam3:
      return to_steam3(id);
    case SteamIdForm::steam2:
      return to_steam2(id, EUniverse::Invalid);
    case SteamIdForm::steam2_modern:
      return to_steam2(id, EUniverse::Public);
    case SteamIdForm::number:
      break;
  }
  return std::to_string(id.value());
}

std::string to_invite_code(SteamId id) {
  std::string code;
  auto account = id.account_id().value();
  do {
    code.insert(code.begin(), invite_alphabet[account & 0xFU]);
    account >>= 4;
  } while (account != 0);
  if (code.size() > 1) {
    code.insert(code.size() / 2, 1, '-');
  }
  return code;
}

}  // namespace corliss::proto
