// The tracer finds what it is for: each planted leak, and nothing in code that has none.
#include "trace/tracer.h"

#include "trace/planted.h"
#include "trace/runs.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace corliss::test {
namespace {

using Code = void (*)(std::uint8_t);

class Planted final : public Subject {
 public:
  Planted(Code code, std::uint8_t secret) : code_(code), secret_(secret) {}
  void prepare() override {
    if (code_ != planted::undecodable && code_ != planted::crash) {
      code_(1);
    }
  }
  void run() override { code_(secret_); }
  bool as_expected() override { return true; }

 private:
  Code code_;
  std::uint8_t secret_;
};

std::vector<Trace> trace_planted(Code code, const std::vector<std::uint8_t>& secrets) {
  return trace_all(secrets.size(),
                   [&](std::size_t i) { return std::make_unique<Planted>(code, secrets[i]); });
}

class Tracer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* why = why_not_traceable()) {
      GTEST_SKIP() << why;
    }
  }

  // The two runs differ, and the difference is blamed on that function.
  static void finds(Code code, const std::string& function, bool is_branch) {
    const auto traces = trace_planted(code, {4, 97});
    const auto& a = traces[0];
    const auto& b = traces[1];
    ASSERT_EQ(a.problem, Problem::none) << a.describe_problem();
    ASSERT_EQ(b.problem, Problem::none) << b.describe_problem();
    const auto difference = first_difference(a, b);
    ASSERT_TRUE(difference) << "the leak was not found";
    EXPECT_NE(a.hash(), b.hash());
    EXPECT_EQ(difference->is_branch, is_branch) << difference->text;
    EXPECT_NE(function_at(difference->rip).find(function), std::string::npos) << difference->text;
  }
};

TEST_F(Tracer, PassesCodeWithoutLeaks) {
  const auto traces = trace_planted(planted::select_by_mask, {0, 0, 1, 128, 255});
  const auto& a = traces[0];
  EXPECT_GT(a.steps.size(), 8U);
  EXPECT_LT(a.steps.size(), 100U);
  for (const auto& b : traces) {
    ASSERT_EQ(b.problem, Problem::none) << b.describe_problem();
    const auto difference = first_difference(a, b);
    EXPECT_FALSE(difference) << difference->text;
    EXPECT_EQ(a.hash(), b.hash());
  }
}

TEST_F(Tracer, FindsBranch) {
  finds(planted::branch, "planted::branch", true);
}
TEST_F(Tracer, FindsTableLookUp) {
  finds(planted::look_up, "planted::look_up", false);
}
TEST_F(Tracer, FindsStoreByIndex) {
  finds(planted::store_by_index, "planted::store_by_index", false);
}
TEST_F(Tracer, FindsJumpTable) {
  finds(planted::jump_table, "planted::jump_table", true);
}
TEST_F(Tracer, FindsRepeatCount) {
  finds(planted::copy_that_many, "planted::copy_that_many", true);
}
TEST_F(Tracer, FindsLengthGivenToLibc) {
  const auto traces = trace_planted(planted::libc_copy_that_many, {4, 97});
  const auto difference = first_difference(traces[0], traces[1]);
  ASSERT_TRUE(difference);
  EXPECT_NE(symbol_at(difference->rip).find("libc"), std::string::npos) << difference->text;
}
TEST_F(Tracer, FindsBitOffsetIntoMemory) {
  finds(planted::bit_in_memory, "planted::bit_in_memory", false);
}
TEST_F(Tracer, FindsXlat) {
  finds(planted::table_of_bytes, "planted::table_of_bytes", false);
}
TEST_F(Tracer, FindsDivision) {
  finds(planted::divide_by, "planted::divide_by", false);
}

TEST_F(Tracer, FindsMaskOfMaskedLoad) {
  if (__builtin_cpu_supports("avx512bw") == 0 || __builtin_cpu_supports("avx512vl") == 0) {
    GTEST_SKIP() << "this CPU has no AVX-512BW with VL";
  }
  finds(planted::masked_load, "planted::masked_load", false);
}

TEST_F(Tracer, RefusesGather) {
  if (__builtin_cpu_supports("avx2") == 0) {
    GTEST_SKIP() << "this CPU has no AVX2";
  }
  const auto found = trace_planted(planted::gather, {4}).front();
  EXPECT_EQ(found.problem, Problem::gather);
  EXPECT_NE(found.describe_problem().find("planted::gather"), std::string::npos) << found.describe_problem();
}

TEST_F(Tracer, RefusesWhatCannotBeDecoded) {
  const auto found = trace_planted(planted::undecodable, {4}).front();
  EXPECT_EQ(found.problem, Problem::undecodable);
  EXPECT_NE(found.describe_problem().find("planted::undecodable"), std::string::npos)
      << found.describe_problem();
}

