#include <corliss/content/errc.h>

#include <array>

namespace corliss::content {
namespace {

constexpr std::array<ErrcRow, 36> rows{{
    {"success", Fault::local},
    {"the body is not as long as the manifest says: fetch it again from another server",
     Fault::unauthenticated},
    {"no known container after decryption: the depot key or the data is wrong", Fault::unauthenticated},
    {"a delta and a chunk were confused", Fault::malformed},
    {"shorter than its container's header and footer", Fault::malformed},
    {"the container's footer is missing", Fault::malformed},
    {"not a zip archive with one stored or deflated entry", Fault::malformed},
    {"the plain size is not the expected one", Fault::malformed},
    {"the compressed stream is broken", Fault::malformed},
    {"LZMA with lc + lp above 4, which liblzma does not read", Fault::malformed},
    {"the CRC-32 does not fit", Fault::unauthenticated},
    {"the Adler-32 checksum does not fit", Fault::unauthenticated},
    {"the SHA-1 is not the chunk's id", Fault::unauthenticated},
    {"a size is above its limit", Fault::limit},
    {"the output buffer is not exactly as long as the chunk", Fault::local},
    {"not a depot manifest, or an unknown section in one", Fault::malformed},
    {"the manifest lacks a section", Fault::malformed},
    {"a protobuf message in the manifest is malformed", Fault::malformed},
    {"a manifest of this version is not supported", Fault::malformed},
    {"the entries do not fill the mapping area", Fault::malformed},
    {"the closing magic of the manifest is missing", Fault::malformed},
    {"a name or content hash is not 20 bytes", Fault::malformed},
    {"a chunk id is not 20 bytes", Fault::malformed},
    {"a chunk is empty, outside its file or overlaps another", Fault::malformed},
    {"one chunk id with two sizes or checksums", Fault::malformed},
    {"a folder or link with data, or a link without target", Fault::malformed},
    {"more files or chunks than the limit", Fault::limit},
    {"a file name does not decrypt: most likely the depot key is wrong", Fault::unauthenticated},
    {"the file names are encrypted: decrypt them with the depot key first", Fault::local},
    {"the paths were not checked", Fault::local},
    {"a file name is not safe to use", Fault::malformed},
    {"a link target is not safe to use", Fault::malformed},
    {"two entries have the same path", Fault::malformed},
    {"an entry lies below a file or a link", Fault::malformed},
    {"the entry is no link", Fault::local},
    {"the decode pool is closed", Fault::closed},
}};

}  // namespace

std::error_code make_error_code(Errc errc) noexcept {
  static const ErrcCategory category("corliss.content", rows);
  return {static_cast<int>(errc), category};
}

}  // namespace corliss::content
