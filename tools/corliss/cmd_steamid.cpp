#include "corliss/check_command.h"
#include "corliss/command.h"
#include "corliss/commands.h"
#include "vectors/steamid.h"

#include <corliss/proto/fmt.h>

#include <array>
#include <memory>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

using proto::GameId;
using proto::GlobalId;
using proto::SteamId;
using proto::SteamIdForm;

template <std::size_t N>
std::string name_in(const std::array<const char*, N>& names, unsigned value) {
  return value < N ? fmt::format("{} ({})", names[value], value) : fmt::format("unknown ({})", value);
}

std::string universe_name(SteamId id) {
  static constexpr std::array<const char*, 5> names{"Invalid", "Public", "Beta", "Internal", "Dev"};
  return name_in(names, static_cast<unsigned>(id.universe()));
}

std::string type_name(SteamId id) {
  static constexpr std::array<const char*, 11> names{
      "Invalid",       "Individual", "Multiseat", "GameServer",  "AnonGameServer", "Pending",
      "ContentServer", "Clan",       "Chat",      "ConsoleUser", "AnonUser"};
  return name_in(names, static_cast<unsigned>(id.type()));
}

std::string game_type_name(GameId id) {
  static constexpr std::array<const char*, 4> names{"App", "GameMod", "Shortcut", "P2P"};
  return name_in(names, static_cast<unsigned>(id.type()));
}

std::string instance_name(SteamId id) {
  std::string out = fmt::format("{}", id.instance());
  if (id.is_chat()) {
    for (const auto& [flag, name] :
         {std::pair{SteamId::clan_chat_flag, "clan"}, std::pair{SteamId::lobby_flag, "lobby"},
          std::pair{SteamId::mms_lobby_flag, "MMS lobby"}}) {
      if ((id.instance() & flag) != 0) {
        out += fmt::format(", {}", name);
      }
    }
  }
  return out;
}

[[noreturn]] void refuse(const std::string& text, const char* what, const std::error_code& error) {
  throw CommandError(Exit::input_refused, fmt::format("{}: {}: {}", text, what, error.message()));
}

/// Reads every form: number, Steam2, Steam3 and invite code. Of the last only those with a dash: without, any
/// short word of its letters would be one.
SteamId read_steam_id(const std::string& text) {
  const auto id = SteamId::parse(text);
  if (id) {
    return *id;
  }
  if (const auto invited = SteamId::parse_invite_code(text); invited && text.find('-') != std::string::npos) {
    return *invited;
  }
  refuse(text, "not a SteamID (64-bit number, STEAM_X:Y:Z, [L:U:A] or invite code)", id.error());
}

void show_steam_id(const std::string& text, bool json) {
  const SteamId id = read_steam_id(text);
  if (json) {
    // 64-bit numbers are strings: JSON readers keep 53 bits.
    nlohmann::json out{{"input", text},
                       {"id", to_string(id, SteamIdForm::number)},
                       {"steam3", to_string(id)},
                       {"steam2", to_string(id, SteamIdForm::steam2)},
                       {"universe", static_cast<unsigned>(id.universe())},
                       {"type", static_cast<unsigned>(id.type())},
                       {"instance", id.instance()},
                       {"account_id", id.account_id().value()},
                       {"valid", id.is_valid()}};
    if (id.is_individual()) {
      out["invite_code"] = to_invite_code(id);
    }
    if (const auto chat = id.to_clan_chat()) {
      out["clan_chat"] = to_string(*chat, SteamIdForm::number);
    }
    if (const auto clan = id.to_clan()) {
      out["clan"] = to_string(*clan, SteamIdForm::number);
    }
    write_json(out, false);
    return;
  }
  write_out(
      fmt::format("{:d}\n  Steam3    {}\n  Steam2    {:l}\n  universe  {}\n  type      {}\n"
                  "  instance  {}\n  account   {}\n",
                  id, id, id, universe_name(id), type_name(id), instance_name(id), id.account_id()));
  if (id.is_individual()) {
    write_out(fmt::format("  invite    {}\n", to_invite_code(id)));
  }
  if (const auto chat = id.to_clan_chat()) {
    write_out(fmt::format("  its chat  {:d} {}\n", *chat, *chat));
  }
  if (const auto clan = id.to_clan()) {
    write_out(fmt::format("  its clan  {:d} {}\n", *clan, *clan));
  }
  write_out(fmt::format("  valid     {}\n", id.is_valid() ? "yes" : "no"));
}

