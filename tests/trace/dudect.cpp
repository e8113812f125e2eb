// Times `open` on two classes of packets in random order and reports Welch's t, after Reparaz, Balasch and
// Verbauwhede, "Dude, is my code constant time?" (2017). A report for people, not a test:
// docs/constant-time.md.
#include "crypto/kernels.h"
#include "support/test_support.h"
#include "trace/packets.h"

#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <x86intrin.h>

namespace corliss::test {
namespace {

using crypto::LegacyPacketCipher;
using crypto::PacketCipher;
using PacketBytes = std::vector<std::uint8_t>;
using Open = std::function<void(Bytes)>;

constexpr std::size_t pool_size = 64;  // packets of each class

struct Sample {
  std::uint64_t cycles;
  bool second;  // class
};

/// Welch's t of the samples below `limit`.
double t_of(const std::vector<Sample>& samples, std::uint64_t limit) {
  std::array<double, 2> count{};
  std::array<double, 2> mean{};
  std::array<double, 2> squares{};
  for (const auto& sample : samples) {
    if (sample.cycles < limit) {
      const std::size_t c = sample.second ? 1 : 0;
      count[c] += 1;
      const double delta = static_cast<double>(sample.cycles) - mean[c];
      mean[c] += delta / count[c];
      squares[c] += delta * (static_cast<double>(sample.cycles) - mean[c]);
    }
  }
  if (count[0] < 1000 || count[1] < 1000) {
    return 0;
  }
  const double error = squares[0] / (count[0] - 1) / count[0] + squares[1] / (count[1] - 1) / count[1];
  return error == 0 ? 0 : std::abs(mean[0] - mean[1]) / std::sqrt(error);
}

struct Report {
  double t_all = 0;  // of all samples
  double t_max = 0;  // the largest, cropped or not
  std::array<std::uint64_t, 2> median{};
};

Report report_of(std::vector<Sample> samples) {
  Report report;
  std::vector<std::uint64_t> sorted;
  for (const bool second : {false, true}) {
    sorted.clear();
    for (const auto& sample : samples) {
      if (sample.second == second) {
        sorted.push_back(sample.cycles);
      }
    }
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    report.median[second ? 1 : 0] = sorted[sorted.size() / 2];
  }
  sorted.clear();
  for (const auto& sample : samples) {
    sorted.push_back(sample.cycles);
  }
  std::sort(sorted.begin(), sorted.end());
  report.t_all = t_of(samples, ~std::uint64_t{0});
  report.t_max = report.t_all;
  // The tail is the machine's: crop it at 100 places, close together where samples are many, as the paper's
  // code does.
  for (int i = 1; i <= 100; ++i) {
    const double part = 1 - std::pow(0.5, 10.0 * i / 100);
    const auto limit = sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
    report.t_max = std::max(report.t_max, t_of(samples, limit));
  }
  return report;
}

Report measure(const std::array<std::vector<PacketBytes>, 2>& classes, const Open& open, std::size_t count) {
  alignas(64) static std::array<std::uint8_t, 1024> buffer;
  TestRng rng;
  std::vector<Sample> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count + count / 10; ++i) {
    const auto draw = rng.between(0, 2 * pool_size - 1);
    const bool second = draw >= pool_size;
    const auto& packet = classes[second ? 1 : 0][draw % pool_size];
    std::copy(packet.begin(), packet.end(), buffer.begin());
    const auto bytes = Bytes(buffer).first(packet.size());
    unsigned processor = 0;
    _mm_lfence();
    const auto start = __rdtsc();
    _mm_lfence();
    open(bytes);
    const auto end = __rdtscp(&processor);
    _mm_lfence();
    if (i >= count / 10) {  // the first are to warm up
      samples.push_back({end - start, second});
    }
  }
  return report_of(std::move(samples));
}

enum class Padding { good, bad };
enum class Mac { good, first_byte_wrong, last_byte_wrong };

struct PacketClass {
  Padding padding;
  std::size_t pad;  // 0: each time another
  Mac mac;
};

std::vector<PacketBytes> make_pool(const SessionKey& key, std::size_t length, const PacketClass& wanted,
                                   TestRng& rng) {
  std::vector<PacketBytes> pool;
  for (std::size_t i = 0; i < pool_size; ++i) {
    auto padded = rng.bytes(length);
    crypto::Nonce nonce{};
    (void)rng.fill(nonce);
    const std::size_t pad = wanted.pad == 0 ? rng.between(2, 16) : wanted.pad;
    std::fill(padded.end() - static_cast<std::ptrdiff_t>(pad), padded.end(), static_cast<std::uint8_t>(pad));
    if (wanted.padding == Padding::bad) {
      padded[length - pad] ^= 1;
    }
    const auto bit = wanted.mac == Mac::last_byte_wrong ? rng.between(96, 103) : rng.between(0, 7);
    pool.push_back(make_packet(key, nonce, padded, length - pad, wanted.mac == Mac::good, bit));
  }
  return pool;
}

struct Comparison {
  const char* text;
  PacketClass first;
  PacketClass second;
  bool kernel_alone;  // without the wiping of a refused packet, which the outcome tells anyway
};

const std::array comparisons{
    Comparison{"good or bad padding, both refused for the MAC",
               {Padding::good, 0, Mac::first_byte_wrong},
               {Padding::bad, 0, Mac::first_byte_wrong},
               false},
    Comparison{"first or last byte of the MAC wrong",
               {Padding::good, 0, Mac::first_byte_wrong},
               {Padding::good, 0, Mac::last_byte_wrong},
               false},
    Comparison{"pad 1 or pad 16, both accepted",
               {Padding::good, 1, Mac::good},
               {Padding::good, 16, Mac::good},
               false},
    Comparison{"MAC good or bad, kernel alone",
               {Padding::good, 0, Mac::good},
               {Padding::good, 0, Mac::first_byte_wrong},
               true},
    Comparison{"padding good or bad under a good MAC, kernel alone",
               {Padding::good, 0, Mac::good},
               {Padding::bad, 0, Mac::good},
               true},
};

void print_row(const char* who, std::size_t length, const char* what, const Report& report) {
  std::printf("| %s | %zu | %s | %.1f | %.1f | %llu / %llu |\n", who, length, what, report.t_all,
              report.t_max, static_cast<unsigned long long>(report.median[0]),
              static_cast<unsigned long long>(report.median[1]));
  std::fflush(stdout);
}

/// What Corliss must not be: padding first, and the MAC only where that was good.
Open careless_open(const SessionKey& key) {
  const auto cipher = std::make_shared<LegacyPacketCipher>(key, "portable");
  return [cipher, key](Bytes sealed) {
    if (const auto plain = cipher->open(sealed)) {
      std::array<std::uint8_t, 20> mac{};
      HMAC(EVP_sha1(), key.data(), 16, plain->data(), plain->size(), mac.data(), nullptr);
    }
  };
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind("model name", 0) == 0) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "?";
}

