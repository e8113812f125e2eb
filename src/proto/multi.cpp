#include <corliss/base/endian.h>
#include <corliss/proto/errc.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>

#include <algorithm>
#include <new>
#include <string>

#include <google/protobuf/io/coded_stream.h>
#include <libdeflate.h>

namespace corliss::proto {
namespace {

constexpr std::size_t length_size = 4;
constexpr std::size_t min_message_size = 4;  // the word

/// A CMsgMulti whose body is a span of the message; the generated class would copy it.
struct MultiBody {
  std::uint32_t size_unzipped = 0;
  ConstBytes message_body;
};

/// A tag or length, of at most 5 bytes, as the library's generated parsers have it.
bool read_varint32(google::protobuf::io::CodedInputStream& in, std::uint64_t& value) {
  constexpr int max_varint32_size = 5;
  const int start = in.CurrentPosition();
  return in.ReadVarint64(&value) && in.CurrentPosition() - start <= max_varint32_size;
}

/// Errors: Errc::bad_body; also for groups, which proto2 could have but no message of Steam has.
Result<MultiBody> read_multi_body(ConstBytes bytes) {
  constexpr unsigned varint = 0;
  constexpr unsigned fixed64 = 1;
  constexpr unsigned length_delimited = 2;
  constexpr unsigned fixed32 = 5;
  if (bytes.size() > max_message_size) {
    return fail(Errc::bad_body);
  }
  google::protobuf::io::CodedInputStream in(bytes.data(), static_cast<int>(bytes.size()));
  MultiBody out;
  while (static_cast<std::size_t>(in.CurrentPosition()) < bytes.size()) {
    std::uint64_t value = 0;
    bool good = read_varint32(in, value);
    const auto tag = static_cast<std::uint32_t>(value);  // they drop the bits above, too
    const auto field = static_cast<int>(tag >> 3);
    good = good && field != 0;
    switch (tag & 7) {
      case varint:
        good = good && in.ReadVarint64(&value);
        if (field == CMsgMulti::kSizeUnzippedFieldNumber) {
          out.size_unzipped = static_cast<std::uint32_t>(value);
        }
        break;
      case fixed64:
        good = good && in.Skip(8);
        break;
      case length_delimited: {
        good = good && read_varint32(in, value);
        const auto at = static_cast<std::size_t>(in.CurrentPosition());
        good = good && value <= bytes.size() - at && in.Skip(static_cast<int>(value));
        if (good && field == CMsgMulti::kMessageBodyFieldNumber) {
          out.message_body = bytes.subspan(at, value);
        }
        break;
      }
      case fixed32:
        good = good && in.Skip(4);
        break;
      default:
        good = false;
    }
    if (!good) {
      return fail(Errc::bad_body);
    }
  }
  return out;
}

constexpr int gzip_level = 6;

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const noexcept { libdeflate_free_compressor(c); }
};

bool is_multi(ConstBytes message) noexcept {
  return load_le<std::uint32_t>(message.data()) == (static_cast<std::uint32_t>(EMsg::Multi) | protobuf_flag);
}

}  // namespace

/// One open Multi: what is left of its body, and the buffer that holds it where it was compressed.
struct MultiReader::Level {
  ConstBytes rest;
  std::unique_ptr<std::uint8_t[]> buffer;
  std::size_t capacity = 0;
};

struct MultiReader::Decompressor {
  struct Free {
    void operator()(libdeflate_decompressor* d) const noexcept { libdeflate_free_decompressor(d); }
  };
  std::unique_ptr<libdeflate_decompressor, Free> handle{libdeflate_alloc_decompressor()};
  MessageView message;
};

MultiReader::MultiReader(const MultiLimits& limits) : limits_(limits) {}
MultiReader::~MultiReader() = default;
MultiReader::MultiReader(MultiReader&&) noexcept = default;
MultiReader& MultiReader::operator=(MultiReader&&) noexcept = default;

void MultiReader::begin(ConstBytes packet) noexcept {
  for (auto& level : levels_) {
    level.rest = {};
    if (level.capacity > limits_.kept_size) {
      level.buffer.reset();
      level.capacity = 0;
    }
  }
  depth_ = 0;
  unpacked_ = 0;
  first_ = packet;
  at_first_ = true;
  error_.clear();
}

Result<std::optional<ConstBytes>> MultiReader::next() {
  if (error_) {
    return fail(error_);
  }
  auto message = advance();
  if (!message) {
    error_ = message.error();
  }
  return message;
}

