#pragma once

#include <corliss/base/fault.h>

#include <system_error>

/// `content`: what a depot is made of: manifests, chunks, deltas, and the rules for the paths in them. Knows
/// no network and no disk; keys and bytes come in as values.
namespace corliss::content {

/// What can go wrong in `content`. Where a chunk fails with Fault::unauthenticated, fetch it again from
/// another server: caches on the way can hold broken objects.
enum class Errc {
  // Containers and chunks.
  length_mismatch = 1,  ///< The body is not as long as the manifest says. Fault::unauthenticated.
  unknown_container,    ///< No known magic after decryption; on the first chunk of a depot, from several
                        ///< servers, it means a wrong depot key. Fault::unauthenticated.
  delta_container,      ///< A delta (VZd, VSZd) where a chunk is expected, or the reverse. Fault::malformed.
  container_too_short,  ///< Shorter than its header and footer. Fault::malformed.
  bad_footer,           ///< The footer magic is missing. Fault::malformed.
  bad_zip,            ///< Not a zip archive with one stored or deflated, unencrypted entry. Fault::malformed.
  size_mismatch,      ///< The plain size is not the expected one. Fault::malformed.
  decompress_failed,  ///< The compressed stream is broken, too short or too long. Fault::malformed.
  lzma_unsupported,   ///< Legal LZMA with lc + lp > 4, which liblzma does not read. Fault::malformed.
  crc_mismatch,       ///< The CRC-32 of a container or of a manifest's payload. Fault::unauthenticated.
  adler_mismatch,     ///< The Adler-32 that the manifest states. Fault::unauthenticated.
  sha1_mismatch,      ///< The SHA-1 is not the chunk's id. Fault::unauthenticated.
  too_large,          ///< A size above its named limit. Fault::limit.
  wrong_buffer,       ///< The caller's output buffer is not exactly as long as the chunk. Fault::local.
  // Manifests.
  unknown_magic,        ///< No manifest, or an unknown section. Fault::malformed.
  missing_section,      ///< Payload, metadata or signature is absent. Fault::malformed.
  bad_protobuf,         ///< A message breaks the wire format. Fault::malformed.
  unsupported_version,  ///< A fixed-layout manifest of a version other than 4. Fault::malformed.
  bad_mapping_size,     ///< Version 4: the entries do not fill the mapping area exactly. Fault::malformed.
  bad_trailer,          ///< Version 4: the closing magic is missing. Fault::malformed.
  bad_hash_size,        ///< A name or content hash that is not 20 bytes. Fault::malformed.
  bad_chunk_id,         ///< A chunk id that is not 20 bytes. Fault::malformed.
  bad_chunk_range,      ///< An empty chunk, one outside its file, or two that overlap. Fault::malformed.
  chunk_disagreement,   ///< One chunk id with two sizes or checksums. Fault::malformed.
  bad_entry,            ///< A folder or link with data, or a link without target. Fault::malformed.
  too_many_entries,     ///< More files or chunks than the named limit. Fault::limit.
  bad_encrypted_name,   ///< A name that does not decrypt; most likely the wrong depot key.
                        ///< Fault::unauthenticated.
  names_encrypted,      ///< Decrypt the names first. Fault::local.
  // Paths.
  paths_unchecked,  ///< `check_paths` has not run on these names. Fault::local.
  unsafe_path,      ///< A name that breaks a rule (its PathVerdict says which). Fault::malformed.
  unsafe_link,      ///< A link target that leaves the folder or breaks a rule. Fault::malformed.
  duplicate_path,   ///< Two entries with one name. Fault::malformed.
  path_conflict,    ///< An entry below a file or below a link. Fault::malformed.
  no_link,          ///< The entry is no link, or its target is not known. Fault::local.
  // Decode pool.
  pool_closed,  ///< The pool was closed or cancelled. Fault::closed.
};

std::error_code make_error_code(Errc errc) noexcept;

}  // namespace corliss::content

template <>
struct std::is_error_code_enum<corliss::content::Errc> : std::true_type {};
