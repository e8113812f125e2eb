#include "sim/fault_table.h"
#include "sim/json.h"

#include <corliss/sim/errc.h>
#include <corliss/sim/faults.h>

#include <algorithm>
#include <array>
#include <optional>

namespace corliss::sim {
namespace {

using nlohmann::json;

/// What is wrong with a script; leaves the parser by way of `parse_fault_script` alone.
struct Wrong {
  Errc errc;
  std::string text;
};

constexpr std::array<std::pair<std::string_view, unsigned>, 6> parameters{{
    {"after_bytes", with_after_bytes},
    {"after_messages", with_after_messages},
    {"by_ms", with_by},
    {"percent", with_percent},
    {"at", with_at},
    {"result", with_result},
}};

std::string in_quotes(std::string_view text) {
  return json(std::string(text.substr(0, 60))).dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string list(const std::vector<std::string_view>& names) {
  std::string out;
  for (const auto name : names) {
    out += (out.empty() ? "" : ", ") + std::string(name);
  }
  return out;
}

std::string names_of(Schemes on) {
  std::vector<std::string_view> names;
  for (const Scheme one : {Scheme::tcp, Scheme::udp, Scheme::ws, Scheme::wss}) {
    if (on.has(one)) {
      names.push_back(name_of(one));
    }
  }
  return list(names);
}

/// One entry of "faults", with its place for messages.
class Entry {
 public:
  Entry(const json& value, std::size_t index)
      : value_(value), where_("faults[" + std::to_string(index) + "]") {}

  FaultRule rule() {
    if (!value_.is_object()) {
      wrong("", "is not an object such as {\"fault\": \"split\"}");
    }
    FaultRule rule;
    rule.kind = kind();
    const FaultRow& row = fault_table[static_cast<std::size_t>(rule.kind)];
    check_members(row);
    rule.after_bytes = number("after_bytes", 0, max_fault_count).value_or(0);
    rule.after_messages = number("after_messages", 0, max_fault_count).value_or(0);
    rule.by = std::chrono::milliseconds(
        number("by_ms", 0, std::chrono::duration_cast<std::chrono::milliseconds>(max_fault_delay).count())
            .value_or(0));
    rule.percent = static_cast<unsigned>(number("percent", 0, 100).value_or(100));
    rule.at = point();
    rule.result = result().value_or(rule.result);
    rule.on = transports(rule);
    connections(rule);
    return rule;
  }

 private:
  [[noreturn]] void wrong(std::string_view member, const std::string& text) const {
    throw Wrong{Errc::bad_script, where_ + (member.empty() ? "" : "." + std::string(member)) + " " + text};
  }

  const json* find(std::string_view member) const {
    const auto found = value_.find(std::string(member));
    return found == value_.end() ? nullptr : &*found;
  }

  FaultKind kind() const {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < fault_kind_count; ++i) {
      names.push_back(fault_table[i].name);
      if (const json* name = find("fault"); name != nullptr && *name == std::string(fault_table[i].name)) {
        return static_cast<FaultKind>(i);
      }
    }
    wrong("fault", "is none of: " + list(names));
  }

  void check_members(const FaultRow& row) const {
    std::vector<std::string_view> allowed{"fault", "on", "connections"};
    for (const auto& [name, bit] : parameters) {
      if ((row.allowed & bit) != 0) {
        allowed.push_back(name);
      }
      if ((row.required & bit) != 0 && find(name) == nullptr) {
        wrong("", "(" + std::string(row.name) + ") has no " + std::string(name));
      }
    }
    for (const auto& item : value_.items()) {
      if (std::find(allowed.begin(), allowed.end(), item.key()) == allowed.end()) {
        wrong("", "(" + std::string(row.name) + ") has " + in_quotes(item.key()) +
                      "; allowed are: " + list(allowed));
      }
    }
  }

  std::optional<std::uint64_t> number(std::string_view member, std::uint64_t low, std::uint64_t high) const {
    const json* value = find(member);
    if (value == nullptr) {
      return std::nullopt;
    }
    return number_of(*value, member, low, high);
  }

  std::uint64_t number_of(const json& value, std::string_view member, std::uint64_t low,
                          std::uint64_t high) const {
    // Numbers that are not negative are unsigned to the parser, whatever they fit into.
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < low ||
        value.get<std::uint64_t>() > high) {
      wrong(member, "is not a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value.get<std::uint64_t>();
  }

  FaultPoint point() const {
    const json* value = find("at");
    if (value == nullptr || *value == "logon") {
      return FaultPoint::logon;
    }
    if (*value == "channel") {
      return FaultPoint::channel;
    }
    wrong("at", "is none of: channel, logon");
  }

  std::optional<proto::EResult> result() const {
    const json* value = find("result");
    if (value == nullptr) {
      return std::nullopt;
    }
    if (value->is_number_integer() || value->is_number_unsigned()) {
      const auto number = number_of(*value, "result", 0, std::numeric_limits<std::int32_t>::max());
      if (static_cast<proto::EResult>(number) != proto::EResult::OK) {
        return static_cast<proto::EResult>(number);
      }
    } else if (value->is_string()) {
      const auto named = proto::eresult_of_name(value->get_ref<const std::string&>());
      if (named && *named != proto::EResult::OK) {
        return *named;
      }
    }
    wrong("result", "is neither the name nor the number of an EResult other than OK, such as \"Busy\" or 10");
  }

  Schemes transports(const FaultRule& rule) const {
    const Schemes possible = schemes_of(rule);
    const json* value = find("on");
    if (value == nullptr) {
      return possible;
    }
    Schemes on;
    if (!value->is_array() || value->empty() || value->size() > scheme_count) {
      wrong("on", "is not a list of some of: " + names_of(possible));
    }
    for (const auto& name : *value) {
      bool known = false;
      for (const Scheme one : {Scheme::tcp, Scheme::udp, Scheme::ws, Scheme::wss}) {
        if (possible.has(one) && name == std::string(name_of(one))) {
          on = on | one;
          known = true;
        }
      }
      if (!known) {
        wrong("on", "may have only: " + names_of(possible));
      }
    }
    return on;
  }

  void connections(FaultRule& rule) const {
    const json* value = find("connections");
    if (value == nullptr) {
      return;
    }
    if (value->is_array()) {
      if (value->size() != 2) {
        wrong("connections", "is neither a number nor [first, last]");
      }
      rule.first_connection = number_of((*value)[0], "connections[0]", 1, max_fault_count);
      rule.last_connection = number_of((*value)[1], "connections[1]", rule.first_connection, max_fault_count);
    } else {
      rule.first_connection = rule.last_connection = number_of(*value, "connections", 1, max_fault_count);
    }
  }

  const json& value_;
  std::string where_;
};

FaultRules read(std::string_view text) {
  if (text.size() > max_script_size) {
    throw Wrong{Errc::script_too_large,
                "the script has more than " + std::to_string(max_script_size) + " bytes"};
  }
  json script;
  try {
    script = json::parse(text);
  } catch (const json::parse_error& error) {
    throw Wrong{Errc::bad_script, "not JSON at byte " + std::to_string(error.byte)};
  } catch (const json::exception&) {
    throw Wrong{Errc::bad_script, "JSON with a number out of range"};
  }
  if (!script.is_object() || !script.contains("faults") || !script["faults"].is_array() ||
      script.size() != 1) {
    throw Wrong{Errc::bad_script, R"(not an object of the form {"faults": [...]} and nothing else)"};
  }
  const json& entries = script["faults"];
  if (entries.size() > max_script_faults) {
    throw Wrong{Errc::script_too_large, "more than " + std::to_string(max_script_faults) + " faults"};
  }
  FaultRules rules;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    rules.push_back(Entry(entries[i], i).rule());
  }
  return rules;
}

}  // namespace

Result<FaultRules> parse_fault_script(std::string_view json, std::string& why) {
  try {
    return read(json);
  } catch (const Wrong& wrong) {
    why = wrong.text;
    return fail(wrong.errc);
  }
}

}  // namespace corliss::sim
