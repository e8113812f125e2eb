#include "bench/content_data.h"
#include "support/test_support.h"

#include <corliss/base/writer.h>
#include <corliss/content/manifest.h>
#include <corliss/crypto/checksum.h>

#include <functional>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace corliss::content {
namespace {

using bench::ByteVector;

// A manifest put together by hand, so that any part of it can be wrong.

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>(value | 0x80);
  }
  return out + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
std::string text(unsigned field, std::string_view value) {
  return varint(field << 3 | 2) + varint(value.size()) + std::string(value);
}
std::string fixed32(unsigned field, std::uint32_t value) {
  std::string out = varint(field << 3 | 5);
  for (int i = 0; i < 4; ++i) {
    out += static_cast<char>(value >> 8 * i);
  }
  return out;
}
std::string hash(char fill = 'h') {
  return std::string(20, fill);
}
std::string chunk(std::uint64_t offset, std::uint64_t size, char id = 'c', std::uint32_t checksum = 1) {
  return text(
      6, text(1, hash(id)) + fixed32(2, checksum) + number(3, offset) + number(4, size) + number(5, size));
}
std::string mapping(std::string_view name, std::uint64_t size, const std::string& rest = {}) {
  return text(1, text(1, name) + number(2, size) + number(3, 0) + text(4, hash()) + text(5, hash()) + rest);
}
const std::string metadata = number(1, 7) + number(2, 9) + number(4, 0);

void section(Writer& out, std::uint32_t magic, std::string_view bytes) {
  out.u32(magic);
  out.u32(static_cast<std::uint32_t>(bytes.size()));
  out.bytes(bytes_of(bytes));
}
ByteVector v5(std::string_view payload, std::string_view meta = metadata) {
  Writer out;
  section(out, 0x71f617d0, payload);
  section(out, 0x1f4812be, meta);
  section(out, 0x1b81b817, "");
  out.u32(0x32c415ab);
  return out.take();
}

std::error_code error_of(ConstBytes bytes, ManifestParseOptions options = {},
                         ManifestFault* fault = nullptr) {
  options.fault = fault;
  const auto result = Manifest::parse(bytes, options);
  return result ? std::error_code() : result.error();
}

