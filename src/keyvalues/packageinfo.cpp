#include "keyvalues/binary_tree.h"

#include <corliss/base/endian.h>
#include <corliss/keyvalues/packageinfo.h>

#include <algorithm>

namespace corliss::keyvalues {
namespace {

constexpr std::uint32_t first_version = 39;
constexpr std::uint32_t token_version = 40;
constexpr std::size_t header_size = 8;
constexpr std::uint32_t end_of_list = 0xFFFFFFFF;

tl::unexpected<std::error_code> refuse(Errc errc, std::uint64_t offset, ErrorPlace* place) {
  if (place != nullptr) {
    *place = {{offset, 0, 0}, std::nullopt, {}};
  }
  return fail(errc);
}

}  // namespace

Result<PackageInfo> PackageInfo::open(ConstBytes file, const Limits& limits, ErrorPlace* place) {
  if (file.size() < 4) {
    return refuse(Errc::bad_magic, 0, place);
  }
  const auto first = load_le<std::uint32_t>(file.data());
  const std::uint32_t version = first & 0xFF;
  if ((first & ~0xFFU) != magic || version < first_version || version > token_version) {
    return refuse(Errc::bad_magic, 0, place);
  }
  if (file.size() < header_size) {
    return refuse(Errc::unexpected_end, file.size(), place);
  }
  PackageInfo opened;
  opened.file_ = file;
  opened.position_ = header_size;
  opened.limits_ = limits;
  opened.version_ = version;
  opened.universe_ = load_le<std::uint32_t>(file.data() + 4);
  return opened;
}

Result<std::optional<PackageInfoEntry>> PackageInfo::next(Tree& tree, ErrorPlace* place) {
  const std::size_t fixed = 28 + (version_ >= token_version ? 8 : 0);
  const auto rest = file_.subspan(position_);
  tree.clear();
  if (rest.size() < 4) {
    return refuse(Errc::missing_end_of_list, position_, place);
  }
  PackageInfoEntry entry;
  entry.offset = position_;
  entry.package_id = load_le<std::uint32_t>(rest.data());
  if (entry.package_id == end_of_list) {
    return std::optional<PackageInfoEntry>();
  }
  if (rest.size() < fixed) {
    return refuse(Errc::unexpected_end, file_.size(), place);
  }
  std::copy_n(rest.data() + 4, entry.sha1.size(), entry.sha1.begin());
  entry.change_number = load_le<std::uint32_t>(rest.data() + 24);
  if (version_ >= token_version) {
    entry.access_token = load_le<std::uint64_t>(rest.data() + 28);
  }
  BinaryOptions options;
  options.limits = limits_;
  CORLISS_CHECK(
      detail::read_binary_tree(tree, rest.subspan(fixed), options, nullptr, position_ + fixed, place));
  entry.data = rest.subspan(fixed, tree.consumed());
  position_ += fixed + tree.consumed();
  return std::optional<PackageInfoEntry>(entry);
}

Result<Tree> read_package_buffer(ConstBytes buffer, const Limits& limits, ErrorPlace* place) {
  constexpr std::size_t prefix = 4;
  if (buffer.size() < prefix) {
    return refuse(Errc::unexpected_end, buffer.size(), place);
  }
  Tree tree;
  BinaryOptions options;
  options.limits = limits;
  CORLISS_CHECK(detail::read_binary_tree(tree, buffer.subspan(prefix), options, nullptr, prefix, place));
  return tree;
}

}  // namespace corliss::keyvalues
