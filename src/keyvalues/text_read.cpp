#include "keyvalues/include.h"
#include "keyvalues/place.h"
#include "keyvalues/store.h"
#include "keyvalues/text_core.h"
#include "keyvalues/utf16.h"

#include <corliss/keyvalues/text.h>

#include <array>
#include <utility>

namespace corliss::keyvalues {
namespace {

using detail::Store;
using detail::Token;
using detail::TokenConditions;

class TreeSink {
 public:
  TreeSink(Store& store, std::vector<detail::DirectiveLine>* directives)
      : store_(store), begin_(store.source.data()), directives_(directives) {}

  Next block(const Token& name, const TokenConditions& conditions) {
    keep(conditions);
    if (name.escaped) {
      const std::size_t at = put_unescaped(name);
      store_.add_block(static_cast<std::uint32_t>(at), store_.side.size() - at, true);
    } else {
      store_.add_block(position(name), name.size, false);
    }
    return Next::go_on;
  }

  Next leaf(const Token& name, const Token& value, const TokenConditions& conditions) {
    keep(conditions);
    if (!name.escaped && !value.escaped) [[likely]] {
      store_.add_leaf(Type::string, position(name), name.size,
                      static_cast<std::size_t>(value.begin - name.begin) - name.size, value.size);
      return Next::go_on;
    }
    detail::Wide wide{position(name), static_cast<std::uint32_t>(name.size), position(value),
                      static_cast<std::uint32_t>(value.size)};
    if (name.escaped) {
      const std::size_t at = put_unescaped(name);
      wide.name_pos = static_cast<std::uint32_t>(at);
      wide.name_size = static_cast<std::uint32_t>(store_.side.size() - at);
    }
    if (value.escaped) {
      const std::size_t at = put_unescaped(value);
      wide.value_pos = static_cast<std::uint32_t>(at);
      wide.value_size = static_cast<std::uint32_t>(store_.side.size() - at);
    }
    store_.add_wide(Type::string, wide, name.escaped, value.escaped);
    return Next::go_on;
  }

  Next end() {
    store_.end_block();
    return Next::go_on;
  }

  Result<void> directive(Directive directive, std::string_view file) {
    if (directives_ == nullptr) {
      return fail(Errc::directive);
    }
    directives_->push_back({directive, std::string(file)});
    return {};
  }

 private:
  [[nodiscard]] std::uint32_t position(const Token& token) const noexcept {
    return static_cast<std::uint32_t>(token.begin - begin_);
  }
  std::size_t put_unescaped(const Token& token) {
    const std::size_t at = store_.side.size();
    detail::append_unescaped(token.view(), store_.side);
    return at;
  }
  void keep(const TokenConditions& conditions) {
    for (const bool after_value : {false, true}) {
      const Token& condition = after_value ? conditions.after_value : conditions.after_name;
      if (condition.begin != nullptr) [[unlikely]] {
        store_.add_condition(position(condition), condition.size, after_value);
      }
    }
  }

  Store& store_;
  const std::uint8_t* begin_;
  std::vector<detail::DirectiveLine>* directives_;
};

Result<void> refuse(Store& store, std::error_code error) {
  store.reset({});
  return tl::unexpected(error);
}

}  // namespace

namespace detail {

Result<void> read_one_text(Tree& tree, ConstBytes input, const TextOptions& options, ErrorPlace* place,
                           std::vector<DirectiveLine>* directives) {
  Store& store = tree.store();
  if (store.owned.empty() || store.owned.data() != input.data()) {
    store.reset(input);
  } else {
    auto owned = std::move(store.owned);  // read_text_owned put its input there
    store.reset(input);
    store.owned = std::move(owned);
  }
  if (place != nullptr) {
    *place = {{0, 1, 1}, std::nullopt, {}};
  }
  if (input.size() > std::min(options.limits.max_size, max_tree_input)) {
    return refuse(store, Errc::too_large);
  }
  const Mark mark = find_mark(input);
  ConstBytes text = input.subspan(mark.size);
  const bool utf16 = mark.encoding != Encoding::utf8;
  if (utf16) {
    std::string converted;
    Utf16Decoder decoder(mark.encoding == Encoding::utf16_be);
    decoder.decode(text, converted);
    if (!decoder.finish(converted)) {
      if (place != nullptr) {
        place->at = PlaceTracker(mark.size, true).after(bytes_of(converted)).place();
      }
      return refuse(store, Errc::bad_encoding);
    }
    if (converted.size() > max_tree_input) {
      return refuse(store, Errc::too_large);
    }
    const auto bytes = bytes_of(converted);
    store.owned.assign(bytes.begin(), bytes.end());
    text = store.owned;
  }
  // Product info text ends with a NUL.
  while (!text.empty() && text.back() == 0) {
    text = text.first(text.size() - 1);
  }
  store.source = text;

  TreeSink sink(store, directives);
  TextCore<TreeSink> core(sink, options);
  if (core.run(text.data(), text.data() + text.size(), 0, true) == TextCore<TreeSink>::Status::failed) {
    if (place != nullptr) {
      const PlaceTracker start(mark.size, utf16);
      const auto offset = static_cast<std::size_t>(core.error_at() - text.data());
      place->at = start.after(text.first(offset)).place();
      if (core.error() == Errc::unexpected_end && !core.open_blocks().empty()) {
        place->opened = start.after(text.first(static_cast<std::size_t>(core.open_blocks().back()))).place();
      }
    }
    return refuse(store, core.error());
  }
  store.consumed = input.size();
  return {};
}

}  // namespace detail

Result<void> read_text_into(Tree& tree, ConstBytes input, const TextOptions& options, ErrorPlace* place) {
  if (options.resolver) {
    return detail::read_with_includes(tree, input, options, place);
  }
  return detail::read_one_text(tree, input, options, place, nullptr);
}

Result<Tree> read_text(ConstBytes input, const TextOptions& options, ErrorPlace* place) {
  Tree tree;
  CORLISS_CHECK(read_text_into(tree, input, options, place));
  return tree;
}

Result<Tree> read_text_owned(std::vector<std::uint8_t> input, const TextOptions& options, ErrorPlace* place) {
  Tree tree;
  auto& store = tree.store();
  store.owned = std::move(input);
  CORLISS_CHECK(read_text_into(tree, store.owned, options, place));
  return tree;
}

}  // namespace corliss::keyvalues