TEST_F(Tracer, ReportsCrash) {
  const auto found = trace_planted(planted::crash, {4}).front();
  EXPECT_EQ(found.problem, Problem::crashed);
  EXPECT_NE(found.describe_problem().find("planted::crash"), std::string::npos) << found.describe_problem();
}

// The judge of the packet kernels, over code that leaks: two outcomes, each of two runs.
class Judge : public Tracer {
 protected:
  static Verdict judge_planted(Code code, const std::vector<std::uint8_t>& secrets, const MayTell& may_tell) {
    const std::vector<Variant> variants{
        {"a", "accepted"}, {"b", "accepted"}, {"c", "refused"}, {"d", "refused"}};
    return judge(
        variants, [&](std::size_t i) { return std::make_unique<Planted>(code, secrets[i]); }, may_tell);
  }
};

TEST_F(Judge, PassesOutcomesThatPartWhereTheyMay) {
  const auto verdict = judge_planted(planted::branch, {2, 4, 3, 5}, {{"planted::branch"}, 10});
  EXPECT_EQ(verdict.fault, "");
  EXPECT_NE(verdict.summary.find("refused parts at step"), std::string::npos) << verdict.summary;
}
TEST_F(Judge, RefusesRunsOfOneOutcomeThatDiffer) {
  const auto fault = judge_planted(planted::branch, {2, 3, 3, 5}, {{"planted::branch"}, 10}).fault;
  EXPECT_NE(fault.find("\"a\" and \"b\" are both accepted"), std::string::npos) << fault;
}
TEST_F(Judge, RefusesOutcomesThatPartInAnotherFunction) {
  const auto fault = judge_planted(planted::branch, {2, 4, 3, 5}, {{"open"}, 10}).fault;
  EXPECT_NE(fault.find("may not tell"), std::string::npos) << fault;
}
TEST_F(Judge, RefusesOutcomesThatPartEarly) {
  const auto fault = judge_planted(planted::branch, {2, 4, 3, 5}, {{"planted::branch"}, 1}).fault;
  EXPECT_NE(fault.find("too early"), std::string::npos) << fault;
}
TEST_F(Judge, RefusesOutcomesThatPartInAnAddress) {
  const auto fault = judge_planted(planted::look_up, {2, 2, 3, 3}, {{"planted::look_up"}, 10}).fault;
  EXPECT_NE(fault.find("as an address"), std::string::npos) << fault;
}
TEST_F(Judge, RefusesWhatCannotBeDecoded) {
  const auto fault = judge_planted(planted::undecodable, {2, 2, 3, 3}, {{"planted"}, 10}).fault;
  EXPECT_NE(fault.find("cannot be decoded"), std::string::npos) << fault;
}

// For instructions that this CPU may not have, the decoder alone.
TEST(TraceDecoder, JudgesInstructions) {
  struct Case {
    const char* text;
    std::vector<std::uint8_t> code;
    Problem expected;
  };
  const std::array cases{
      Case{"vpgatherdd zmm1{k1}, [rax+zmm2*4]", {0x62, 0xf2, 0x7d, 0x49, 0x90, 0x0c, 0x90}, Problem::gather},
      Case{"vpscatterdd [rax+zmm2*4]{k1}, zmm1", {0x62, 0xf2, 0x7d, 0x49, 0xa0, 0x0c, 0x90}, Problem::gather},
      Case{"vpgatherdd ymm1, [rax+ymm2*4], ymm3", {0xc4, 0xe2, 0x65, 0x90, 0x0c, 0x90}, Problem::gather},
      Case{"maskmovdqu xmm1, xmm2", {0x66, 0x0f, 0xf7, 0xca}, Problem::unfollowed},
      Case{"vpmaskmovd xmm1, xmm2, [rax]", {0xc4, 0xe2, 0x69, 0x8c, 0x08}, Problem::unfollowed},
      Case{"mov rax, gs:[0]", {0x65, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}, Problem::unfollowed},
      Case{"push es", {0x06}, Problem::undecodable},
      Case{"half an instruction", {0x0f}, Problem::undecodable},
      Case{"sha1rnds4 xmm1, [rax], 1", {0x0f, 0x3a, 0xcc, 0x08, 0x01}, Problem::none},
      Case{"vaesdec zmm1, zmm2, [rax]", {0x62, 0xf2, 0x6d, 0x48, 0xde, 0x08}, Problem::none},
      Case{"vpternlogd zmm1, zmm2, zmm3, 0x96", {0x62, 0xf3, 0x6d, 0x48, 0x25, 0xcb, 0x96}, Problem::none},
      Case{"vmovdqu8 [rax]{k1}, xmm1", {0x62, 0xf1, 0x7f, 0x09, 0x7f, 0x08}, Problem::none},
      Case{"nop [rax+rax]", {0x0f, 0x1f, 0x44, 0x00, 0x00}, Problem::none},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(inspect(c.code), c.expected) << c.text << ": " << to_string(inspect(c.code));
  }
}

}  // namespace
}  // namespace corliss::test
