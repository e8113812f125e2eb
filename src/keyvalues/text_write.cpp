#include "keyvalues/chars.h"

#include <corliss/keyvalues/text.h>

#include <array>

namespace corliss::keyvalues {
namespace {

// What stands behind the backslash for a byte; 0 where it needs none.
constexpr std::array<char, 256> make_escapes() {
  std::array<char, 256> table{};
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}
constexpr std::array<char, 256> escapes = make_escapes();

}  // namespace

Next TextWriter::fail_with(Errc errc) noexcept {
  error_ = errc;
  return Next::stop;
}

bool TextWriter::put_quoted(std::string_view text) {
  std::string& out = *out_;
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 0) {
      error_ = Errc::nul;
      return false;
    }
    if (const char escape = escapes[static_cast<unsigned char>(c)]; escape != 0) {
      out.append(text, plain, i - plain);
      out += '\\';
      out += escape;
      plain = i + 1;
    }
  }
  out.append(text, plain);
  out += '"';
  return true;
}

bool TextWriter::put_condition(std::string_view text) {
  if (text.empty()) {
    return true;
  }
  if (text.find_first_of(std::string_view("]\r\n\"{}\0", 7)) != std::string_view::npos) {
    error_ = Errc::bad_conditional;
    return false;
  }
  *out_ += " [";
  *out_ += text;
  *out_ += ']';
  return true;
}

Next TextWriter::on_block(std::string_view name, const NodeConditions& conditions) {
  if (error_) {
    return Next::stop;
  }
  if (name.empty()) {
    return fail_with(Errc::empty_key);
  }
  if (depth_ == 0 && (detail::same_name(name, "#include") || detail::same_name(name, "#base"))) {
    return fail_with(Errc::directive);
  }
  out_->append(depth_, '\t');
  if (!put_quoted(name) || !put_condition(conditions.after_name)) {
    return Next::stop;
  }
  *out_ += '\n';
  out_->append(depth_, '\t');
  *out_ += "{\n";
  ++depth_;
  return Next::go_on;
}

Next TextWriter::on_leaf(std::string_view name, const Value& value, const NodeConditions& conditions) {
  if (error_) {
    return Next::stop;
  }
  if (depth_ == 0) {
    return fail_with(Errc::leaf_root);
  }
  if (name.empty()) {
    return fail_with(Errc::empty_key);
  }
  out_->append(depth_, '\t');
  if (!put_quoted(name) || !put_condition(conditions.after_name)) {
    return Next::stop;
  }
  *out_ += "\t\t";
  if (value.type() == Type::string) {
    if (!put_quoted(value.string())) {
      return Next::stop;
    }
  } else {
    *out_ += '"';
    value.append_text(*out_);
    *out_ += '"';
  }
  if (!put_condition(conditions.after_value)) {
    return Next::stop;
  }
  *out_ += '\n';
  return Next::go_on;
}

Next TextWriter::on_end() {
  if (error_) {
    return Next::stop;
  }
  if (depth_ == 0) {
    return fail_with(Errc::unbalanced);
  }
  --depth_;
  out_->append(depth_, '\t');
  *out_ += "}\n";
  return Next::go_on;
}

Result<void> TextWriter::on_directive(Directive directive, std::string_view file) {
  if (depth_ != 0) {
    return fail(Errc::unbalanced);
  }
  *out_ += directive == Directive::include ? "#include\t\t" : "#base\t\t";
  if (!put_quoted(file)) {
    return tl::unexpected(error_);
  }
  *out_ += '\n';
  return {};
}

Result<void> TextWriter::finish() const noexcept {
  if (error_) {
    return tl::unexpected(error_);
  }
  if (depth_ != 0) {
    return fail(Errc::unbalanced);
  }
  return {};
}

Result<std::string> write_text(Node node) {
  std::string out;
  TextWriter writer(out);
  walk(node, writer);
  CORLISS_CHECK(writer.finish());
  return out;
}

Result<std::string> write_text(const Tree& tree) {
  std::string out;
  TextWriter writer(out);
  walk(tree, writer);
  CORLISS_CHECK(writer.finish());
  return out;
}

}  // namespace corliss::keyvalues
