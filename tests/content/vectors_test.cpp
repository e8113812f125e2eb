#include "support/test_support.h"
#include "vectors/content.h"

#include <corliss/content/chunk.h>
#include <corliss/content/manifest.h>

#include <algorithm>

namespace corliss::content {
namespace {

void expect_clean(const vectors::Report& report, std::size_t at_least) {
  for (const auto& failure : report.failures) {
    ADD_FAILURE() << failure.name << ": " << failure.why;
  }
  EXPECT_GE(report.cases, at_least);
}

TEST(ContentVectors, Manifests) {
  expect_clean(vectors::check_manifests(test::data("content/manifests.json")), 90);
}

TEST(ContentVectors, Chunks) {
  expect_clean(vectors::check_chunks(test::data("content/chunks.json")), 70);
}

std::error_code parse_error(const std::string& name) {
  const auto result = Manifest::parse(test::read_file(test::data("content/manifests/" + name + ".bin")));
  return result ? std::error_code() : result.error();
}

// What each refused manifest is refused for, exactly.
TEST(ContentVectors, ManifestsAreRefusedForTheRightReason) {
  const std::pair<const char*, std::error_code> rows[] = {
      {"bad_empty", BaseErrc::truncated},
      {"bad_magic", Errc::unknown_magic},
      {"bad_big_endian_magic", Errc::unknown_magic},
      {"bad_no_end", BaseErrc::truncated},
      {"bad_no_signature", Errc::missing_section},
      {"bad_no_metadata", Errc::missing_section},
      {"bad_no_payload", Errc::missing_section},
      {"bad_only_end", Errc::missing_section},
      {"bad_truncated_payload", BaseErrc::truncated},
      {"bad_length_past_end", BaseErrc::truncated},
      {"bad_length_negative", BaseErrc::truncated},
      {"bad_crc", Errc::crc_mismatch},
      {"bad_crc_encrypted", Errc::crc_mismatch},
      {"bad_chunk_id_length", Errc::bad_chunk_id},
      {"bad_chunk_past_end", Errc::bad_chunk_range},
      {"bad_chunk_offset_overflow", Errc::bad_chunk_range},
      {"bad_directory_with_chunks", Errc::bad_entry},
      {"bad_duplicate_path", Errc::duplicate_path},
      {"bad_file_as_directory", Errc::path_conflict},
      {"bad_traversal", Errc::unsafe_path},
      {"bad_symlink_escape", Errc::unsafe_link},
      {"bad_symlink_absolute", Errc::unsafe_link},
      {"bad_file_below_symlink", Errc::path_conflict},
      {"name_not_utf8", Errc::unsafe_path},
      {"bad_name_empty", Errc::unsafe_path},
      {"v4_bad_version", Errc::unsupported_version},
      {"v4_bad_trailer", Errc::bad_trailer},
      {"v4_no_trailer", BaseErrc::truncated},
      {"v4_header_only", BaseErrc::truncated},
      {"v4_header_short", BaseErrc::truncated},
      {"v4_mapping_size_short", Errc::bad_mapping_size},
      {"v4_mapping_size_huge", BaseErrc::truncated},
      {"v4_chunk_count_huge", Errc::bad_mapping_size},
      {"zip_two_entries", Errc::bad_zip},
      {"zip_truncated", Errc::bad_zip},
  };
  for (const auto& [name, error] : rows) {
    EXPECT_EQ(parse_error(name), error) << name << ": " << parse_error(name).message();
  }
}

// The same for chunks; what an `either` case comes to is recorded here too.
TEST(ContentVectors, ChunksAreRefusedForTheRightReason) {
  const std::pair<std::string, std::error_code> rows[] = {
      {"bad_15_bytes", crypto::Errc::bad_padding},
      {"bad_truncated_block", crypto::Errc::bad_padding},
      {"bad_truncated_half", crypto::Errc::bad_padding},
      {"bad_pad_17", crypto::Errc::bad_padding},
      {"bad_pad_255", crypto::Errc::bad_padding},
      {"bad_wrong_key", crypto::Errc::bad_padding},
      {"bad_last_block_flip", crypto::Errc::bad_padding},
      {"bad_raw", Errc::unknown_container},
      {"bad_magic_VZb", Errc::unknown_container},
      {"bad_magic_VZd", Errc::delta_container},
      {"bad_magic_lower", Errc::unknown_container},
      {"bad_pk_empty_archive", Errc::unknown_container},
      {"bad_vza_too_short", Errc::container_too_short},
      {"bad_vsza_too_short", Errc::container_too_short},
      {"bad_pk_too_short", Errc::bad_zip},
      {"bad_vza_footer", Errc::bad_footer},
      {"bad_vza_size_plus", Errc::size_mismatch},
      {"bad_vza_size_max", Errc::size_mismatch},
      {"bad_vza_size_2g", Errc::size_mismatch},
      {"bad_vza_size_zero", Errc::size_mismatch},
      {"bad_vsza_size_plus", Errc::size_mismatch},
      {"bad_vsza_size_max", Errc::size_mismatch},
      {"bad_manifest_size", Errc::size_mismatch},
      {"bad_manifest_size_huge", Errc::too_large},
      {"bad_compressed_length", Errc::length_mismatch},
      {"bad_lzma_props", Errc::decompress_failed},
      {"bad_lzma_empty", Errc::decompress_failed},
      {"bad_lzma_early_end", Errc::decompress_failed},
      {"bad_zstd_truncated", Errc::decompress_failed},
      {"bad_zstd_empty", Errc::decompress_failed},
      {"bad_zstd_magic", Errc::decompress_failed},
      {"bomb_zstd_declared", Errc::size_mismatch},
      {"bomb_zstd_undeclared", Errc::size_mismatch},
      {"bomb_zstd_window", Errc::decompress_failed},
      {"bomb_zip_honest", Errc::too_large},
      {"bad_zip_size_plus", Errc::size_mismatch},
      {"bad_zip_crc", Errc::crc_mismatch},
      {"bad_zip_truncated_data", Errc::decompress_failed},
      {"bad_zip_csize_past_end", Errc::bad_zip},
      {"bad_zip_no_end_record", Errc::bad_zip},
      {"bad_zip_no_central_dir", Errc::bad_zip},
      {"bad_zip_two_entries", Errc::bad_zip},
      {"bad_zip_encrypted_flag", Errc::bad_zip},
      {"bad_vza_crc", Errc::crc_mismatch},
      {"bad_adler", Errc::adler_mismatch},
      {"bad_adler_seed1", Errc::adler_mismatch},
      // Either outcome is allowed: ours.
      {"vsza_two_frames", Errc::size_mismatch},
      {"vza_junk_before_footer", {}},
      {"vza_dict_4gib", {}},
      {"vsza_reserved_nonzero", {}},
      {"pk_prefix_junk_after_end", Errc::bad_zip},
  };
  const auto file = nlohmann::json::parse(test::read_file(test::data("content/chunks.json")));
  for (const auto& [name, error] : rows) {
    const auto& cases = file.at("cases");
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [&wanted = name](const auto& row) { return row.at("name") == wanted; });
    ASSERT_NE(found, cases.end()) << name;
    ChunkSpec spec;
    spec.size = found->at("cb_original");
    spec.compressed_size = found->at("cb_compressed").get<std::uint32_t>();
    spec.checksum = found->at("checksum").get<std::uint32_t>();
    spec.id = ChunkId::parse(found->at("chunk_id").get<std::string>()).value();
    auto body = test::read_file(test::data("content/" + found->at("file").get<std::string>()));
    const auto key = test::hex(found->at("key"));
    ChunkDecoder decoder(std::span<const std::uint8_t, 32>{key});
    std::vector<std::uint8_t> plain(std::min(spec.size, max_chunk_size));
    const auto result = decoder.decode(body, spec, plain);
    const auto got = result ? std::error_code() : result.error();
    EXPECT_EQ(got, error) << name << ": " << got.message();
  }
}

}  // namespace
}  // namespace corliss::content
