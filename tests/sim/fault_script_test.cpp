#include "support/test_support.h"

#include <corliss/sim/errc.h>
#include <corliss/sim/faults.h>

#include <fstream>
#include <sstream>

namespace corliss::sim {
namespace {

FaultRules read(const std::string& json) {
  std::string why;
  auto rules = parse_fault_script(json, why);
  EXPECT_TRUE(rules) << why;
  return rules.value_or(FaultRules());
}

TEST(FaultScript, EveryFaultByItsName) {
  const auto rules = read(R"({"faults": [
    {"fault": "refuse"}, {"fault": "delay", "by_ms": 250}, {"fault": "split"}, {"fault": "stall", "after_bytes": 100},
    {"fault": "reset"}, {"fault": "half_close"}, {"fault": "garble", "after_bytes": 1099511627776},
    {"fault": "wrong_mac", "after_messages": 3}, {"fault": "replay"}, {"fault": "duplicate"}, {"fault": "oversized"},
    {"fault": "multi_bomb"}, {"fault": "result", "result": "Busy", "at": "channel"},
    {"fault": "drop", "percent": 20}, {"fault": "late", "by_ms": 0}, {"fault": "try_another_cm"}]})");
  ASSERT_EQ(rules.size(), fault_kind_count);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i].kind, static_cast<FaultKind>(i));
    EXPECT_TRUE(check(rules[i]));
  }
  EXPECT_EQ(rules[1].by, std::chrono::milliseconds(250));
  EXPECT_EQ(rules[2].on, Scheme::tcp | Scheme::ws | Scheme::wss);
  EXPECT_EQ(rules[3].after_bytes, 100U);
  EXPECT_EQ(rules[7].after_messages, 3U);
  EXPECT_EQ(rules[12].result, proto::EResult::Busy);
  EXPECT_EQ(rules[12].at, FaultPoint::channel);
  EXPECT_EQ(rules[12].on, Scheme::tcp | Scheme::udp);
  EXPECT_EQ(rules[13].percent, 20U);
}

TEST(FaultScript, TransportsAndConnections) {
  const auto rules = read(R"({"faults": [
    {"fault": "split", "on": ["wss", "tcp", "tcp"], "connections": 3},
    {"fault": "result", "result": 4711, "connections": [2, 9]}, {"fault": "refuse"}]})");
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].on, Scheme::tcp | Scheme::wss);
  EXPECT_EQ(rules[0].first_connection, 3U);
  EXPECT_EQ(rules[0].last_connection, 3U);
  EXPECT_EQ(rules[1].result, static_cast<proto::EResult>(4711));
  EXPECT_EQ(rules[1].at, FaultPoint::logon);
  EXPECT_EQ(rules[1].first_connection, 2U);
  EXPECT_EQ(rules[1].last_connection, 9U);
  EXPECT_EQ(rules_for(rules, Scheme::tcp, 3).size(), 3U);
  EXPECT_EQ(rules_for(rules, Scheme::udp, 1).size(), 1U);
  EXPECT_TRUE(read(R"({"faults": []})").empty());
}

