#include "keyvalues/kv_support.h"

#include <array>

namespace corliss::keyvalues {
namespace {

std::string random_text(test::TestRng& rng, bool may_be_empty) {
  static constexpr std::array<std::string_view, 16> pieces{"name",     "a",    "Zz",   "\"", "\\",  "\n",
                                                           "\t",       "\r",   "{",    "}",  "[x]", "//",
                                                           "\xC3\xA9", "\xFF", "\x01", " "};
  std::string text;
  const std::size_t kind = rng.between(0, 99);
  if (kind == 0) {
    return std::string(rng.between(200, 20000), 'L');  // beyond what a narrow slot holds
  }
  const std::size_t count = rng.between(may_be_empty ? 0 : 1, 5);
  for (std::size_t i = 0; i < count; ++i) {
    text += pieces[rng.between(0, kind < 30 ? pieces.size() - 1 : 2)];
  }
  return text;
}

}  // namespace

Tree random_tree(test::TestRng& rng, bool typed) {
  TreeBuilder builder;
  builder.block(random_text(rng, false));
  std::size_t depth = 1;
  for (std::size_t left = rng.between(0, 60); left > 0; --left) {
    const std::size_t what = rng.between(0, 9);
    if (what < 2 && depth < 20) {
      builder.block(random_text(rng, typed));
      ++depth;
    } else if (what < 4 && depth > 1) {
      builder.end();
      --depth;
    } else if (typed && what < 7) {
      static constexpr std::array<Type, 6> types{Type::int32, Type::float32, Type::pointer,
                                                 Type::color, Type::uint64,  Type::int64};
      const Type type = types[rng.between(0, types.size() - 1)];
      const std::uint64_t bits =
          (std::uint64_t{rng.between(0, UINT32_MAX)} << 32) | rng.between(0, UINT32_MAX);
      const bool is_wide = type == Type::uint64 || type == Type::int64;
      builder.leaf(random_text(rng, true), Value::of_bits(type, is_wide ? bits : bits & UINT32_MAX));
    } else {
      builder.leaf(random_text(rng, typed), random_text(rng, true));
    }
  }
  for (; depth > 0; --depth) {
    builder.end();
  }
  return *builder.finish();
}

}  // namespace corliss::keyvalues
