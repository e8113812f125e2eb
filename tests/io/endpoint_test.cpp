#include <corliss/io/endpoint.h>

#include <string>

#include <gtest/gtest.h>

namespace corliss::io {
namespace {

TEST(Endpoint, ReadsAndPrints) {
  struct Case {
    std::string text;
    Endpoint want;
    bool loopback;
  };
  const Case cases[] = {
      {"tcp://162.254.197.39:27017", {Scheme::tcp, "162.254.197.39", 27017}, false},
      {"udp://[::1]:27017", {Scheme::udp, "::1", 27017}, true},
      {"wss://ext1-sea1.steamserver.net:443", {Scheme::wss, "ext1-sea1.steamserver.net", 443}, false},
      {"ws://localhost:0", {Scheme::ws, "localhost", 0}, true},
      {"tcp://127.1.2.3:65535", {Scheme::tcp, "127.1.2.3", 65535}, true},
      {"tcp://my_host.internal:1", {Scheme::tcp, "my_host.internal", 1}, false},
      {"tcp://[2001:db8::7]:80", {Scheme::tcp, "2001:db8::7", 80}, false},
      {"tcp://" + std::string(63, 'a') + ":1", {Scheme::tcp, std::string(63, 'a'), 1}, false},
  };
  for (const auto& c : cases) {
    const auto got = Endpoint::parse(c.text);
    ASSERT_TRUE(got) << c.text;
    EXPECT_EQ(*got, c.want) << c.text;
    EXPECT_EQ(got->to_string(), c.text);
    EXPECT_EQ(got->is_loopback(), c.loopback) << c.text;
  }
}

TEST(Endpoint, RefusesEverythingElse) {
  const std::string cases[] = {
      "",
      "://",
      "127.0.0.1:1",         // no scheme
      "http://127.0.0.1:1",  // another
      "TCP://127.0.0.1:1",   // upper case
      "tcp:/127.0.0.1:1",
      "tcp://",
      "tcp://:1",         // no host
      "tcp://127.0.0.1",  // no port
      "tcp://127.0.0.1:",
      "tcp://127.0.0.1:65536",
      "tcp://127.0.0.1:99999999999",
      "tcp://127.0.0.1:01",
      "tcp://127.0.0.1:+1",
      "tcp://127.0.0.1:-1",
      "tcp://127.0.0.1: 1",
      "tcp://127.0.0.1:1 ",
      "tcp://127.0.0.1:1/",  // something behind it
      "tcp://user@host:1",
      "tcp://127.0.0.256:1",  // ends in a number, so must be IPv4
      "tcp://1.2.3:1",
      "tcp://::1:1",  // IPv6 without brackets
      "tcp://[::1:1",
      "tcp://[]:1",
      "tcp://[::g]:1",
      "tcp://[127.0.0.1]:1",
      "tcp://[::1]1",
      "tcp://host.:1",
      "tcp://.host:1",
      "tcp://a..b:1",
      "tcp://-a:1",
      "tcp://a-:1",
      "tcp://a b:1",
      "tcp://h\xc3\xb6st:1",
      std::string("tcp://a\0b:1", 11),
      std::string("tcp://[::1\0]:1", 14),
      "tcp://" + std::string(64, 'a') + ":1",
      "tcp://" + std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." +
          std::string(62, 'd') + ":1",
  };
  for (const auto& text : cases) {
    const auto got = Endpoint::parse(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error(), Errc::bad_endpoint) << text;
    EXPECT_EQ(got.error(), Fault::malformed) << text;
  }
}

}  // namespace
}  // namespace corliss::io
