#include "sim/fault_cases.h"
#include "sim/memory_link.h"

#include <set>

namespace corliss::sim::test {
namespace {

constexpr Scheme in_memory[] = {Scheme::tcp, Scheme::udp, Scheme::ws};

TEST(FaultyChannel, AClientLogsOnAndOffWithoutFaults) {
  for (const auto transport : in_memory) {
    SCOPED_TRACE(name_of(transport));
    MemoryLink link(transport, {});
    const auto& got = link.run();
    EXPECT_TRUE(got.connected);
    EXPECT_EQ(got.logon, proto::EResult::OK);
    EXPECT_EQ(got.answers, (std::vector<std::uint64_t>{100, 101, 102}));
    EXPECT_EQ(got.others, (std::vector{proto::EMsg::ClientSessionToken, proto::EMsg::ClientCMList}));
    EXPECT_EQ(got.closed->reason, net::Errc::closed_by_peer);
    EXPECT_LT(link.took(), std::chrono::seconds(1));
  }
}

TEST(FaultyChannel, EveryFaultEndsTheClientWithItsReason) {
  for (const auto& fault : fault_cases()) {
    for (const auto transport : in_memory) {
      if (!fault.on.has(transport)) {
        continue;
      }
      SCOPED_TRACE(fault.name + " on " + std::string(name_of(transport)));
      ASSERT_TRUE(check(fault.rule));
      MemoryLink link(transport, {fault.rule});
      expect_outcome(fault, link.run());
    }
  }
}

TEST(FaultyChannel, TheTableHasEveryFaultOnEveryTransport) {
  std::set<std::pair<FaultKind, Scheme>> seen;
  for (const auto& fault : fault_cases()) {
    for (const auto transport : {Scheme::tcp, Scheme::udp, Scheme::ws, Scheme::wss}) {
      if (fault.on.has(transport)) {
        EXPECT_TRUE(schemes_of(fault.rule.kind).has(transport)) << fault.name;
        seen.emplace(fault.rule.kind, transport);
      }
    }
  }
  std::size_t possible = 0;
  for (std::size_t i = 0; i < fault_kind_count; ++i) {
    for (const auto transport : {Scheme::tcp, Scheme::udp, Scheme::ws, Scheme::wss}) {
      possible += schemes_of(static_cast<FaultKind>(i)).has(transport) ? 1U : 0U;
    }
  }
  EXPECT_EQ(seen.size(), possible);
}

TEST(FaultyChannel, DelaysPassOnTheSimulatedClock) {
  for (const auto kind : {FaultKind::delay, FaultKind::late}) {
    for (const auto transport : in_memory) {
      SCOPED_TRACE(name_of(transport));
      MemoryLink link(transport, {{.kind = kind, .by = std::chrono::milliseconds(700)}});
      EXPECT_EQ(link.run().answers.size(), 3U);
      EXPECT_GE(link.took(), std::chrono::milliseconds(1400));  // logon and answers, one after the other
      EXPECT_LT(link.took(), std::chrono::seconds(10));
    }
  }
}

TEST(FaultyChannel, LeavesOtherConnectionsAndTransportsAlone) {
  const FaultRules rules{{.kind = FaultKind::stall, .on = Scheme::udp},
                         {.kind = FaultKind::stall, .first_connection = 2},
                         {.kind = FaultKind::drop}};
  EXPECT_TRUE(rules_for(rules, Scheme::tcp, 1).empty());
  EXPECT_EQ(rules_for(rules, Scheme::tcp, 2).size(), 1U);
  EXPECT_EQ(rules_for(rules, Scheme::udp, 2).size(), 3U);
  EXPECT_EQ(MemoryLink(Scheme::tcp, rules).run().answers.size(), 3U);
}

TEST(FaultyChannel, FaultsThatExistNowhereAreRefused) {
  EXPECT_EQ(check({.kind = FaultKind::drop, .on = Scheme::tcp}).error(), Errc::bad_fault);
  EXPECT_EQ(check({.kind = FaultKind::wrong_mac, .on = Scheme::ws}).error(), Errc::bad_fault);
  EXPECT_EQ(check({.kind = FaultKind::result, .on = Scheme::ws, .at = FaultPoint::channel}).error(),
            Errc::bad_fault);
  EXPECT_TRUE(check({.kind = FaultKind::result, .on = Scheme::ws}));
}

}  // namespace
}  // namespace corliss::sim::test
