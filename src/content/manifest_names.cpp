#include "content/base64.h"
#include "content/manifest_data.h"
#include "content/text_order.h"

#include <corliss/base/endian.h>

#include <algorithm>
#include <array>

namespace corliss::content {
namespace detail {
namespace {

constexpr std::size_t block_size = 16;
/// The longest encrypted name: IV, name, NUL and padding.
constexpr std::size_t max_sealed_size = crypto::DepotCipher::sealed_size(max_path_size + 1);

/// All names of a manifest decrypted together: one AES call for all of them. Empty link targets stay empty.
class NameDecryptor {
 public:
  explicit NameDecryptor(std::string_view names) noexcept : names_(names) {}

  /// Decodes one text. Where it is bad, nothing is added.
  [[nodiscard]] bool add(Slice text) {
    if (sealed_.size() < used_ + text.size + block_size) {
      sealed_.resize(std::max<std::size_t>(2 * sealed_.size(), used_ + text.size + block_size));
    }
    const auto size = decode_base64(text_at(names_, text), sealed_.data() + used_);
    if (!size || *size < 2 * block_size || *size % block_size != 0 || *size > max_sealed_size) {
      return false;
    }
    used_ += *size;
    return true;
  }

  [[nodiscard]] Result<void> decrypt(crypto::DepotCipher& cipher) {
    sealed_.resize(used_);
    blocks_.resize(used_);
    return cipher.decrypt_blocks(sealed_, blocks_);
  }

  /// The plain text of the next one in the order of `add`, appended to `out`; nothing where it is bad.
  /// `sealed_size` is what its base64 decoded to.
  [[nodiscard]] std::optional<Slice> take(std::size_t sealed_size, std::string& out) {
    std::uint8_t* const plain = blocks_.data() + at_;
    const std::uint8_t* const sealed = sealed_.data() + at_;
    at_ += sealed_size;
    // CBC: the first block under the IV, which is the decrypted block in front of it; the others under the
    // sealed ones.
    exclusive_or(plain + block_size, plain);
    for (std::size_t block = 2 * block_size; block < sealed_size; block += block_size) {
      exclusive_or(plain + block, sealed + block - block_size);
    }
    std::string_view text = text_of({plain + block_size, sealed_size - block_size});
    const auto padding = static_cast<std::uint8_t>(text.back());
    if (padding < 1 || padding > block_size ||
        text.find_last_not_of(text.back()) + 1 > text.size() - padding) {
      return std::nullopt;
    }
    text.remove_suffix(padding);
    if (!text.empty() && text.back() == '\0') {
      text.remove_suffix(1);
    }
    if (text.empty() || text.find('\0') != std::string_view::npos) {
      return std::nullopt;
    }
    const Slice slice{static_cast<std::uint32_t>(out.size()), static_cast<std::uint32_t>(text.size())};
    out += text;
    return slice;
  }

  [[nodiscard]] std::size_t used() const noexcept { return used_; }

 private:
  static void exclusive_or(std::uint8_t* block, const std::uint8_t* with) noexcept {
    for (std::size_t half = 0; half < block_size; half += 8) {
      store_le(block + half, load_le<std::uint64_t>(block + half) ^ load_le<std::uint64_t>(with + half));
    }
  }

  std::string_view names_;
  std::vector<std::uint8_t> sealed_;
  std::vector<std::uint8_t> blocks_;
  std::size_t used_ = 0;
  std::size_t at_ = 0;
};

/// Case folded, then the text itself to break ties; no name has a NUL.
std::vector<std::uint32_t> name_order(std::span<const FileRecord> files, std::string_view names) {
  std::string keys;
  keys.reserve(2 * names.size() + files.size());
  std::vector<Slice> slices;
  slices.reserve(files.size());
  for (const auto& file : files) {
    const auto name = text_at(names, file.name);
    const auto at = keys.size();
    keys += name;
    std::transform(keys.begin() + static_cast<std::ptrdiff_t>(at), keys.end(),
                   keys.begin() + static_cast<std::ptrdiff_t>(at),
                   [](char c) { return static_cast<char>(c | (c >= 'A' && c <= 'Z' ? 0x20 : 0)); });
    keys += '\0';
    keys += name;
    slices.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(keys.size() - at)});
  }
  return text_order(keys, slices);
}

}  // namespace

