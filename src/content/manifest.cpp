#include "content/container.h"
#include "content/manifest_data.h"

#include <corliss/base/endian.h>
#include <corliss/crypto/checksum.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace corliss::content {
namespace {

using detail::ManifestSteps;

constexpr std::uint32_t v4_magic = 0x16349781;

/// The bytes inside a wrapper. Uninitialised at first, so that a size that is claimed but not filled costs no
/// memory.
struct Unpacked {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size = 0;
};

Result<Unpacked> unpack(ConstBytes wrapped, const ManifestLimits& limits) {
  if (wrapped.size() > limits.zip_size) {
    return fail(Errc::too_large);
  }
  CORLISS_TRY(const auto container, detail::open_container(wrapped));
  if (container.plain_size > limits.unpacked_size) {
    return fail(Errc::too_large);
  }
  CORLISS_CHECK(detail::check_ratio(container));
  Unpacked out;
  out.size = static_cast<std::size_t>(container.plain_size);
  out.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(out.size);
  detail::Decompressor decompressor;
  CORLISS_CHECK(decompressor.unpack(container, {out.bytes.get(), out.size}));
  if (crypto::crc32({out.bytes.get(), out.size}) != container.crc) {
    return fail(Errc::crc_mismatch);
  }
  return out;
}

}  // namespace

Manifest::Manifest() : data_(std::make_unique<Data>()) {}
Manifest::Manifest(std::unique_ptr<Data> data) noexcept : data_(std::move(data)) {}
Manifest::Manifest(const Manifest& other) : data_(std::make_unique<Data>(*other.data_)) {}
Manifest::Manifest(Manifest&&) noexcept = default;
Manifest& Manifest::operator=(const Manifest& other) {
  if (this != &other) {
    data_ = std::make_unique<Data>(*other.data_);
  }
  return *this;
}
Manifest& Manifest::operator=(Manifest&&) noexcept = default;
Manifest::~Manifest() = default;

Result<Manifest> Manifest::parse(ConstBytes input, const ManifestParseOptions& options) {
  detail::note_fault(options.fault, 0);
  Unpacked unpacked;
  if (detail::has_container_magic(input)) {
    CORLISS_TRY(unpacked, unpack(input, options.limits));
    input = {unpacked.bytes.get(), unpacked.size};
  }
  if (input.size() >
      std::min<std::size_t>(options.limits.unpacked_size, std::numeric_limits<std::uint32_t>::max())) {
    return fail(Errc::too_large);
  }
  auto data = std::make_unique<Data>();
  if (input.size() >= sizeof v4_magic && load_le<std::uint32_t>(input.data()) == v4_magic) {
    CORLISS_CHECK(ManifestSteps::read_v4(input, options, *data));
  } else {
    CORLISS_CHECK(ManifestSteps::read_v5(input, options, *data));
  }
  CORLISS_CHECK(ManifestSteps::check_structure(*data, options.fault));
  if (!data->info.names_encrypted) {
    ManifestSteps::normalise_names(data->files, data->names);
    if (options.rules && ManifestSteps::judge_paths(data->files, data->names, *options.rules) != 0) {
      CORLISS_CHECK(ManifestSteps::first_refusal(data->files, options.fault));
    }
    data->rules = options.rules;
  }
  return Manifest(std::move(data));
}

Result<Manifest> Manifest::make(const ManifestInfo& info, std::span<const NewManifestFile> files,
                                const std::optional<PathRules>& rules) {
  auto data = std::make_unique<Data>();
  data->info.depot = info.depot;
  data->info.id = info.id;
  data->info.created = info.created;
  crypto::Sha1 sha1;
  for (const auto& file : files) {
    detail::FileRecord record;
    record.ordinal = static_cast<std::uint32_t>(data->files.size());
    record.size = file.size;
    record.flags = file.flags;
    record.content_hash = file.content_hash;
    record.name = data->add_name(file.name);
    record.link_target = data->add_name(file.link_target);
    record.first_chunk = static_cast<std::uint32_t>(data->chunks.size());
    record.chunk_count = static_cast<std::uint32_t>(file.chunks.size());
    std::string folded(file.name);
    std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
      return c == '/' ? '\\' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
    });
    sha1.update(bytes_of(folded));
    record.name_hash = sha1.finish();
    data->chunks.insert(data->chunks.end(), file.chunks.begin(), file.chunks.end());
    data->files.push_back(record);
    data->info.total_size += file.size;
    for (const auto& chunk : file.chunks) {
      data->info.total_compressed_size += chunk.compressed_size;
    }
  }
  CORLISS_CHECK(ManifestSteps::check_structure(*data, nullptr));
  data->info.unique_chunks = data->unique_chunks;
  ManifestSteps::normalise_names(data->files, data->names);
  if (rules && ManifestSteps::judge_paths(data->files, data->names, *rules) != 0) {
    CORLISS_CHECK(ManifestSteps::first_refusal(data->files, nullptr));
  }
  data->rules = rules;
  return Manifest(std::move(data));
}

const ManifestInfo& Manifest::info() const noexcept {
  return data_->info;
}

ManifestFormat Manifest::format() const noexcept {
  return data_->format;
}

CrcState Manifest::crc_state() const noexcept {
  return data_->crc_state;
}

bool Manifest::entry_count_fits() const noexcept {
  return data_->entry_count_fits;
}

std::size_t Manifest::file_count() const noexcept {
  return data_->files.size();
}

ManifestFile Manifest::file(std::size_t index) const noexcept {
  const auto& record = data_->files[index];
  ManifestFile file;
  file.stored_name = detail::text_at(data_->names, record.name);
  file.stored_link_target = detail::text_at(data_->names, record.link_target);
  file.size = record.size;
  file.flags = record.flags;
  file.name_hash = record.name_hash;
  file.content_hash = record.has_content_hash ? ConstBytes(record.content_hash) : ConstBytes();
  file.chunks = data_->chunks_of(record);
  file.verdict = record.verdict;
  return file;
}

Result<std::size_t> Manifest::check_paths(const PathRules& rules) {
  if (data_->info.names_encrypted) {
    return fail(Errc::names_encrypted);
  }
  data_->rules = rules;
  return ManifestSteps::judge_paths(data_->files, data_->names, rules);
}

Result<SafePath> Manifest::safe_path(std::size_t index) const {
  if (data_->info.names_encrypted) {
    return fail(Errc::names_encrypted);
  }
  const auto entry = file(index);
  CORLISS_CHECK(to_result(entry.verdict));
  return SafePath::make(entry.stored_name, entry.is_directory(), *data_->rules);
}

Result<SafeLinkTarget> Manifest::safe_link_target(std::size_t index) const {
  CORLISS_TRY(const auto path, safe_path(index));
  const auto entry = file(index);
  if (entry.stored_link_target.empty()) {
    return fail(Errc::no_link);
  }
  return SafeLinkTarget::make(path, entry.stored_link_target, *data_->rules);
}

std::optional<std::size_t> Manifest::find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < data_->files.size(); ++i) {
    if (detail::text_at(data_->names, data_->files[i].name) == name) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace corliss::content
