#include "keyvalues/binary_core.h"
#include "keyvalues/binary_tree.h"
#include "keyvalues/crc32.h"
#include "keyvalues/store.h"

#include <corliss/base/endian.h>
#include <corliss/keyvalues/binary.h>

#include <utility>

namespace corliss::keyvalues {
namespace {

class TreeSink {
 public:
  explicit TreeSink(detail::Store& store) noexcept : store_(store), begin_(store.source.data()) {}

  Next block(const std::uint8_t* name, std::size_t name_size) {
    store_.add_block(static_cast<std::uint32_t>(name - begin_), name_size, false);
    return Next::go_on;
  }
  Next leaf(Type type, const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
            std::size_t size) {
    store_.add_leaf(type, static_cast<std::uint32_t>(name - begin_), name_size,
                    static_cast<std::size_t>(value - name) - name_size, size);
    return Next::go_on;
  }
  Next end() {
    store_.end_block();
    return Next::go_on;
  }

 private:
  detail::Store& store_;
  const std::uint8_t* begin_;
};

}  // namespace

namespace detail {

Result<void> read_binary_tree(Tree& tree, ConstBytes input, const BinaryOptions& options,
                              const StringTable* names, std::uint64_t base, ErrorPlace* place) {
  Store& store = tree.store();
  if (store.owned.empty() || store.owned.data() != input.data()) {
    store.reset(input);
  } else {
    auto owned = std::move(store.owned);  // read_binary_owned put its input there
    store.reset(input);
    store.owned = std::move(owned);
  }
  store.names = names;
  const auto refuse = [&](std::error_code error, std::uint64_t offset) -> Result<void> {
    if (place != nullptr) {
      *place = {{base + offset, 0, 0}, std::nullopt, {}};
    }
    store.reset({});
    return tl::unexpected(error);
  };
  // What follows the document is the caller's and may be large, but positions are 32 bits.
  const std::size_t most = std::min(options.limits.max_size, max_tree_input);
  const auto window = input.first(std::min(input.size(), most));
  TreeSink sink(store);
  using Core = BinaryCore<TreeSink>;
  Core core(sink, options.limits, options.all_roots, names != nullptr ? names->size() : Core::no_table);
  static constexpr std::uint8_t nothing = 0;
  const std::uint8_t* const begin = window.empty() ? &nothing : window.data();
  if (core.run(begin, begin + window.size(), 0, true) == Core::Status::failed) {
    const bool cut = window.size() != input.size() &&
                     (core.error() == Errc::unexpected_end || core.error() == Errc::unterminated_string);
    auto refused =
        refuse(cut ? Errc::too_large : core.error(), static_cast<std::uint64_t>(core.error_at() - begin));
    if (place != nullptr && core.error() == Errc::unexpected_end && !cut && !core.open_blocks().empty()) {
      place->opened = Place{base + core.open_blocks().back(), 0, 0};
    }
    return refused;
  }
  store.consumed = static_cast<std::size_t>(core.rest() - begin);
  return {};
}

}  // namespace detail

Result<void> read_binary_into(Tree& tree, ConstBytes input, const BinaryOptions& options, ErrorPlace* place) {
  return detail::read_binary_tree(tree, input, options, nullptr, 0, place);
}

Result<Tree> read_binary(ConstBytes input, const BinaryOptions& options, ErrorPlace* place) {
  Tree tree;
  CORLISS_CHECK(read_binary_into(tree, input, options, place));
  return tree;
}

Result<Tree> read_binary_owned(std::vector<std::uint8_t> input, const BinaryOptions& options,
                               ErrorPlace* place) {
  Tree tree;
  auto& store = tree.store();
  store.owned = std::move(input);
  CORLISS_CHECK(read_binary_into(tree, store.owned, options, place));
  return tree;
}

Result<Tree> read_vbkv(ConstBytes input, const BinaryOptions& options, ErrorPlace* place) {
  constexpr std::size_t header_size = 8;
  if (place != nullptr) {
    *place = {};
  }
  if (input.size() < header_size || text_of(input.first(vbkv_magic.size())) != vbkv_magic) {
    return fail(Errc::bad_magic);
  }
  const auto list = input.subspan(header_size);
  if (list.size() > options.limits.max_size) {
    return fail(Errc::too_large);
  }
  if (load_le<std::uint32_t>(input.data() + vbkv_magic.size()) != detail::crc32(list)) {
    if (place != nullptr) {
      place->at.offset = vbkv_magic.size();
    }
    return fail(Errc::checksum);
  }
  Tree tree;
  CORLISS_CHECK(detail::read_binary_tree(tree, list, options, nullptr, header_size, place));
  if (tree.consumed() != list.size()) {
    if (place != nullptr) {
      place->at.offset = header_size + tree.consumed();
    }
    return fail(Errc::trailing_bytes);
  }
  return tree;
}

}  // namespace corliss::keyvalues
