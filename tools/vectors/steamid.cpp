#include "vectors/steamid.h"

#include <corliss/proto/game_id.h>
#include <corliss/proto/global_id.h>
#include <corliss/proto/steam_id.h>

#include <nlohmann/json.hpp>

namespace corliss::vectors {
namespace {

using nlohmann::json;
using proto::GameId;
using proto::GlobalId;
using proto::SteamId;
using proto::SteamIdForm;

/// A number of the file: 64-bit ones are decimal strings.
std::uint64_t number(const json& value) {
  if (value.is_string()) {
    const auto id = SteamId::parse_number(value.get_ref<const std::string&>());
    if (!id) {
      throw BadVectorFile("not a decimal number: " + value.get<std::string>());
    }
    return id->value();
  }
  return value.get<std::uint64_t>();
}

/// Compares one property of a case and keeps what differs.
class Case {
 public:
  template <class T, class U>
  void same(const char* what, const T& expected, const U& found) {
    if (expected != found) {
      why_ += std::string(why_.empty() ? "" : "; ") + what + " is " + json(found).dump() + ", expected " +
              json(expected).dump();
    }
  }
  void end(Report& report, const std::string& name) const { report.expect(why_.empty(), name, why_); }

 private:
  std::string why_;
};

void check_forms(Case& check, const json& item, SteamId id) {
  check.same("steam3", item.at("steam3").get<std::string>(), to_string(id));
  check.same("steam2", item.at("steam2").get<std::string>(), to_string(id, SteamIdForm::steam2));
}

void check_parse(Report& report, const json& item) {
  Case check;
  const auto& input = item.at("input").get_ref<const std::string&>();
  const auto id = SteamId::parse(input);
  check.same("accept", item.at("accept").get<bool>(), id.has_value());
  if (id && item.at("accept").get<bool>()) {
    check.same("id", number(item.at("id")), id->value());
    check.same("universe", number(item.at("universe")), static_cast<std::uint64_t>(id->universe()));
    check.same("type", number(item.at("type")), static_cast<std::uint64_t>(id->type()));
    check.same("instance", number(item.at("instance")), std::uint64_t{id->instance()});
    check.same("account_id", number(item.at("account_id")), std::uint64_t{id->account_id().value()});
    check.same("valid", item.at("valid").get<bool>(), id->is_valid());
    check_forms(check, item, *id);
    check.same("id put together", id->value(),
               SteamId(id->account_id(), id->instance(), id->universe(), id->type()).value());
  }
  check.end(report, "parse " + json(input).dump());
}

void check_valid(Report& report, const json& item) {
  Case check;
  check.same("valid", item.at("valid").get<bool>(), SteamId(number(item.at("id"))).is_valid());
  check.end(report, "valid " + item.at("name").get<std::string>());
}

void check_render(Report& report, const json& item) {
  Case check;
  check_forms(check, item, SteamId(number(item.at("id"))));
  check.end(report, "render " + item.at("name").get<std::string>());
}

void check_game_id(Report& report, const json& item) {
  Case check;
  const GameId id(number(item.at("id")));
  check.same("app_id", number(item.at("app_id")), std::uint64_t{id.app_id().value()});
  check.same("type", number(item.at("type")), static_cast<std::uint64_t>(id.type()));
  check.same("mod_id", number(item.at("mod_id")), std::uint64_t{id.mod_id()});
  check.same("text", std::to_string(number(item.at("id"))), to_string(id));
  if (item.contains("crc32")) {
    const auto crc = std::stoul(item.at("crc32").get<std::string>(), nullptr, 16);
    check.same("id put together", id.value(),
               GameId()
                   .with_app_id(id.app_id())
                   .with_type(id.type())
                   .with_mod_id(static_cast<std::uint32_t>(crc))
                   .value());
  }
  check.end(report, "game_id " + item.at("name").get<std::string>());
}

void check_global_id(Report& report, const json& item) {
  Case check;
  const GlobalId id(number(item.at("id")));
  const auto since_epoch = (id.start_time() - GlobalId::epoch).count();
  check.same("sequential_count", number(item.at("sequential_count")), std::uint64_t{id.sequential_count()});
  check.same("start_time_seconds", number(item.at("start_time_seconds")),
             static_cast<std::uint64_t>(since_epoch));
  check.same("start_time_unix", number(item.at("start_time_unix")),
             static_cast<std::uint64_t>(id.start_time().time_since_epoch().count()));
  check.same("process_id", number(item.at("process_id")), std::uint64_t{id.process_id()});
  check.same("box_id", number(item.at("box_id")), std::uint64_t{id.box_id()});
  check.same("id put together", id.value(),
             GlobalId(id.sequential_count(), id.start_time(), id.process_id(), id.box_id()).value());
  check.end(report, "global_id " + to_string(id));
}

}  // namespace

Report check_steamid(const std::filesystem::path& path) {
  const json file = load_json(path);
  Report report;
  const auto each = [&](const char* array, auto run) {
    if (file.contains(array)) {
      for (const auto& item : file.at(array)) {
        run(report, item);
      }
    }
  };
  each("parse", check_parse);
  each("valid", check_valid);
  each("render", check_render);
  each("game_id", check_game_id);
  each("global_id", check_global_id);
  return report;
}

}  // namespace corliss::vectors