TEST(FaultScript, SaysWhatIsWrongAndWhatIsAllowed) {
  struct Case {
    std::string script;
    std::vector<std::string> words;
    Errc errc = Errc::bad_script;
  };
  const std::string many = R"({"faults": [)" + [] {
    std::string list = R"({"fault":"split"})";
    for (std::size_t i = 0; i < max_script_faults; ++i) {
      list += R"(,{"fault":"split"})";
    }
    return list;
  }() + "]}";
  const std::vector<Case> cases{
      {"", {"not JSON at byte 1"}},
      {R"({"faults": [)", {"not JSON at byte"}},
      {"[]", {R"({"faults": [...]})"}},
      {R"({"faults": {}})", {R"({"faults": [...]})"}},
      {R"({"faults": [], "seed": 1})", {"nothing else"}},
      {R"({"faults": [1]})", {"faults[0]", "not an object"}},
      {R"({"faults": [{}]})", {"faults[0].fault is none of: refuse, delay,", "try_another_cm"}},
      {R"({"faults": [{"fault": "split"}, {"fault": "Split"}]})", {"faults[1].fault", "split"}},
      {R"({"faults": [{"fault": 1}]})", {"faults[0].fault"}},
      {R"({"faults": [{"fault": "delay"}]})", {"faults[0] (delay) has no by_ms"}},
      {R"({"faults": [{"fault": "drop"}]})", {"(drop) has no percent"}},
      {R"({"faults": [{"fault": "result"}]})", {"(result) has no result"}},
      {R"({"faults": [{"fault": "split", "by_ms": 1}]})",
       {"faults[0] (split) has \"by_ms\"; allowed are: fault, on, connections"}},
      {R"({"faults": [{"fault": "split", "\u0000\n": 1}]})", {"has \"\\u0000\\n\";"}},
      {R"({"faults": [{"fault": "stall", "after_bytes": -1}]})", {"after_bytes", "from 0 to 1099511627776"}},
      {R"({"faults": [{"fault": "stall", "after_bytes": 1.5}]})", {"after_bytes is not a whole number"}},
      {R"({"faults": [{"fault": "stall", "after_bytes": "1"}]})", {"after_bytes is not a whole number"}},
      {R"({"faults": [{"fault": "stall", "after_bytes": 1099511627777}]})", {"after_bytes"}},
      {R"({"faults": [{"fault": "stall", "after_bytes": 99999999999999999999}]})", {"after_bytes"}},
      {R"({"faults": [{"fault": "stall", "after_bytes": 1e999}]})", {"JSON"}},
      {R"({"faults": [{"fault": "delay", "by_ms": 3600001}]})", {"by_ms", "from 0 to 3600000"}},
      {R"({"faults": [{"fault": "drop", "percent": 101}]})", {"percent", "from 0 to 100"}},
      {R"({"faults": [{"fault": "drop", "percent": 1, "on": ["tcp"]}]})", {"on may have only: udp"}},
      {R"({"faults": [{"fault": "split", "on": ["udp"]}]})", {"on may have only: tcp, ws, wss"}},
      {R"({"faults": [{"fault": "split", "on": []}]})", {"on is not a list of some of: tcp, ws, wss"}},
      {R"({"faults": [{"fault": "split", "on": "tcp"}]})", {"on is not a list"}},
      {R"({"faults": [{"fault": "result", "result": "Busy", "at": "channel", "on": ["ws"]}]})",
       {"on may have only: tcp, udp"}},
      {R"({"faults": [{"fault": "result", "result": "Busy", "at": "hello"}]})",
       {"at is none of: channel, logon"}},
      {R"({"faults": [{"fault": "result", "result": "OK"}]})", {"EResult other than OK"}},
      {R"({"faults": [{"fault": "result", "result": 1}]})", {"EResult other than OK"}},
      {R"({"faults": [{"fault": "result", "result": 2147483648}]})", {"result", "from 0 to 2147483647"}},
      {R"({"faults": [{"fault": "result", "result": []}]})", {"EResult other than OK"}},
      {R"({"faults": [{"fault": "split", "connections": 0}]})", {"connections", "from 1"}},
      {R"({"faults": [{"fault": "split", "connections": [3]}]})", {"connections", "[first, last]"}},
      {R"({"faults": [{"fault": "split", "connections": [3, 2]}]})", {"connections[1]", "from 3"}},
      {many, {"more than 1000 faults"}, Errc::script_too_large},
      {std::string(max_script_size + 1, ' '), {"more than 1048576 bytes"}, Errc::script_too_large},
      {std::string(max_script_size, '['), {"JSON"}},
  };
  for (const auto& [script, words, errc] : cases) {
    SCOPED_TRACE(script.substr(0, 100));
    std::string why;
    const auto rules = parse_fault_script(script, why);
    ASSERT_FALSE(rules);
    EXPECT_EQ(rules.error(), errc);
    EXPECT_EQ(why.find('\n'), why.npos) << why;
    for (const auto& word : words) {
      EXPECT_NE(why.find(word), why.npos) << why;
    }
  }
}

TEST(FaultScript, TheScriptOfTheDocumentationIsGood) {
  std::ifstream file(corliss::test::data("../../docs/faults.md"));
  std::stringstream text;
  text << file.rdbuf();
  const std::string doc = text.str();
  const auto start = doc.find("```json\n");
  ASSERT_NE(start, doc.npos);
  const auto from = start + 8;
  EXPECT_GE(read(doc.substr(from, doc.find("```", from) - from)).size(), 4U);
}

}  // namespace
}  // namespace corliss::sim