void show_game_id(const std::string& text, bool json) {
  const auto id = GameId::parse(text);
  if (!id) {
    refuse(text, "not a GameID (a 64-bit number)", id.error());
  }
  if (json) {
    write_json(nlohmann::json{{"input", text},
                              {"id", to_string(*id)},
                              {"app_id", id->app_id().value()},
                              {"type", static_cast<unsigned>(id->type())},
                              {"mod_id", id->mod_id()}},
               false);
    return;
  }
  write_out(fmt::format("{}\n  app       {}\n  type      {}\n  mod       {:#010x}\n", *id, id->app_id(),
                        game_type_name(*id), id->mod_id()));
}

void show_global_id(const std::string& text, bool json) {
  const auto id = GlobalId::parse(text);
  if (!id) {
    refuse(text, "not a GlobalID (a 64-bit number)", id.error());
  }
  const auto start = id->start_time().time_since_epoch().count();
  if (json) {
    write_json(nlohmann::json{{"input", text},
                              {"id", to_string(*id)},
                              {"sequential_count", id->sequential_count()},
                              {"start_time_unix", start},
                              {"process_id", id->process_id()},
                              {"box_id", id->box_id()},
                              {"none", id->is_none()}},
               false);
    return;
  }
  write_out(
      fmt::format("{}{}\n  count     {}\n  started   {:%Y-%m-%d %H:%M:%S} UTC ({})\n  process   {}\n"
                  "  box       {}\n",
                  *id, id->is_none() ? " (none)" : "", id->sequential_count(), fmt::gmtime(start), start,
                  id->process_id(), id->box_id()));
}

}  // namespace

void add_steamid(CLI::App& app) {
  struct Options {
    std::vector<std::string> values;
    bool json = false;
    bool game = false;
    bool global = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App& command = add_command(
      app, "steamid", "every form of an id",
      {"corliss steamid 76561197969249708", "corliss steamid STEAM_0:0:4491990 '[g:1:4]' cv-dgb --json",
       "corliss steamid --game 10210309621176861092   # taken apart as a GameID"});
  // The parser would take the brackets of [g:1:4] for a list of its own wherever an option takes many values,
  // so VALUE takes one and the others come as extras.
  command
      .add_option(
          "VALUE", options->values,
          "64-bit number, STEAM_X:Y:Z, [L:U:A] or invite code; the first that is none ends the command")
      ->expected(1)
      ->type_name("...")
      ->allow_extra_args(false);
  command.allow_extras();
  command.add_flag("--json", options->json, "print one JSON value a line");
  auto* const game = command.add_flag("--game", options->game, "the values are GameIDs");
  command.add_flag("--global", options->global, "the values are GlobalIDs")->excludes(game);
  add_check(command, "steamid.json", vectors::check_steamid);
  command.callback([options, &command] {
    if (!command.get_subcommands().empty()) {
      return;
    }
    for (const auto& extra : command.remaining()) {
      if (extra == "--") {
        continue;
      }
      if (extra.starts_with("--")) {
        throw CommandError(Exit::usage,
                           fmt::format("steamid: {} is no option; see corliss steamid --help", extra));
      }
      options->values.push_back(extra);
    }
    if (options->values.empty()) {
      throw CommandError(Exit::usage, "steamid: VALUE is missing; see corliss steamid --help");
    }
    auto* const show = options->game ? show_game_id : options->global ? show_global_id : show_steam_id;
    for (const auto& value : options->values) {
      show(value, options->json);
    }
  });
}

}  // namespace corliss::tools
