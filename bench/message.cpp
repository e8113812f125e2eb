#include "bench/message.h"

#include <corliss/base/writer.h>

#include <string>
#include <string_view>

namespace corliss::bench {
namespace {

constexpr std::uint32_t emsg_product_info_response = 8904;
constexpr std::uint32_t protobuf_flag = 0x80000000;
constexpr std::uint32_t app_id = 2987450;

void varint(Writer& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.u8(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.u8(static_cast<std::uint8_t>(value));
}

void varint_field(Writer& out, std::uint32_t field, std::uint64_t value) {
  varint(out, field << 3);
  varint(out, value);
}

void fixed64_field(Writer& out, std::uint32_t field, std::uint64_t value) {
  varint(out, (field << 3) | 1);
  out.u64(value);
}

void bytes_field(Writer& out, std::uint32_t field, ConstBytes value) {
  varint(out, (field << 3) | 2);
  varint(out, value.size());
  out.bytes(value);
}

/// CMsgProtoBufHeader: steamid 1, client_sessionid 2, jobid_target 11. `slack` bytes longer than the
/// shortest.
std::vector<std::uint8_t> header(std::size_t slack) {
  Writer out;
  fixed64_field(out, 1, 0x0110'0001'0000'0000 + 1234567);
  varint_field(out, 2, std::uint64_t{1883} << (7 * slack));
  fixed64_field(out, 11, 0x0000'1A6B'0000'0007);
  return out.take();
}

/// The text KeyValues of an app, `size` bytes with the zero byte that ends them; the last value takes up the
/// slack.
std::string app_info(std::size_t size) {
  std::string text =
      "\"appinfo\"\n{\n\t\"appid\"\t\t\"2987450\"\n\t\"common\"\n\t{\n\t\t\"name\"\t\t\"Beam Engine "
      "Tycoon\"\n"
      "\t\t\"type\"\t\t\"Game\"\n\t\t\"oslist\"\t\t\"windows,linux\"\n\t\t\"osarch\"\t\t\"64\"\n"
      "\t\t\"ReleaseState\"\t\t\"released\"\n\t\t\"controller_support\"\t\t\"full\"\n\t}\n"
      "\t\"config\"\n\t{\n\t\t\"installdir\"\t\t\"Beam Engine "
      "Tycoon\"\n\t\t\"contenttype\"\t\t\"3\"\n\t}\n\t\"depots\"\n\t{\n";
  const std::string tail_begin = "\t}\n\t\"extended\"\n\t{\n\t\t\"developer\"\t\t\"";
  const std::string tail_end = "\"\n\t}\n}\n";
  for (std::uint32_t depot = 1;; ++depot) {
    const std::string entry =
        "\t\t\"" + std::to_string(app_id + depot) +
        "\"\n\t\t{\n\t\t\t\"manifests\"\n\t\t\t{\n\t\t\t\t\"public\"\n\t\t\t\t{\n\t\t\t\t\t\"gid\"\t\t\"" +
        std::to_string(7203941188256301147ULL + depot * 977ULL) + "\"\n\t\t\t\t\t\"size\"\t\t\"" +
        std::to_string(104857600 + depot * 31337) + "\"\n\t\t\t\t}\n\t\t\t}\n\t\t}\n";
    if (text.size() + entry.size() + tail_begin.size() + tail_end.size() + 1 > size) {
      break;
    }
    text += entry;
  }
  text += tail_begin;
  constexpr std::string_view name = "Newcomen and Daughters, makers of engines. ";
  while (text.size() + tail_end.size() + 1 < size) {
    text += name[text.size() % name.size()];
  }
  text += tail_end;
  text.resize(size, '\0');  // cuts where the message is too small for the text
  text.back() = '\0';
  return text;
}

/// CMsgClientPICSProductInfoResponse: apps 1 { appid 1, change_number 2, missing_token 3, sha 4, buffer 5 }.
std::vector<std::uint8_t> body(std::size_t buffer_size) {
  std::vector<std::uint8_t> sha(20);
  for (std::size_t i = 0; i < sha.size(); ++i) {
    sha[i] = static_cast<std::uint8_t>(i * 67 + 29);
  }
  Writer app;
  varint_field(app, 1, app_id);
  varint_field(app, 2, 26'114'902);
  varint_field(app, 3, 0);
  bytes_field(app, 4, sha);
  bytes_field(app, 5, bytes_of(app_info(buffer_size)));
  Writer out;
  bytes_field(out, 1, app.view());
  return out.take();
}

std::vector<std::uint8_t> message(std::size_t buffer_size, std::size_t slack) {
  const auto head = header(slack);
  Writer out;
  out.u32(emsg_product_info_response | protobuf_flag);
  out.u32(static_cast<std::uint32_t>(head.size()));
  out.bytes(head);
  out.bytes(body(buffer_size));
  return out.take();
}

}  // namespace

std::vector<std::uint8_t> product_info_message(std::size_t size) {
  std::size_t buffer = size > 100 ? size - 100 : 1;
  while (message(buffer + 1, 0).size() <= size) {
    ++buffer;
  }
  // Where a length field of the body grows, one more byte of text is two or three more in all.
  const std::size_t shortest = message(buffer, 0).size();
  auto out = message(buffer, size > shortest ? size - shortest : 0);
  out.resize(size);
  return out;
}

}  // namespace corliss::bench