TEST(HostileManifest, EachFaultHasItsError) {
  const std::string many_groups = [] {
    std::string out;
    for (int i = 0; i < 40; ++i) {
      out += varint(9 << 3 | 3);
    }
    for (int i = 0; i < 40; ++i) {
      out += varint(9 << 3 | 4);
    }
    return out;
  }();
  const std::pair<std::string, std::error_code> rows[] = {
      {"", {}},
      {mapping("a", 5, chunk(0, 5)), {}},
      {mapping("a", 5, chunk(3, 2, 'x') + chunk(0, 3, 'y')), {}},  // out of order
      {mapping("a", 50, chunk(40, 2)), {}},                        // holes
      {mapping("a", 5) + mapping("b", 5), {}},                     // no chunks at all: nothing but a hole
      {std::string("\x0a"), Errc::bad_protobuf},                   // a tag, and no length
      {std::string("\x0a\x05\x01", 3), Errc::bad_protobuf},        // longer than what is left
      {std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11), Errc::bad_protobuf},
      {std::string(11, '\xff'), Errc::bad_protobuf},                  // a varint that does not end
      {std::string("\x00\x00", 2), Errc::bad_protobuf},               // field 0
      {std::string("\x0f\x00", 2), Errc::bad_protobuf},               // wire type 7
      {varint(9 << 3 | 4), Errc::bad_protobuf},                       // an end without its group
      {varint(9 << 3 | 3), Errc::bad_protobuf},                       // a group without its end
      {varint(9 << 3 | 3) + varint(8 << 3 | 4), Errc::bad_protobuf},  // another's end
      {varint(9 << 3 | 3) + number(1, 5) + varint(9 << 3 | 4), {}},
      {many_groups, Errc::bad_protobuf},
      {varint(9 << 3 | 1) + "1234567", Errc::bad_protobuf},
      {varint(9 << 3 | 5) + "123", Errc::bad_protobuf},
      {text(1, text(1, "a") + text(4, hash()) + std::string("\x30")),
       Errc::bad_protobuf},  // inside the mapping
      {text(1, text(1, "a") + text(4, hash()) + text(5, hash()) + text(6, "\x08")),
       Errc::bad_protobuf},  // inside the chunk
      {text(1, text(1, "a")), Errc::bad_hash_size},
      {text(1, text(1, "a") + text(4, "19 bytes of a hash.") + text(5, hash())), Errc::bad_hash_size},
      {text(1, text(1, "a") + text(4, hash()) + text(5, hash() + "x")), Errc::bad_hash_size},
      {text(1, text(1, "a") + text(4, hash())), Errc::bad_hash_size},  // a file without its hash
      {text(1, text(1, "a") + text(4, hash()) + number(3, 64)), {}},   // a folder needs none
      {mapping("a", 5, text(6, number(4, 5))), Errc::bad_chunk_id},
      {mapping("a", 5, chunk(0, 0)), Errc::bad_chunk_range},
      {mapping("a", 5, chunk(1, 5)), Errc::bad_chunk_range},
      {mapping("a", 5, chunk(6, 1)), Errc::bad_chunk_range},
      {mapping("a", 5, chunk(UINT64_MAX, 5)), Errc::bad_chunk_range},
      {mapping("a", 9, chunk(0, 5, 'x') + chunk(4, 5, 'y')), Errc::bad_chunk_range},  // overlap
      {mapping("a", 9, chunk(4, 5, 'x') + chunk(0, 5, 'y')), Errc::bad_chunk_range},
      {mapping("a", UINT64_MAX), Errc::too_large},
      {mapping("a", std::uint64_t{1} << 63), Errc::too_large},
      {mapping("a", INT64_MAX), {}},
      {mapping("a", 1 << 30, chunk(0, max_chunk_size + 1)), Errc::too_large},
      {mapping("a", 1 << 30, chunk(0, max_chunk_size)), {}},
      {mapping("a", 9, text(6, text(1, hash()) + number(4, 9) + number(5, 0xffffffff))), Errc::too_large},
      {mapping("a", 9, chunk(0, 4) + chunk(4, 5)), Errc::chunk_disagreement},  // one id, two sizes
      {mapping("a", 8, chunk(0, 4) + chunk(4, 4, 'c', 2)),
       Errc::chunk_disagreement},  // one id, two checksums
      {mapping("a", 8, chunk(0, 4) + chunk(4, 4)), {}},
      {mapping("a", 4, chunk(0, 4)) + mapping("b", 5, chunk(0, 5)), Errc::chunk_disagreement},
      {text(1, text(1, "a") + number(2, 1) + number(3, 64) + text(4, hash())), Errc::bad_entry},
      {text(1, text(1, "a") + number(3, 512) + text(4, hash())), Errc::bad_entry},  // a link to nowhere
      {text(1, text(1, "a") + number(3, 0) + text(4, hash()) + text(7, "b")),
       {}},  // a link by its target alone
      {text(1, text(1, "a") + number(2, 3) + number(3, 512) + text(4, hash()) + text(7, "b")),
       Errc::bad_entry},
      {mapping("", 1), Errc::unsafe_path},
      {mapping("a", 1) + mapping("a", 1), Errc::duplicate_path},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const auto got = error_of(v5(rows[i].first));
    EXPECT_EQ(got, rows[i].second) << "row " << i << ": " << got.message();
  }
}

TEST(HostileManifest, SaysWhere) {
  ManifestFault fault;
  EXPECT_EQ(error_of(v5(mapping("a", 1) + mapping("..", 1)), {}, &fault), Errc::unsafe_path);
  EXPECT_EQ(fault.file, 1u);
  EXPECT_EQ(fault.verdict, PathVerdict::dot_component);
  const auto good = mapping("a", 1);
  EXPECT_EQ(error_of(v5(good + text(1, "\x0a\x7f")), {}, &fault), Errc::bad_protobuf);
  EXPECT_EQ(fault.file, 1u);
  EXPECT_EQ(fault.offset, 8 + good.size() + 2);
  EXPECT_EQ(error_of(ByteVector{'a', 'b', 'c', 'd', 'e'}, {}, &fault), Errc::unknown_magic);
  EXPECT_EQ(fault.file, ManifestFault::no_file);
}

