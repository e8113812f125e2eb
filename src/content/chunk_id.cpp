#include <corliss/base/hex.h>
#include <corliss/content/chunk_id.h>

namespace corliss::content {

Result<ChunkId> ChunkId::parse(std::string_view text) noexcept {
  ChunkId id;
  if (text.size() != 2 * size) {
    return fail(BaseErrc::bad_hex);
  }
  CORLISS_CHECK(from_hex(text, id.bytes_));
  return id;
}

std::string to_string(const ChunkId& id) {
  return to_hex(id.bytes());
}

}  // namespace corliss::content
