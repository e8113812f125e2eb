#include "keyvalues/kv_support.h"

#include <corliss/base/endian.h>
#include <corliss/keyvalues/appinfo.h>

#include <cstdlib>
#include <functional>
#include <new>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CORLISS_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CORLISS_SHADOW_MEMORY 1
#endif
#endif

namespace corliss::keyvalues {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// Runs `read` in a child whose address space may grow by `extra` bytes. True: it ended well.
bool fits_in(std::size_t extra, const std::function<bool()>& read) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
      (void)!std::fscanf(file, "%zu", &pages);
      std::fclose(file);
    }
    const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + extra;
    const rlimit limit{most, most};
    bool good = ::setrlimit(RLIMIT_AS, &limit) == 0;
    try {
      good = good && read();
    } catch (const std::bad_alloc&) {
      good = false;
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(CORLISS_SHADOW_MEMORY)
    GTEST_SKIP() << "a sanitizer's shadow memory does not fit a capped address space";
#endif
  }
};

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

TEST_F(Memory, TheCapIsReal) {
  EXPECT_TRUE(fits_in(64 * mebibyte, [] { return std::vector<char>(16 * mebibyte, 'x').back() == 'x'; }));
  EXPECT_FALSE(fits_in(64 * mebibyte, [] { return std::vector<char>(128 * mebibyte, 'x').back() == 'x'; }));
}

// The most nodes that text can make of its bytes: 3 a node. What the tree takes is 8 a node and the slack of
// growth.
TEST_F(Memory, DenseTextStaysWithinItsNodes) {
  const std::string text = "r{" + repeated("a{}", 1'300'000) + "}";
  EXPECT_TRUE(fits_in(48 * mebibyte, [&text] {
    const auto tree = read_text(bytes_of(text));
    return tree && tree->node_count() == 1'300'001;
  }));
}

TEST_F(Memory, BombsAreRefusedInLittleMemory) {
  const std::string nested = repeated("\"a\"{", 2'000'000);
  const std::string many = "r{" + repeated("a b ", 4'100'000);
  const std::string endless = "r { a \"" + std::string(60 * mebibyte, 'x');
  const std::string binary = repeated(std::string_view("\0a\0", 3), 2'000'000);
  const auto refused_with = [](std::string_view text, Errc errc) { return refused_text(text).error == errc; };
  EXPECT_TRUE(fits_in(16 * mebibyte, [&] { return refused_with(nested, Errc::too_deep); }));
  EXPECT_TRUE(fits_in(128 * mebibyte, [&] { return refused_with(many, Errc::too_many_nodes); }));
  EXPECT_TRUE(fits_in(16 * mebibyte, [&] { return refused_with(endless, Errc::unterminated_string); }));
  EXPECT_TRUE(
      fits_in(16 * mebibyte, [&] { return refused_binary(bytes_of(binary)).error == Errc::too_deep; }));
}

TEST_F(Memory, AbsurdCountsAllocateNothing) {
  // Version 41, a table of 2^32 - 1 strings, and one of as many empty strings as the file has bytes.
  std::vector<std::uint8_t> file(8 * mebibyte);
  store_le<std::uint32_t>(file.data(), AppInfo::magic | 41);
  store_le<std::uint64_t>(file.data() + 8, 20);
  store_le<std::uint32_t>(file.data() + 20, 0xFFFFFFFF);
  EXPECT_TRUE(
      fits_in(8 * mebibyte, [&file] { return AppInfo::open(file).error() == Errc::bad_string_table; }));
  store_le<std::uint32_t>(file.data() + 20, static_cast<std::uint32_t>(file.size() - 24));
  EXPECT_TRUE(fits_in(8 * mebibyte, [&file] { return AppInfo::open(file).error() == Errc::too_large; }));
}

TEST_F(Memory, AStreamReadsAnyLengthInAFixedSpace) {
  const std::string piece = repeated("\t\"name\"\t\t\"some \\\"value\\\"\"\n", 2000);
  EXPECT_TRUE(fits_in(8 * mebibyte, [&piece] {
    class Counter final : public Visitor {
     public:
      Next on_block(std::string_view, const NodeConditions&) override { return Next::go_on; }
      Next on_leaf(std::string_view, const Value&, const NodeConditions&) override {
        ++leaves;
        return Next::go_on;
      }
      Next on_end() override { return Next::go_on; }
      std::size_t leaves = 0;
    } counter;
    TextStream stream(counter);
    bool good = stream.feed(bytes_of("r {")).has_value();
    for (int i = 0; i < 4000; ++i) {  // 200 MB
      good = good && stream.feed(bytes_of(piece)).has_value();
    }
    return good && stream.feed(bytes_of("}")) && stream.finish() && counter.leaves == 8'000'000;
  }));
}

}  // namespace
}  // namespace corliss::keyvalues