void ManifestSteps::reorder(Data& data, std::span<const std::uint32_t> order) {
  std::vector<FileRecord> files;
  files.reserve(order.size());
  for (const auto index : order) {
    files.push_back(data.files[index]);
  }
  data.files = std::move(files);
}

void ManifestSteps::normalise_names(std::vector<FileRecord>& files, std::string& names) {
  for (const auto& file : files) {
    const auto begin = names.begin() + file.name.at;
    std::replace(begin, begin + file.name.size, '/', '\\');
  }
}

}  // namespace detail

Result<void> Manifest::decrypt_names(crypto::DepotCipher& cipher, const std::optional<PathRules>& rules,
                                     ManifestFault* fault) {
  if (!data_->info.names_encrypted) {
    return {};
  }
  auto files = data_->files;
  const auto refuse = [fault](const detail::FileRecord& file) {
    detail::note_fault(fault, 0, file.ordinal);
    return fail(Errc::bad_encrypted_name);
  };
  detail::NameDecryptor decryptor(data_->names);
  std::vector<std::uint16_t> sizes;  // of name and link target in turn, 0 where there is none
  sizes.reserve(2 * files.size());
  for (const auto& file : files) {
    for (const auto& text : {file.name, file.link_target}) {
      const auto before = decryptor.used();
      const bool absent = text.size == 0 && sizes.size() % 2 == 1;
      if (!absent && !decryptor.add(text)) {
        return refuse(file);
      }
      sizes.push_back(static_cast<std::uint16_t>(decryptor.used() - before));
    }
  }
  CORLISS_CHECK(decryptor.decrypt(cipher));

  std::string names;
  names.reserve(decryptor.used());
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto& file = files[i];
    const auto name = decryptor.take(sizes[2 * i], names);
    const auto link_target =
        sizes[2 * i + 1] != 0 ? decryptor.take(sizes[2 * i + 1], names) : detail::Slice();
    if (!name || !link_target) {
      return refuse(file);
    }
    file.name = *name;
    file.link_target = *link_target;
    file.verdict = PathVerdict::unchecked;
  }
  detail::ManifestSteps::normalise_names(files, names);
  if (rules && detail::ManifestSteps::judge_paths(files, names, *rules) != 0) {
    return detail::ManifestSteps::first_refusal(files, fault);
  }
  const auto order = detail::name_order(files, names);

  data_->files = std::move(files);
  data_->names = std::move(names);
  data_->rules = rules;
  data_->info.names_encrypted = false;
  data_->changed = true;
  detail::ManifestSteps::reorder(*data_, order);
  return {};
}

Result<void> Manifest::encrypt_names(crypto::DepotCipher& cipher, Rng& rng) {
  if (data_->info.names_encrypted) {
    return {};
  }
  auto files = data_->files;
  std::string names;
  std::vector<detail::Slice> slices;
  const auto encrypt = [&](detail::Slice& text) -> Result<void> {
    std::vector<std::uint8_t> plain(text.size + std::size_t{1});  // with its NUL
    const auto name = detail::text_at(data_->names, text);
    std::copy(name.begin(), name.end(), plain.begin());
    std::array<std::uint8_t, crypto::depot_iv_size> iv{};
    CORLISS_CHECK(rng.fill(iv));
    std::vector<std::uint8_t> sealed(crypto::DepotCipher::sealed_size(plain.size()));
    CORLISS_CHECK(cipher.seal(plain, iv, sealed));
    const auto lines = detail::encode_base64_lines(sealed);
    text = {static_cast<std::uint32_t>(names.size()), static_cast<std::uint32_t>(lines.size())};
    names += lines;
    return {};
  };
  for (auto& file : files) {
    CORLISS_CHECK(encrypt(file.name));
    slices.push_back(file.name);
    if (file.link_target.size != 0) {
      CORLISS_CHECK(encrypt(file.link_target));
    }
    file.verdict = PathVerdict::unchecked;
  }
  const auto order = detail::text_order(names, slices);

  data_->files = std::move(files);
  data_->names = std::move(names);
  data_->rules.reset();
  data_->info.names_encrypted = true;
  data_->changed = true;
  detail::ManifestSteps::reorder(*data_, order);
  return {};
}

}  // namespace corliss::content