int run(std::size_t count) {
  TestRng rng;
  SessionKey key{};
  (void)rng.fill(key);
  std::printf("%s; %s; %s; %zu measurements a row\n\n", processor_name().c_str(), __VERSION__,
              OpenSSL_version(OPENSSL_VERSION), count);
  std::printf(
      "| kernel | L | classes | \\|t\\| | \\|t\\| max | median cycles |\n|---|---|---|---|---|---|\n");
  for (const auto& entry : crypto::detail::kernel_entries()) {
    if (!entry.kernel.supported) {
      std::printf("| %.*s | | not on this CPU | | | |\n", static_cast<int>(entry.kernel.name.size()),
                  entry.kernel.name.data());
      continue;
    }
    const std::string name(entry.kernel.name);
    const PacketCipher cipher(key, name);
    const std::unique_ptr<const crypto::detail::Session, void (*)(const crypto::detail::Session*) noexcept>
        session(entry.functions->make(key), entry.functions->destroy);
    const Open whole = [&](Bytes sealed) { (void)cipher.open(sealed); };
    const Open kernel = [&](Bytes sealed) {
      (void)entry.functions->open(*session, sealed.data(), sealed.size(),
                                  sealed.data() + crypto::packet_iv_size);
    };
    for (const std::size_t length : {64, 672}) {
      for (const auto& c : comparisons) {
        const std::array classes{make_pool(key, length, c.first, rng), make_pool(key, length, c.second, rng)};
        print_row(name.c_str(), length, c.text, measure(classes, c.kernel_alone ? kernel : whole, count));
      }
    }
  }
  const auto& oracle = comparisons[0];
  const std::array classes{make_pool(key, 64, oracle.first, rng), make_pool(key, 64, oracle.second, rng)};
  print_row("(careless)", 64, oracle.text, measure(classes, careless_open(key), count));
  return 0;
}

}  // namespace
}  // namespace corliss::test

int main(int argc, char** argv) {
  return corliss::test::run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000);
}
