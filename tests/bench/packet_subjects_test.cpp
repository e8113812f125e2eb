#include "bench/packet_subjects.h"

#include "support/test_support.h"

#include <corliss/base/hex.h>
#include <corliss/crypto/kernel.h>

namespace corliss::bench {
namespace {

// What every implementation is compared with must itself come from elsewhere.
TEST(PacketReference, MakesThePacketsOfTheVectors) {
  const auto vectors = nlohmann::json::parse(test::read_file(test::data("crypto/channel.json")));
  int count = 0;
  for (const auto& row : vectors.at("hmac")) {
    SessionKey key;
    std::array<std::uint8_t, 3> nonce;
    ASSERT_TRUE(from_hex(row.at("key").get<std::string>(), key));
    ASSERT_TRUE(from_hex(row.at("random").get<std::string>(), nonce));
    const auto packet = reference_packet(key, test::hex(row.at("plaintext")), nonce);
    EXPECT_EQ(to_hex(packet), row.at("packet")) << row.at("name");
    EXPECT_EQ(reference_nonce(key, packet), nonce);
    ++count;
  }
  EXPECT_GT(count, 10);
}

TEST(Arena, FindsAChangedByteAForgedPacketAndAGoodOneRefused) {
  Arena arena(uniform_workload(100, 4, 2));
  auto& slots = arena.slots();
  arena.fill_packets();
  EXPECT_EQ(arena.check_packets(), "");
  arena.packet(slots[2])[40] ^= 1;
  EXPECT_NE(arena.check_packets().find("packet 2 of 100 bytes is sealed wrongly"), std::string::npos);

  arena.fill_plain();
  for (auto& slot : slots) {
    slot.accepted = true;
  }
  EXPECT_EQ(arena.check_plain(), "");
  arena.plain(slots[1])[99] ^= 1;
  EXPECT_NE(arena.check_plain().find("packet 1 of 100 bytes is opened wrongly"), std::string::npos);
  EXPECT_NE(arena.check_refusal(3).find("opened wrongly"), std::string::npos);
  arena.fill_plain();
  EXPECT_NE(arena.check_refusal(3).find("packet 3 of 100 bytes is accepted though"), std::string::npos);
  slots[3].accepted = false;
  EXPECT_EQ(arena.check_refusal(3), "");
  EXPECT_NE(arena.check_plain().find("packet 3 of 100 bytes is refused though"), std::string::npos);
}

TEST(Workload, FillsWholeBatchesAndMixesWithinItsBounds) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{16}, std::size_t{670}, std::size_t{1} << 20}) {
    for (const std::size_t batch : {1, 3, 64, 100}) {
      const auto workload = uniform_workload(size, batch, 1);
      EXPECT_GE(workload.sizes.size(), batch);
      EXPECT_EQ(workload.sizes.size() % batch, 0u);
      EXPECT_LE(workload.sizes.size(), std::max<std::size_t>(64 + batch - 1, batch));
    }
  }
  const auto mixed = mixed_workload();
  EXPECT_EQ(mixed.sizes.size(), mixed.batch);
  EXPECT_GE(*std::min_element(mixed.sizes.begin(), mixed.sizes.end()), 16u);
  EXPECT_LE(*std::max_element(mixed.sizes.begin(), mixed.sizes.end()), 1500u);
  EXPECT_EQ(mixed.sizes, mixed_workload().sizes);
}

/// Every implementation, batch and number of sessions gives the right bytes and refuses a changed packet.
TEST(PacketSubjects, AllAgree) {
  for (const std::size_t size : {0, 1, 16, 64, 670}) {
    for (const std::size_t batch : {1, 2, 16}) {
      for (const std::size_t sessions : {std::size_t{1}, batch}) {
        const auto workload = uniform_workload(size, batch, sessions);
        for (const Op op : {Op::seal, Op::open}) {
          std::vector<std::unique_ptr<Subject>> subjects;
          subjects.push_back(make_fresh(op, workload));
          subjects.push_back(make_kept(op, workload));
          subjects.push_back(make_kept_pool(op, workload));
          for (const auto& kernel : crypto::kernels()) {
            if (kernel.supported) {
              subjects.push_back(make_corliss(op, workload, kernel.name));
            }
          }
          for (const auto& variant : ipsec_variants()) {
            subjects.push_back(make_ipsec(op, workload, variant));
          }
          for (const auto& subject : subjects) {
            EXPECT_EQ(subject->check(), "")
                << subject->name() << ' ' << size << ' ' << batch << ' ' << sessions;
          }
        }
      }
    }
  }
}

TEST(PacketSubjects, MacsAndPartsAgree) {
  const auto workload = uniform_workload(670, 1, 1);
  for (const auto& kernel : crypto::kernels()) {
    if (kernel.supported) {
      EXPECT_EQ(make_corliss(Op::mac, workload, kernel.name)->check(), "") << kernel.name;
      for (const Part part : {Part::random, Part::mac, Part::cipher}) {
        EXPECT_EQ(make_corliss(Op::seal, workload, kernel.name, part)->check(), "") << kernel.name;
        EXPECT_EQ(make_corliss(Op::open, workload, kernel.name, part)->check(), "") << kernel.name;
      }
    }
  }
  EXPECT_EQ(make_kept(Op::mac, workload)->check(), "");
  EXPECT_EQ(make_fresh(Op::seal, workload, Part::mac)->check(), "");
}

TEST(PacketSubjects, MixedSizesAgree) {
  const auto workload = mixed_workload();
  for (const Op op : {Op::seal, Op::open}) {
    for (const auto& kernel : crypto::kernels()) {
      if (kernel.supported) {
        EXPECT_EQ(make_corliss(op, workload, kernel.name)->check(), "") << kernel.name;
      }
    }
    for (const auto& variant : ipsec_variants()) {
      EXPECT_EQ(make_ipsec(op, workload, variant)->check(), "") << variant.name;
    }
  }
}

}  // namespace
}  // namespace corliss::bench