Result<std::optional<ConstBytes>> MultiReader::advance() {
  for (;;) {
    ConstBytes message;
    if (at_first_) {
      at_first_ = false;
      message = first_;
    } else {
      while (depth_ > 0 && levels_[depth_ - 1].rest.empty()) {
        --depth_;
      }
      if (depth_ == 0) {
        return std::nullopt;
      }
      auto& rest = levels_[depth_ - 1].rest;
      if (rest.size() < length_size) {
        return fail(Errc::multi_bad_part);
      }
      // A negative size is a huge one here.
      const auto size = load_le<std::uint32_t>(rest.data());
      if (size > rest.size() - length_size) {
        return fail(Errc::multi_bad_part);
      }
      message = rest.subspan(length_size, size);
      rest = rest.subspan(length_size + size);
    }
    if (message.size() < min_message_size) {
      return fail(Errc::message_too_short);
    }
    if (!is_multi(message)) {
      return message;
    }
    CORLISS_CHECK(enter(message));
  }
}

Result<void> MultiReader::enter(ConstBytes packet) {
  if (depth_ == limits_.depth) {
    return fail(Errc::multi_too_deep);
  }
  if (!decompressor_) {
    decompressor_ = std::make_unique<Decompressor>();
  }
  CORLISS_CHECK(decompressor_->message.parse(packet));
  CORLISS_TRY(const auto body, read_multi_body(decompressor_->message.body()));
  if (levels_.size() == depth_) {
    levels_.emplace_back();
  }
  auto& level = levels_[depth_];
  level.rest = body.message_body;
  if (body.size_unzipped > 0) {
    CORLISS_TRY(level.rest, unzip(body.message_body, body.size_unzipped, level));
  }
  ++depth_;
  return {};
}

Result<ConstBytes> MultiReader::unzip(ConstBytes zipped, std::size_t size, Level& level) {
  if (size > max_multi_ratio * zipped.size() + max_multi_slack) {
    return fail(Errc::multi_bad_size);
  }
  if (size > limits_.unpacked_size - unpacked_) {
    return fail(Errc::multi_too_large);
  }
  if (!decompressor_->handle) {
    throw std::bad_alloc();
  }
  if (level.capacity < size) {
    level.buffer.reset();
    level.capacity = 0;
    level.buffer = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    level.capacity = size;
  }
  std::size_t taken = 0;
  std::size_t made = 0;
  switch (libdeflate_gzip_decompress_ex(decompressor_->handle.get(), zipped.data(), zipped.size(),
                                        level.buffer.get(), size, &taken, &made)) {
    case LIBDEFLATE_SUCCESS:
      break;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return fail(Errc::multi_bad_size);
    default:
      return fail(Errc::multi_bad_gzip);
  }
  if (made != size) {
    return fail(Errc::multi_bad_size);
  }
  if (taken != zipped.size()) {
    return fail(Errc::multi_bad_gzip);
  }
  unpacked_ += size;
  return ConstBytes(level.buffer.get(), size);
}

Result<std::vector<std::uint8_t>> make_multi(std::span<const ConstBytes> messages, MultiPacking packing) {
  std::size_t size = 0;
  for (const auto& message : messages) {
    if (message.size() > max_message_size || (size += length_size + message.size()) > max_message_size) {
      return fail(Errc::message_too_large);
    }
  }
  std::string plain(size, '\0');
  auto* to = reinterpret_cast<std::uint8_t*>(plain.data());
  for (const auto& message : messages) {
    store_le(to, static_cast<std::uint32_t>(message.size()));
    to = std::copy(message.begin(), message.end(), to + length_size);
  }
  CMsgMulti multi;
  if (packing == MultiPacking::gzip && size > 0) {
    const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
        libdeflate_alloc_compressor(gzip_level));
    if (!compressor) {
      throw std::bad_alloc();
    }
    auto& zipped = *multi.mutable_message_body();
    zipped.resize(libdeflate_gzip_compress_bound(compressor.get(), size));
    zipped.resize(
        libdeflate_gzip_compress(compressor.get(), plain.data(), size, zipped.data(), zipped.size()));
    multi.set_size_unzipped(static_cast<std::uint32_t>(size));
  } else {
    *multi.mutable_message_body() = std::move(plain);
  }
  const CMsgProtoBufHeader header;
  std::vector<std::uint8_t> out(message_size(header, multi));
  CORLISS_CHECK(write_message(EMsg::Multi, header, multi, out));
  return out;
}

}  // namespace corliss::proto