TEST(HostileManifest, LimitsAreNamedAndAdjustable) {
  const auto two = v5(mapping("a", 9, chunk(0, 4) + chunk(4, 4)) + mapping("b", 1));
  ManifestParseOptions options;
  options.limits.files = 2;
  options.limits.chunks = 2;
  options.limits.unpacked_size = two.size();
  EXPECT_EQ(error_of(two, options), std::error_code());
  options.limits.files = 1;
  EXPECT_EQ(error_of(two, options), Errc::too_many_entries);
  options.limits.files = 2;
  options.limits.chunks = 1;
  EXPECT_EQ(error_of(two, options), Errc::too_many_entries);
  options.limits.chunks = 2;
  options.limits.unpacked_size = two.size() - 1;
  EXPECT_EQ(error_of(two, options), Errc::too_large);

  const auto zipped = bench::pack(ChunkContainer::zip, two);
  options.limits.unpacked_size = two.size();
  options.limits.zip_size = zipped.size();
  EXPECT_EQ(error_of(zipped, options), std::error_code());
  options.limits.zip_size = zipped.size() - 1;
  EXPECT_EQ(error_of(zipped, options), Errc::too_large);
  options.limits.zip_size = zipped.size();
  options.limits.unpacked_size = two.size() - 1;
  EXPECT_EQ(error_of(zipped, options), Errc::too_large);
}

TEST(HostileManifest, Wrappers) {
  const auto inner = v5(mapping("a", 5, chunk(0, 5)));
  for (const auto kind : {ChunkContainer::zip, ChunkContainer::lzma, ChunkContainer::zstd}) {
    const auto wrapped = bench::pack(kind, inner);
    EXPECT_EQ(error_of(wrapped), std::error_code()) << to_string(kind);
    // Never a wrapper inside a wrapper.
    EXPECT_EQ(error_of(bench::pack(kind, wrapped)), Errc::unknown_magic) << to_string(kind);
    EXPECT_TRUE(error_of(ConstBytes(wrapped).first(wrapped.size() - 1)));
  }
  bench::PackOptions options;
  options.dictionary = inner;
  EXPECT_EQ(error_of(bench::pack(ChunkContainer::lzma, inner, options)), Errc::delta_container);
  auto wrong_crc = bench::pack(ChunkContainer::zstd, inner);
  wrong_crc[wrong_crc.size() - 15] ^= 1;
  EXPECT_EQ(error_of(wrong_crc), Errc::crc_mismatch);
}

TEST(HostileManifest, RepeatedSectionsTheLastCounts) {
  Writer out;
  section(out, 0x1f4812be, number(1, 1));
  section(out, 0x71f617d0, mapping("a", 1));
  section(out, 0x71f617d0, mapping("b", 1));
  section(out, 0x1b81b817, "");
  section(out, 0x1f4812be, number(1, 2));
  out.u32(0x32c415ab);
  out.bytes(bytes_of("whatever follows the end"));
  const auto manifest = Manifest::parse(out.view()).value();
  EXPECT_EQ(manifest.info().depot, proto::DepotId(2));
  EXPECT_EQ(manifest.file(0).stored_name, "b");
  EXPECT_EQ(manifest.crc_state(), CrcState::absent);
}

TEST(HostileManifest, EveryTruncationIsRefused) {
  auto manifest = bench::game_manifest(3, 4);
  for (const auto& whole :
       {manifest.write(), test::read_file(test::data("content/manifests/v5_encrypted.bin"))}) {
    ASSERT_EQ(error_of(whole), std::error_code());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_TRUE(error_of(ConstBytes(whole).first(size))) << size;
    }
  }
}

