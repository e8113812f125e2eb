#include "vectors/messages.h"

#include <corliss/base/hex.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/proto/gc_message.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>
#include <corliss/proto/struct_messages.h>

#include <memory>
#include <optional>

#include <google/protobuf/message.h>
#include <nlohmann/json.hpp>

namespace corliss::vectors {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using nlohmann::json;
using proto::EMsg;
using proto::HeaderKind;

/// What is wrong with a case, or nothing.
using Why = std::optional<std::string>;

/// The class of a message's body. Where this project has none, one without fields: then every field is
/// unknown, and must come out as it came in.
std::unique_ptr<Message> body_of(EMsg emsg) {
  using namespace proto;
  switch (emsg) {
    case EMsg::Multi:
      return std::make_unique<CMsgMulti>();
    case emsg_of<CMsgClientHello>:
      return std::make_unique<CMsgClientHello>();
    case emsg_of<CMsgClientHeartBeat>:
      return std::make_unique<CMsgClientHeartBeat>();
    case emsg_of<CMsgClientLogon>:
      return std::make_unique<CMsgClientLogon>();
    case emsg_of<CMsgClientLogonResponse>:
      return std::make_unique<CMsgClientLogonResponse>();
    case emsg_of<CMsgClientLoggedOff>:
      return std::make_unique<CMsgClientLoggedOff>();
    case EMsg::ClientToGC:
    case EMsg::ClientFromGC:
      return std::make_unique<CMsgGCClient>();
    default:
      return std::make_unique<CMsgClientLogOff>();
  }
}

/// A field as text, found by its name or by a path with dots; nothing where the message has no such field
/// set.
std::optional<std::string> field_text(const Message& message, const std::string& path) {
  const auto dot = path.find('.');
  const auto* const field = message.GetDescriptor()->FindFieldByName(path.substr(0, dot));
  const auto* const reflection = message.GetReflection();
  if (field == nullptr || field->is_repeated() || !reflection->HasField(message, field)) {
    return std::nullopt;
  }
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return dot == std::string::npos
                 ? std::nullopt
                 : field_text(reflection->GetMessage(message, field), path.substr(dot + 1));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->GetString(message, field);
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(reflection->GetInt32(message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(reflection->GetUInt32(message, field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(reflection->GetUInt64(message, field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, field) ? "true" : "false";
    default:
      return std::nullopt;
  }
}

/// The fields of the structures, under Valve's names.
json struct_fields(const proto::MessageView& message) {
  json out{{"targetJobID", to_string(message.target_job())},
           {"sourceJobID", to_string(message.source_job())}};
  if (const auto body = proto::MsgClientServerUnavailable::parse(message.body());
      message.emsg() == EMsg::ClientServerUnavailable && body) {
    out["jobidSent"] = to_string(body->job_id_sent);
    out["eMsgSent"] = static_cast<std::uint32_t>(body->emsg_sent);
    out["eServerTypeUnavailable"] = body->server_type_unavailable;
  }
  if (const auto body = proto::MsgClientLogOnResponse::parse(message.body());
      message.emsg() == EMsg::ClientLogOnResponse && body) {
    out["result"] = static_cast<std::int32_t>(body->result);
  }
  if (const auto body = proto::MsgClientLoggedOff::parse(message.body());
      message.emsg() == EMsg::ClientLoggedOff && body) {
    out["result"] = static_cast<std::int32_t>(body->result);
  }
  return out;
}

std::string text_of_json(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Why check_fields(const json& fields, const proto::MessageView& message, const Message& body) {
  const json structure = struct_fields(message);
  for (const auto& [name, value] : fields.items()) {
    std::optional<std::string> found;
    if (!message.is_protobuf()) {
      found = structure.contains(name) ? std::optional(text_of_json(structure.at(name))) : std::nullopt;
    } else {
      found = field_text(message.protobuf_header(), name);
      found = found ? found : field_text(body, name);
    }
    if (found != text_of_json(value)) {
      return name + " is " + found.value_or("absent") + ", expected " + text_of_json(value);
    }
  }
  return {};
}

/// Writes what was read again, from its fields.
Why check_written(const proto::MessageView& message, const Message& body, ConstBytes packet) {
  std::vector<std::uint8_t> out(packet.size());
  const auto written = [&]() -> Result<Bytes> {
    switch (message.kind()) {
      case HeaderKind::MsgHdr:
        return write_message(message.emsg(), proto::MsgHdr{message.target_job(), message.source_job()},
                             message.body(), out);
      case HeaderKind::ExtendedClientMsgHdr:
        return write_message(message.emsg(), *message.extended_header(), message.body(), out);
      case HeaderKind::MsgHdrProtoBuf:
        break;
    }
    return write_message(message.emsg(), message.protobuf_header(), body, out);
  }();
  if (!written) {
    return "cannot be written: " + written.error().message();
  }
  if (!std::equal(written->begin(), written->end(), packet.begin(), packet.end())) {
    return "written as " + to_hex(*written);
  }
  return {};
}

Why check_struct_written(const proto::MessageView& message) {
  const auto same = [&](const auto& bytes) {
    return std::equal(bytes.begin(), bytes.end(), message.body().begin(), message.body().end());
  };
  const auto body = message.body();
  if ((message.emsg() == EMsg::ClientServerUnavailable &&
       !same(proto::MsgClientServerUnavailable::parse(body)->bytes())) ||
      (message.emsg() == EMsg::ClientLogOnResponse && body.size() == proto::MsgClientLogOnResponse::size &&
       !same(proto::MsgClientLogOnResponse::parse(body)->bytes()))) {
    return "its structure is written otherwise";
  }
  return {};
}

Why check_contents(const json& contains, ConstBytes packet) {
  proto::MultiReader reader;
  reader.begin(packet);
  std::size_t count = 0;
  for (;;) {
    const auto message = reader.next();
    if (!message) {
      return "message " + std::to_string(count) + " of it: " + message.error().message();
    }
    if (!*message) {
      break;
    }
    proto::MessageView view;
    if (count >= contains.size() || to_hex(**message) != contains.at(count).get<std::string>() ||
        !view.parse(**message)) {
      return "message " + std::to_string(count) + " of it is another";
    }
    ++count;
  }
  return count == contains.size() ? Why() : "it holds " + std::to_string(count) + " messages";
}

Why check_gc(const json& item, const Message& body) {
  const auto& gc = dynamic_cast<const proto::CMsgGCClient&>(body);
  const auto payload = bytes_of(gc.payload());
  if (to_hex(payload) != item.at("gc_payload").get<std::string>()) {
    return "payload is " + to_hex(payload);
  }
  const auto parts = proto::split_gc_payload(gc.msgtype(), payload);
  if (!parts) {
    return "payload: " + parts.error().message();
  }
  auto again = gc;
  again.clear_payload();
  if (parts->is_protobuf) {
    proto::CMsgProtoBufHeader header;
    if (!header.ParseFromArray(parts->header.data(), static_cast<int>(parts->header.size()))) {
      return "header of the payload";
    }
    set_gc_payload(again, parts->message, header, parts->body);
  } else {
    set_gc_payload(again, parts->message, proto::MsgGCHdr{parts->target_job, parts->source_job}, parts->body);
  }
  return again.SerializeAsString() == gc.SerializeAsString() ? Why() : "payload is written otherwise";
}

Why check_message(const json& item) {
  const auto packet = bytes_of_hex(item.at("bytes"));
  proto::MessageView message;
  if (const auto parsed = message.parse(packet); !parsed) {
    return "refused: " + parsed.error().message();
  }
  if (static_cast<std::uint32_t>(message.emsg()) != item.at("emsg").get<std::uint32_t>()) {
    return "EMsg is " + to_string(message.emsg());
  }
  const auto kind = item.at("kind").get<std::string>();
  const auto expected = kind == "msghdr" ? HeaderKind::MsgHdr
                        : kind == "ext"  ? HeaderKind::ExtendedClientMsgHdr
                                         : HeaderKind::MsgHdrProtoBuf;
  if (message.kind() != expected) {
    return "another header kind than " + kind;
  }
  if (item.contains("header_length") &&
      packet.size() - 8 - message.body().size() != item.at("header_length").get<std::size_t>()) {
    return "header length";
  }
  if (item.contains("body") && to_hex(message.body()) != item.at("body").get<std::string>()) {
    return "body is " + to_hex(message.body());
  }
  const auto body = body_of(message.emsg());
  if (message.is_protobuf() && !message.read_body(*body)) {
    return "body refused";
  }
  Why why = check_fields(item.value("fields", json::object()), message, *body);
  why = why ? why : check_written(message, *body, packet);
  why = why ? why : check_struct_written(message);
  if (!why && item.contains("size_unzipped")) {
    why = check_fields({{"size_unzipped", item.at("size_unzipped")}}, message, *body);
  }
  if (!why && item.contains("contains")) {
    why = check_contents(item.at("contains"), packet);
  }
  if (!why && item.contains("gc_payload")) {
    why = check_gc(item, *body);
  }
  return why;
}

/// Whether anything in the packet is refused, its header and those of all messages within.
Why check_refused(const json& item) {
  const auto packet = bytes_of_hex(item.at("bytes"));
  proto::MessageView message;
  if (message.parse(packet)) {
    proto::MultiReader reader;
    reader.begin(packet);
    for (;;) {
      const auto next = reader.next();
      if (!next || (*next && !message.parse(**next))) {
        return {};
      }
      if (!*next) {
        break;
      }
    }
    const auto header = message.extended_header();
    if (header && header->canary != proto::ExtendedClientMsgHdr::right_canary) {
      return {};
    }
    return "accepted";
  }
  return {};
}

}  // namespace

Report check_messages(const std::filesystem::path& path) {
  const json file = load_json(path);
  Report report;
  const auto each = [&](const char* array, auto run) {
    for (const auto& item : file.at(array)) {
      const Why why = run(item);
      report.expect(!why, item.at("name").get<std::string>(), why.value_or(""));
    }
  };
  each("messages", check_message);
  each("malformed", check_refused);
  return report;
}

}  // namespace corliss::vectors
