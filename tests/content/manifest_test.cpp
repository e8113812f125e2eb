#include "support/test_support.h"

#include <corliss/base/hex.h>
#include <corliss/content/manifest.h>

#include <algorithm>

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

}  // namespace
}  // namespace corliss::content