TEST(Manifest, UnknownFieldsAreKept) {
  const auto odd = text(15, "later") + number(14, 300);
  const auto payload =
      text(1, text(1, "a") + number(2, 5) + number(3, 0) + text(4, hash()) + text(5, hash()) +
                  text(6, text(1, hash('c')) + fixed32(2, 1) + number(3, 0) + number(4, 5) + number(5, 5) +
                              odd) +
                  odd) +
      odd;
  const auto manifest = Manifest::parse(v5(payload, metadata + odd)).value();
  const auto written = manifest.write();
  EXPECT_EQ(text_of(ConstBytes(written).subspan(8, payload.size())), payload);
  EXPECT_EQ(text_of(ConstBytes(written).last(12 + odd.size()).first(odd.size())), odd);
  // Where they stand between known ones, they come out behind them, once.
  const auto shuffled = text(
      1, number(14, 1) + text(1, "a") + number(15, 2) + text(4, hash()) + text(5, hash()) + number(14, 3));
  const auto again = Manifest::parse(Manifest::parse(v5(shuffled)).value().write()).value();
  const auto bytes = again.write();
  EXPECT_NE(text_of(bytes).find(number(14, 1) + number(15, 2) + number(14, 3)), std::string_view::npos);
}

TEST(Manifest, NamesTravelEncryptedAndBack) {
  test::TestRng rng;
  crypto::DepotCipher cipher(bench::depot_key());
  std::vector<NewManifestFile> files(4);
  const std::string long_name(200, 'n');
  files[0].name = "Zebra";
  files[1].name = "bin/" + long_name;  // gets a line break
  files[2].name = "bin";
  files[2].flags = depot_file_flag::directory;
  files[3].name = "apple";
  files[3].flags = depot_file_flag::symlink;
  files[3].link_target = "bin/x";
  const std::string joined = "bin\\" + long_name;
  const std::string second = "bin/" + long_name;
  files[1].name = second;
  auto manifest = Manifest::make({}, files).value();
  EXPECT_EQ(manifest.find(joined), 1u);
  EXPECT_FALSE(manifest.find("nothing"));
  ASSERT_TRUE(manifest.encrypt_names(cipher, rng));
  ASSERT_TRUE(manifest.encrypt_names(cipher, rng));  // already so: nothing
  EXPECT_TRUE(manifest.info().names_encrypted);
  EXPECT_EQ(manifest.check_paths(PathRules::posix()).error(), Errc::names_encrypted);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(manifest.file(i).stored_name.back(), '\n');
    EXPECT_EQ(manifest.safe_path(i).error(), Errc::names_encrypted);
  }
  auto read = Manifest::parse(manifest.write()).value();
  EXPECT_EQ(read.crc_state(), CrcState::fits);
  ASSERT_TRUE(read.decrypt_names(cipher, std::nullopt));
  EXPECT_EQ(read.safe_path(0).error(), Errc::paths_unchecked);
  EXPECT_EQ(read.check_paths(PathRules::posix()).value(), 0u);
  ASSERT_TRUE(read.decrypt_names(cipher));  // plain already: nothing
  const std::string_view order[] = {"apple", "bin", joined, "Zebra"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.file(i).stored_name, order[i]);
  }
  EXPECT_EQ(read.safe_path(2).value().text(), second);
  EXPECT_EQ(read.safe_link_target(0).value().text(), "bin/x");

  auto copy = read;
  EXPECT_EQ(copy.write(), read.write());
  copy = manifest;
  EXPECT_TRUE(copy.info().names_encrypted);
  const Manifest& itself = copy;
  copy = itself;
  EXPECT_EQ(copy.file_count(), 4u);
  auto key = bench::depot_key();
  key[0] ^= 1;
  crypto::DepotCipher wrong(key);
  EXPECT_EQ(copy.decrypt_names(wrong).error(), Errc::bad_encrypted_name);
  EXPECT_EQ(copy.write(), manifest.write());
}

