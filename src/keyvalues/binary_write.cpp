#include "keyvalues/binary_core.h"
#include "keyvalues/crc32.h"

#include <corliss/base/endian.h>
#include <corliss/keyvalues/binary.h>

#include <algorithm>
#include <array>

namespace corliss::keyvalues {
namespace {

void append(std::vector<std::uint8_t>& out, std::string_view text) {
  const auto bytes = bytes_of(text);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

bool BinaryWriter::put(Type type, std::string_view name) {
  if (error_) {
    return false;
  }
  if (name.find('\0') != std::string_view::npos) {
    error_ = Errc::nul;
    return false;
  }
  out_->push_back(static_cast<std::uint8_t>(type));
  append(*out_, name);
  out_->push_back(0);
  return true;
}

Next BinaryWriter::on_block(std::string_view name, const NodeConditions&) {
  if (!put(Type::block, name)) {
    return Next::stop;
  }
  ++depth_;
  return Next::go_on;
}

Next BinaryWriter::on_leaf(std::string_view name, const Value& value, const NodeConditions&) {
  if (!error_ && value.string().find('\0') != std::string_view::npos) {
    error_ = Errc::nul;
  }
  if (!put(value.type(), name)) {
    return Next::stop;
  }
  if (value.type() == Type::string) {
    append(*out_, value.string());
    out_->push_back(0);
  } else {
    std::array<std::uint8_t, 8> bits{};
    store_le(bits.data(), value.bits());
    const std::size_t size = detail::fixed_size[static_cast<std::size_t>(value.type())];
    out_->insert(out_->end(), bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return Next::go_on;
}

Next BinaryWriter::on_end() {
  if (!error_ && depth_ == 0) {
    error_ = Errc::unbalanced;
  }
  if (error_) {
    return Next::stop;
  }
  --depth_;
  out_->push_back(static_cast<std::uint8_t>(end_));
  return Next::go_on;
}

Result<void> BinaryWriter::finish() {
  if (!error_ && depth_ != 0) {
    error_ = Errc::unbalanced;
  }
  if (error_) {
    return tl::unexpected(error_);
  }
  out_->push_back(static_cast<std::uint8_t>(end_));
  return {};
}

Result<std::vector<std::uint8_t>> write_binary(Node node, EndMarker end) {
  std::vector<std::uint8_t> out;
  BinaryWriter writer(out, end);
  walk(node, writer);
  CORLISS_CHECK(writer.finish());
  return out;
}

Result<std::vector<std::uint8_t>> write_binary(const Tree& tree, EndMarker end) {
  std::vector<std::uint8_t> out;
  BinaryWriter writer(out, end);
  walk(tree, writer);
  CORLISS_CHECK(writer.finish());
  return out;
}

Result<std::vector<std::uint8_t>> write_vbkv(Node node) {
  CORLISS_TRY(const auto list, write_binary(node, EndMarker::alternate));
  std::vector<std::uint8_t> out;
  append(out, vbkv_magic);
  out.resize(out.size() + 4);
  store_le(out.data() + vbkv_magic.size(), detail::crc32(list));
  out.insert(out.end(), list.begin(), list.end());
  return out;
}

}  // namespace corliss::keyvalues
