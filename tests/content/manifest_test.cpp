#include "support/test_support.h"

#include <corliss/base/endian.h>
#include <corliss/base/hex.h>
#include <corliss/base/writer.h>
#include <corliss/content/manifest.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>
#include <array>

namespace corliss::content {
namespace {

constexpr const char* real_key = "44CE5C5297A415A1A6F69C856037A5A2FDD82CD474FA659EDFB4D59B2ABC55FC";
constexpr const char* real_encrypted = "depot_440_1118032470228587934.manifest";
constexpr const char* real_plain = "depot_440_1118032470228587934_decrypted.manifest";

crypto::DepotCipher cipher_of(const std::string& key) {
  const auto bytes = test::hex(key);
  return crypto::DepotCipher(std::span<const std::uint8_t, 32>(bytes));
}

struct RealFile {
  const char* name;
  std::uint64_t size;
  const char* name_hash;
  const char* content_hash;
  std::uint32_t checksum;
  std::uint32_t compressed;
};

// The table of the sample's own description.
constexpr RealFile real_files[] = {
    {"bin\\dxsupport.cfg", 398709, "791774216ea3882602ed16bf176415634f70daa6",
     "daf3d66a7c86e1f3cac181ff9701b911017e6f88", 908046851, 16224},
    {"bin\\dxsupport.csv", 116397, "fbc9e812f0884bc3a2c10ca3aaaf3af489444dcc",
     "b5032d334ca606dcb4eb85c0182ea69575ba9141", 3053236357, 9776},
    {"bin\\dxsupport_episodic.cfg", 544, "6ea6ec29f53886633a33600ca836b0d4c1c4583c",
     "bac8e2657470b2eb70d6ddcd6c07004be8738697", 2130218374, 320},
    {"bin\\dxsupport_sp.cfg", 310041, "cdc5743b22fdf822b52d21ab5f4de04a6324ec95",
     "5611a2a611491ee7985e784b54579c7a8cf191c0", 2641123467, 16416},
    {"bin\\vidcfg.bin", 20, "79e4f658817adf7146a6b2a53f6a8ee85ee628f6",
     "8d9037c099b5c447c64e84493789539747222abb", 1396311711, 144},
    {"hl2\\media\\startupvids.txt", 17, "122741e02b50e5017fb43ecbd4fdb43d19c8da67",
     "0ae5cb56f5de76dc7243b48da47cc21d3696cea4", 965936594, 144},
    {"tf\\media\\startupvids.txt", 17, "764ea533d062573303484baf9b64566bcd2b6ce3",
     "94020bde145a521edec9a9424e7a90fd042481e9", 963249608, 144},
};

void expect_real_files(const Manifest& manifest) {
  EXPECT_EQ(manifest.info().depot, proto::DepotId(440));
  EXPECT_EQ(manifest.info().id, proto::ManifestId(1118032470228587934));
  EXPECT_EQ(manifest.info().created.time_since_epoch().count(), 1366231164);
  EXPECT_EQ(manifest.info().total_size, 825745u);
  EXPECT_EQ(manifest.info().total_compressed_size, 43168u);
  EXPECT_EQ(manifest.info().unique_chunks, 7u);
  EXPECT_EQ(manifest.info().crc_encrypted, 1606273976u);
  ASSERT_EQ(manifest.file_count(), std::size(real_files));
  for (std::size_t i = 0; i < std::size(real_files); ++i) {
    const auto& want = real_files[i];
    const auto file = manifest.file(i);
    EXPECT_EQ(file.stored_name, want.name);
    EXPECT_EQ(file.size, want.size);
    EXPECT_EQ(file.flags, 0u);
    EXPECT_EQ(to_hex(file.name_hash), want.name_hash);
    EXPECT_EQ(to_hex(file.content_hash), want.content_hash);
    ASSERT_EQ(file.chunks.size(), 1u);
    EXPECT_EQ(to_string(file.chunks[0].id), want.content_hash);
    EXPECT_EQ(file.chunks[0].checksum, want.checksum);
    EXPECT_EQ(file.chunks[0].compressed_size, want.compressed);
    EXPECT_EQ(file.chunks[0].size, want.size);
    EXPECT_EQ(file.chunks[0].offset, 0u);
    EXPECT_TRUE(file.stored_link_target.empty());
    std::string path(want.name);
    std::replace(path.begin(), path.end(), '\\', '/');
    EXPECT_EQ(manifest.safe_path(i).value().text(), path);
    EXPECT_EQ(manifest.safe_link_target(i).error(), Errc::no_link);
  }
}

TEST(RealManifest, EncryptedDecryptsToTheKnownFiles) {
  const auto path = test::real_data(real_encrypted);
  if (!path) {
    GTEST_SKIP() << test::real_data_hint;
  }
  const auto bytes = test::read_file(*path);
  auto manifest = Manifest::parse(bytes).value();
  EXPECT_TRUE(manifest.info().names_encrypted);
  EXPECT_EQ(manifest.crc_state(), CrcState::fits);
  EXPECT_EQ(manifest.safe_path(0).error(), Errc::names_encrypted);
  EXPECT_EQ(manifest.write({.keep_signature = true}), bytes);
  const auto unsigned_form = manifest.write();
  const std::size_t signature_at = bytes.size() - 4 - 131 - 8;
  ASSERT_EQ(unsigned_form.size(), signature_at + 12);
  EXPECT_TRUE(std::equal(unsigned_form.begin(),
                         unsigned_form.begin() + static_cast<std::ptrdiff_t>(signature_at), bytes.begin()));

  auto cipher = cipher_of(real_key);
  ASSERT_TRUE(manifest.decrypt_names(cipher));
  expect_real_files(manifest);
  if (const auto plain = test::real_data(real_plain)) {
    EXPECT_EQ(manifest.write(), test::read_file(*plain));
  }
}

TEST(RealManifest, PlainIsReadAndWrittenByteByByte) {
  const auto path = test::real_data(real_plain);
  if (!path) {
    GTEST_SKIP() << test::real_data_hint;
  }
  const auto bytes = test::read_file(*path);
  const auto manifest = Manifest::parse(bytes).value();
  expect_real_files(manifest);
  EXPECT_EQ(manifest.info().crc_clear, 2877239815u);
  EXPECT_EQ(manifest.write(), bytes);
}

/// The fixed layout of version 4, from what a manifest holds.
std::vector<std::uint8_t> v4_of(const Manifest& manifest, std::uint32_t entries) {
  Writer mapping;
  for (std::size_t i = 0; i < manifest.file_count(); ++i) {
    const auto file = manifest.file(i);
    mapping.bytes(bytes_of(file.stored_name));
    mapping.u8(0);
    mapping.u64(file.size);
    mapping.u32(file.flags);
    mapping.bytes(file.content_hash);
    mapping.bytes(file.name_hash);
    mapping.u32(static_cast<std::uint32_t>(file.chunks.size()));
    for (const auto& chunk : file.chunks) {
      mapping.bytes(chunk.id.bytes());
      mapping.u32(chunk.checksum);
      mapping.u64(chunk.offset);
      mapping.u32(chunk.size);
      mapping.u32(chunk.compressed_size);
    }
  }
  const auto& info = manifest.info();
  const auto crc = crypto::crc32(mapping.view());
  Writer out;
  out.u32(0x16349781);
  out.u32(4);
  out.u32(info.depot.value());
  out.u64(info.id.value());
  out.u32(static_cast<std::uint32_t>(info.created.time_since_epoch().count()));
  out.u32(info.names_encrypted ? 7 : 0);
  out.u64(info.total_size);
  out.u64(info.total_compressed_size);
  out.u32(info.unique_chunks);
  out.u32(entries);
  out.u32(static_cast<std::uint32_t>(mapping.size()));
  out.u32(info.names_encrypted ? crc : 0);
  out.u32(info.names_encrypted ? 0 : crc);
  out.u32(0xffffffff);
  out.bytes(mapping.view());
  out.u32(0x16349781);
  out.bytes(bytes_of("ignored"));
  return out.take();
}

void expect_same_files(const Manifest& a, const Manifest& b) {
  ASSERT_EQ(a.file_count(), b.file_count());
  for (std::size_t i = 0; i < a.file_count(); ++i) {
    const auto left = a.file(i);
    const auto right = b.file(i);
    EXPECT_EQ(left.stored_name, right.stored_name);
    EXPECT_EQ(left.size, right.size);
    EXPECT_EQ(left.flags, right.flags);
    EXPECT_TRUE(std::ranges::equal(left.name_hash, right.name_hash));
    EXPECT_TRUE(std::ranges::equal(left.content_hash, right.content_hash));
    EXPECT_TRUE(std::ranges::equal(left.chunks, right.chunks));
  }
}

// The same depot stands in the vectors as v5 and, with a broken end, as v4.
TEST(ManifestV4, HoldsWhatV5Holds) {
  auto bytes = test::read_file(test::data("content/manifests/v4_bad_trailer.bin"));
  store_le<std::uint32_t>(bytes.data() + bytes.size() - 4, 0x16349781);
  const auto v4 = Manifest::parse(bytes).value();
  const auto v5 = Manifest::parse(test::read_file(test::data("content/manifests/v5_plain_zip.bin"))).value();
  EXPECT_EQ(v4.format(), ManifestFormat::v4);
  EXPECT_EQ(v4.crc_state(), CrcState::fits);
  EXPECT_TRUE(v4.entry_count_fits());
  EXPECT_EQ(v4.info().id, v5.info().id);
  EXPECT_EQ(v4.info().created, v5.info().created);
  EXPECT_EQ(v4.info().total_size, v5.info().total_size);
  expect_same_files(v4, v5);
  // Its link has a flag and no target.
  const auto link = v4.find("lib\\libx.so").value();
  EXPECT_TRUE(v4.file(link).is_link());
  EXPECT_TRUE(v4.safe_path(link));
  EXPECT_EQ(v4.safe_link_target(link).error(), Errc::no_link);
  EXPECT_EQ(v5.safe_link_target(link).value().text(), "libx.so.1");
}

TEST(ManifestV4, NamesDecryptAndTheManifestBecomesV5) {
  auto v5 = Manifest::parse(test::read_file(test::data("content/manifests/v5_encrypted.bin"))).value();
  auto v4 = Manifest::parse(v4_of(v5, 99)).value();
  EXPECT_FALSE(v4.entry_count_fits());
  EXPECT_EQ(v4.crc_state(), CrcState::fits);
  auto cipher = cipher_of("030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc");
  ASSERT_TRUE(v4.decrypt_names(cipher));
  ASSERT_TRUE(v5.decrypt_names(cipher));
  expect_same_files(v4, v5);

  const auto simple =
      Manifest::make({}, std::array{NewManifestFile{.name = "a\\b", .link_target = {}, .chunks = {}}})
          .value();
  const auto again = Manifest::parse(Manifest::parse(v4_of(simple, 1)).value().write()).value();
  EXPECT_EQ(again.format(), ManifestFormat::v5);
  expect_same_files(again, simple);
}

TEST(ManifestV4, FaultsHaveTheirErrors) {
  const auto manifest =
      Manifest::make({}, std::array{NewManifestFile{.name = "a", .link_target = {}, .chunks = {}}}).value();
  const auto good = v4_of(manifest, 1);
  const auto error_of = [&good](std::size_t at, std::uint32_t value, const ManifestLimits& limits = {}) {
    auto bytes = good;
    store_le(bytes.data() + at, value);
    ManifestParseOptions options;
    options.limits = limits;
    const auto result = Manifest::parse(bytes, options);
    return result ? std::error_code() : result.error();
  };
  EXPECT_EQ(error_of(0, 0x16349781), std::error_code());
  EXPECT_EQ(error_of(4, 5), Errc::unsupported_version);
  EXPECT_EQ(error_of(60, 1), Errc::crc_mismatch);
  EXPECT_EQ(error_of(60, 0), std::error_code());
  EXPECT_EQ(error_of(52, 57), Errc::bad_mapping_size);
  EXPECT_EQ(error_of(52, 0), Errc::bad_trailer);
  EXPECT_EQ(error_of(68 + 54, 1), Errc::bad_mapping_size);           // a chunk that is not there
  EXPECT_EQ(error_of(68 + 54, 0xffffffff), Errc::bad_mapping_size);  // and many
  EXPECT_EQ(error_of(68, 0x41414141), Errc::bad_mapping_size);       // a name that eats the fields behind it
  ManifestLimits none;
  none.files = 0;
  EXPECT_EQ(error_of(0, 0x16349781, none), Errc::too_many_entries);
  ManifestFault fault;
  ManifestParseOptions options;
  options.fault = &fault;
  for (std::size_t size = 0; size < good.size() - 7; ++size) {
    EXPECT_FALSE(Manifest::parse(ConstBytes(good).first(size), options)) << size;
  }
}

}  // namespace
}  // namespace corliss::content
