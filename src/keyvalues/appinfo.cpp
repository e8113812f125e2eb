#include "keyvalues/binary_tree.h"
#include "keyvalues/scan.h"

#include <corliss/base/reader.h>
#include <corliss/keyvalues/appinfo.h>

#include <algorithm>
#include <utility>

namespace corliss::keyvalues {
namespace {

constexpr std::uint32_t first_version = 39;
constexpr std::uint32_t last_version = 41;
constexpr std::uint32_t table_version = 41;
constexpr std::uint32_t data_sha1_version = 40;
constexpr std::size_t header_size = 8;
// From the field after `size` to the data.
constexpr std::size_t fixed_part(std::uint32_t version) noexcept {
  return version >= data_sha1_version ? 60 : 40;
}

// 36 to 38, with data in sections. Magic numbers from protocol note 13, "appinfo.vdf", history.
bool is_older(std::uint32_t magic) noexcept {
  return magic == 0x06564424 || magic == 0x07564425 || magic == 0x07564426;
}

tl::unexpected<std::error_code> refuse(Errc errc, std::uint64_t offset, ErrorPlace* place) {
  if (place != nullptr) {
    *place = {{offset, 0, 0}, std::nullopt, {}};
  }
  return fail(errc);
}

Result<void> read_table(detail::StringTable& table, ConstBytes file, std::uint64_t offset, std::size_t least,
                        const Limits& limits, ErrorPlace* place) {
  constexpr std::uint64_t offset_field = header_size;
  if (offset < least || offset > file.size() - 4 || file.size() > detail::max_tree_input) {
    return refuse(Errc::bad_string_table, offset_field, place);
  }
  const std::uint8_t* const end = file.data() + file.size();
  const std::uint8_t* p = file.data() + offset;
  const std::uint32_t count = load_le<std::uint32_t>(p);
  p += 4;
  if (count > static_cast<std::uint64_t>(end - p)) {
    return refuse(Errc::bad_string_table, offset, place);
  }
  if (count > limits.max_strings) {
    return refuse(Errc::too_large, offset, place);
  }
  table.file = file.data();
  table.offsets.reserve(std::size_t{count} + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    table.offsets.push_back(static_cast<std::uint32_t>(p - file.data()));
    p = detail::Scan::nul(p, end);
    if (p == end) {
      return refuse(Errc::bad_string_table, table.offsets.back(), place);
    }
    ++p;
  }
  table.offsets.push_back(static_cast<std::uint32_t>(p - file.data()));
  return {};
}

Sha1Bytes sha1_at(const std::uint8_t* from) noexcept {
  Sha1Bytes hash{};
  std::copy_n(from, hash.size(), hash.begin());
  return hash;
}

}  // namespace

AppInfo::AppInfo() noexcept = default;
AppInfo::~AppInfo() = default;
AppInfo::AppInfo(AppInfo&&) noexcept = default;
AppInfo& AppInfo::operator=(AppInfo&&) noexcept = default;

Result<AppInfo> AppInfo::open(ConstBytes file, const Limits& limits, ErrorPlace* place) {
  if (file.size() < 4) {
    return refuse(Errc::bad_magic, 0, place);
  }
  const auto first = load_le<std::uint32_t>(file.data());
  const std::uint32_t version = first & 0xFF;
  if (is_older(first)) {
    return refuse(Errc::unsupported_version, 0, place);
  }
  if ((first & ~0xFFU) != magic || version < first_version || version > last_version) {
    return refuse(Errc::bad_magic, 0, place);
  }
  const std::size_t entries_at = header_size + (version >= table_version ? 8 : 0);
  if (file.size() < entries_at) {
    return refuse(Errc::unexpected_end, file.size(), place);
  }
  AppInfo opened;
  opened.file_ = file;
  opened.entries_ = file;
  opened.limits_ = limits;
  opened.version_ = version;
  opened.universe_ = load_le<std::uint32_t>(file.data() + 4);
  if (version >= table_version) {
    opened.names_ = std::make_unique<detail::StringTable>();
    const auto offset = load_le<std::uint64_t>(file.data() + header_size);
    CORLISS_CHECK(read_table(*opened.names_, file, offset, entries_at, limits, place));
    opened.entries_ = file.first(static_cast<std::size_t>(offset));
  }
  return opened;
}

Result<void> AppInfo::read_into(Tree& tree, const AppInfoEntry& entry, ErrorPlace* place) const {
  BinaryOptions options;
  options.limits = limits_;
  const auto base = static_cast<std::uint64_t>(entry.data.data() - file_.data());
  CORLISS_CHECK(detail::read_binary_tree(tree, entry.data, options, names_.get(), base, place));
  if (tree.consumed() != entry.data.size()) {
    const auto end = base + tree.consumed();
    tree.clear();
    return refuse(Errc::bad_entry_size, end, place);
  }
  return {};
}

Result<Tree> AppInfo::read(const AppInfoEntry& entry, ErrorPlace* place) const {
  Tree tree;
  CORLISS_CHECK(read_into(tree, entry, place));
  return tree;
}

AppInfoCursor::AppInfoCursor(const AppInfo& file) noexcept
    : file_(&file), position_(header_size + (file.version() >= table_version ? 8 : 0)) {}

Result<std::optional<AppInfoEntry>> AppInfoCursor::next(ErrorPlace* place) noexcept {
  constexpr std::size_t id_and_size = 8;
  const ConstBytes bytes = file_->entries_;
  std::uint64_t at = position_.load(std::memory_order_relaxed);
  for (;;) {
    const auto rest = bytes.subspan(static_cast<std::size_t>(at));
    if (rest.size() < 4) {
      return refuse(Errc::missing_end_of_list, at, place);
    }
    AppInfoEntry entry;
    entry.offset = at;
    entry.app_id = load_le<std::uint32_t>(rest.data());
    if (entry.app_id == 0) {
      return std::optional<AppInfoEntry>();
    }
    const std::size_t fixed = fixed_part(file_->version());
    if (rest.size() < id_and_size) {
      return refuse(Errc::bad_entry_size, at, place);
    }
    const std::uint32_t size = load_le<std::uint32_t>(rest.data() + 4);
    if (size < fixed || size > rest.size() - id_and_size) {
      return refuse(Errc::bad_entry_size, at + 4, place);
    }
    // Whoever moves the position on has the entry.
    if (!position_.compare_exchange_weak(at, at + id_and_size + size, std::memory_order_relaxed)) {
      continue;
    }
    const std::uint8_t* const fields = rest.data() + id_and_size;
    entry.info_state = load_le<std::uint32_t>(fields);
    entry.last_updated = UnixTime(std::chrono::seconds(load_le<std::uint32_t>(fields + 4)));
    entry.access_token = load_le<std::uint64_t>(fields + 8);
    entry.text_sha1 = sha1_at(fields + 16);
    entry.change_number = load_le<std::uint32_t>(fields + 36);
    if (file_->version() >= data_sha1_version) {
      entry.data_sha1 = sha1_at(fields + 40);
    }
    entry.data = rest.subspan(id_and_size + fixed, size - fixed);
    return std::optional<AppInfoEntry>(entry);
  }
}

}  // namespace corliss::keyvalues