TEST(Manifest, MakingChecksToo) {
  std::vector<NewManifestFile> files(1);
  files[0].name = "../x";
  EXPECT_EQ(Manifest::make({}, files).error(), Errc::unsafe_path);
  EXPECT_TRUE(Manifest::make({}, files, std::nullopt));
  files[0].name = "x";
  files[0].flags = depot_file_flag::directory;
  files[0].size = 1;
  EXPECT_EQ(Manifest::make({}, files).error(), Errc::bad_entry);
}

// Decoding of one name, by what stands in the manifest. The key is that of the vectors.
TEST(Manifest, EncryptedNamesAreReadTolerantly) {
  crypto::DepotCipher cipher(bench::depot_key());
  const auto seal = [&cipher](std::string_view plain) {
    ByteVector out(crypto::DepotCipher::sealed_size(plain.size()));
    EXPECT_TRUE(cipher.seal(bytes_of(plain), std::array<std::uint8_t, 16>{1, 2, 3}, out));
    return out;
  };
  const auto base64 = [](const ByteVector& bytes) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      const auto at = [&](std::size_t j) { return j < bytes.size() ? bytes[j] : 0U; };
      const std::uint32_t bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
      for (unsigned digit = 0; digit < 4; ++digit) {
        out += i + digit <= bytes.size() ? digits[bits >> (18 - 6 * digit) & 63] : '=';
      }
    }
    return out;
  };
  const auto result_of = [&](const std::string& stored) -> std::string {
    const auto payload = text(1, text(1, stored) + text(4, hash()) + text(5, hash()));
    auto manifest = Manifest::parse(v5(payload, number(4, 1))).value();
    const auto decrypted = manifest.decrypt_names(cipher, std::nullopt);
    return decrypted                                       ? std::string(manifest.file(0).stored_name)
           : decrypted.error() == Errc::bad_encrypted_name ? "bad"
                                                           : "?";
  };
  const auto with_nul = base64(seal(std::string_view("bin/run.sh\0", 11)));
  EXPECT_EQ(result_of(with_nul), "bin\\run.sh");
  EXPECT_EQ(result_of(with_nul + "\n"), "bin\\run.sh");
  std::string spread;
  for (const char c : with_nul) {
    spread += std::string(" \t\r\n") + c;
  }
  EXPECT_EQ(result_of(spread + "  "), "bin\\run.sh");
  EXPECT_EQ(result_of(base64(seal("no nul"))), "no nul");
  EXPECT_EQ(result_of(base64(seal(std::string_view("two\0\0", 5)))), "bad");
  EXPECT_EQ(result_of(base64(seal(std::string_view("in\0side", 7)))), "bad");
  EXPECT_EQ(result_of(base64(seal(std::string_view("\0", 1)))), "bad");
  EXPECT_EQ(result_of(base64(seal(""))), "bad");
  EXPECT_EQ(result_of(base64(seal("blank at the end "))), "blank at the end ");
  EXPECT_EQ(result_of(base64(seal(std::string(4096, 'n')))), std::string(4096, 'n'));
  EXPECT_EQ(result_of(base64(seal(std::string(5000, 'n')))), "bad");
  EXPECT_EQ(result_of(""), "bad");
  EXPECT_EQ(result_of("\n"), "bad");
  EXPECT_EQ(result_of(with_nul.substr(0, with_nul.size() - 1)), "bad");  // padding cut off
  EXPECT_EQ(result_of(with_nul + "="), "bad");
  EXPECT_EQ(result_of("=" + with_nul), "bad");
  EXPECT_EQ(result_of(with_nul + "A"), "bad");
  EXPECT_EQ(result_of("-_" + with_nul.substr(2)), "bad");  // the other alphabet
  EXPECT_EQ(result_of("AAAA"), "bad");
  auto sealed = seal("a name");
  sealed.pop_back();
  EXPECT_EQ(result_of(base64(sealed)), "bad");  // not whole blocks
  sealed.resize(16);
  EXPECT_EQ(result_of(base64(sealed)), "bad");  // the IV alone
}

// ---- memory and time

/// Runs `work` in a child that may have `bytes` more address space than now; whether it ended well.
bool survives_within(std::size_t bytes, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    if (std::FILE* statm = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(statm, "%zu", &pages) != 1) {
        pages = 0;
      }
      std::fclose(statm);
    }
    const rlim_t limit = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit cap{limit, limit};
    if (pages == 0 || ::setrlimit(RLIMIT_AS, &cap) != 0) {
      ::_exit(2);
    }
    work();
    ::_exit(0);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_cap_memory = false;  // their shadow memory is larger than any cap
#else
constexpr bool can_cap_memory = true;
#endif

void refuse(ConstBytes bytes) {
  ManifestParseOptions options;
  if (Manifest::parse(bytes, options)) {
    ::_exit(3);
  }
}

TEST(HostileManifest, ClaimsAloneTakeNoMemory) {
  if (!can_cap_memory) {
    GTEST_SKIP() << "sanitizers need more address space than the cap";
  }
  constexpr std::size_t mib = std::size_t{1} << 20;
  const auto expect_refused = [](const char* what, const ByteVector& bytes) {
    // Eight times the input, and what an allocator takes at once.
    EXPECT_TRUE(survives_within(8 * bytes.size() + 8 * mib, [&bytes] { refuse(bytes); })) << what;
  };
  for (const char* name :
       {"bad_length_past_end", "bad_length_negative", "v4_mapping_size_huge", "v4_chunk_count_huge"}) {
    expect_refused(name, test::read_file(test::data(std::string("content/manifests/") + name + ".bin")));
  }
  bench::ZipFields claims;
  claims.plain_size = 500 << 20;
  claims.compressed_size = 100;
  expect_refused("a zip that claims 500 MiB", bench::zip_archive(ByteVector(100), claims));
  // The same mapping 200,000 times: duplicates.
  std::string payload;
  for (int i = 0; i < 200'000; ++i) {
    payload += mapping("a", 1);
  }
  expect_refused("repeated entries", v5(payload));
  payload = mapping("a", 5, chunk(0, 5));
  std::string chunks;
  for (int i = 0; i < 200'000; ++i) {
    chunks += chunk(0, 5);
  }
  expect_refused("one chunk 200,000 times at one place", v5(mapping("a", 5, chunks)));
  chunks.clear();
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    chunks += chunk(i, 2);
  }
  expect_refused("chunks that overlap in a chain", v5(mapping("a", 300'000, chunks)));
  payload.clear();
  for (int i = 0; i < 1'000'000; ++i) {
    payload += number(9, 1);  // two bytes each
  }
  expect_refused("a million unknown fields", v5(payload + "\x0a"));
}

TEST(HostileManifest, BombsStopAtTheLimit) {
  if (!can_cap_memory) {
    GTEST_SKIP() << "sanitizers need more address space than the cap";
  }
  constexpr std::size_t mib = std::size_t{1} << 20;
  const ByteVector zeros(64 * mib);
  for (const auto kind : {ChunkContainer::zip, ChunkContainer::lzma, ChunkContainer::zstd}) {
    const auto bomb = bench::pack(kind, zeros);
    EXPECT_LT(bomb.size(), 80'000u);
    ManifestParseOptions options;
    options.limits.unpacked_size = 16 * mib;
    EXPECT_TRUE(survives_within(8 * mib, [&] {
      const auto result = Manifest::parse(bomb, options);
      ::_exit(!result && result.error() == Errc::too_large ? 0 : 3);
    })) << to_string(kind);
    // One that lies about its size is stopped by it.
    auto liar = bomb;
    const std::size_t size_at = kind == ChunkContainer::zip    ? bomb.size() - 22 - 47 + 24
                                : kind == ChunkContainer::lzma ? bomb.size() - 6
                                                               : bomb.size() - 11;
    store_le<std::uint32_t>(liar.data() + size_at, 1000);
    EXPECT_TRUE(survives_within(8 * mib, [&] { refuse(liar); })) << to_string(kind);
  }
}

}  // namespace
}  // namespace corliss::content
