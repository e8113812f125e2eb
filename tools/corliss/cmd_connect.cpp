#include "corliss/command.h"
#include "corliss/commands.h"
#include "corliss/key_log.h"

#include <corliss/io/connection.h>
#include <corliss/proto/connection.pb.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/proto/eresult.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>
#include <corliss/proto/steam_id.h>
#include <corliss/proto/struct_messages.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

/// As Steam's clients say it today. Source: SteamKit2 MsgClientLogon.CurrentProtocol.
constexpr std::uint32_t protocol_version = 65580;
constexpr std::uint32_t os_linux = static_cast<std::uint32_t>(-203);  // EOSType.LinuxUnknown

struct ConnectCommand {
  std::string endpoint;
  std::string server_key;
  std::string ca;
  std::string key_log;
  double timeout = 10;
  bool anonymous = false;
  bool json = false;
};

/// One line of what happens, with the time since the start and the bytes moved so far.
class Trace {
 public:
  explicit Trace(bool json) : json_(json) {}

  void add(const std::string& step, const std::string& what, std::uint64_t in, std::uint64_t out) {
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    if (json_) {
      steps_.push_back({{"step", step}, {"ms", ms}, {"bytes_in", in}, {"bytes_out", out}, {"what", what}});
    } else {
      write_out(fmt::format("{:>9.2f} ms {:>8} B in {:>8} B out  {:<10} {}\n", ms, in, out, step, what));
    }
  }
  [[nodiscard]] nlohmann::json take() { return std::move(steps_); }

 private:
  bool json_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  nlohmann::json steps_ = nlohmann::json::array();
};

const char* name_of(io::ConnectStep step) {
  switch (step) {
    case io::ConnectStep::resolved:
      return "resolved";
    case io::ConnectStep::trying:
      return "trying";
    case io::ConnectStep::opened:
      return "opened";
    case io::ConnectStep::encrypted:
      return "tls";
    case io::ConnectStep::connected:
      return "connected";
    case io::ConnectStep::failed:
      return "failed";
  }
  return "";
}

/// Why it ended, in words, with the peer's own number.
std::string describe(std::error_code error, std::int32_t detail) {
  if (error == net::Errc::handshake_refused) {
    const auto result = static_cast<proto::EResult>(detail);
    return fmt::format("{}: EResult {} ({})", error.message(), proto::name_of(result), detail);
  }
  return detail == 0 ? error.message() : fmt::format("{} ({})", error.message(), detail);
}

/// Whatever a peer does wrong, the network is what failed here.
Exit exit_of_network(std::error_code error) {
  const Exit code = exit_of(error);
  return code == Exit::input_refused ? Exit::network : code;
}

[[noreturn]] void give_up(const std::string& endpoint, std::error_code error, std::int32_t detail) {
  throw CommandError(exit_of_network(error), fmt::format("{}: {}", endpoint, describe(error, detail)));
}

template <class Body>
std::vector<std::uint8_t> message_of(const Body& body, proto::SteamId id, std::int32_t session = 0) {
  proto::CMsgProtoBufHeader header;
  header.set_steamid(id.value());
  header.set_client_sessionid(session);
  std::vector<std::uint8_t> out(proto::message_size(header, body));
  (void)proto::write_message(proto::emsg_of<Body>, header, body, out).value();
  return out;
}

/// What the server answered to the logon.
struct LogonAnswer {
  proto::EResult result = proto::EResult::Fail;
  proto::SteamId id;
  std::int32_t session = 0;
  std::int32_t heartbeat_seconds = 0;
};

/// The answer to the logon, where `packet` is one or has one in it. Throws std::system_error for a packet
/// that cannot be read.
std::optional<LogonAnswer> find_logon_answer(ConstBytes packet) {
  proto::MultiReader reader;
  reader.begin(packet);
  for (;;) {
    const auto next = reader.next();
    if (!next) {
      throw std::system_error(next.error());
    }
    if (!*next) {
      return std::nullopt;
    }
    proto::MessageView view;
    if (!view.parse(**next) || view.emsg() != proto::EMsg::ClientLogOnResponse) {
      continue;
    }
    LogonAnswer answer;
    if (view.is_protobuf()) {
      proto::CMsgClientLogonResponse body;
      if (const auto read = view.read_body(body); !read) {
        throw std::system_error(read.error());
      }
      answer = {static_cast<proto::EResult>(body.eresult()), view.steam_id(), view.session_id(),
                body.heartbeat_seconds()};
    } else if (const auto body = proto::MsgClientLogOnResponse::parse(view.body())) {
      answer.result = body->result;
    }
    return answer;
  }
}

asio::awaitable<void> log_on(io::Connection& connection, Trace& trace, const std::string& endpoint) {
  const auto moved = [&](const char* step, const std::string& what) {
    trace.add(step, what, connection.bytes_in(), connection.bytes_out());
  };
  const proto::SteamId blank(proto::AccountId(), 0, proto::EUniverse::Public, proto::EAccountType::AnonUser);
  proto::CMsgClientHello hello;
  hello.set_protocol_version(protocol_version);
  proto::CMsgClientLogon logon;
  logon.set_protocol_version(protocol_version);
  logon.set_client_os_type(os_linux);
  logon.set_client_language("english");
  for (const auto& message : {message_of(hello, blank), message_of(logon, blank)}) {
    const auto sent = co_await connection.send(message);
    if (!sent) {
      give_up(endpoint, sent.error(), 0);
    }
  }
  moved("logon", "sent hello and an anonymous logon");
  std::optional<LogonAnswer> answer;
  while (!answer) {
    const auto event = co_await connection.receive();
    if (!event) {
      give_up(endpoint, event.error(), 0);
    }
    if (const auto* closed = std::get_if<net::Closed>(&*event)) {
      give_up(endpoint, closed->reason, closed->detail);
    }
    if (const auto* received = std::get_if<net::Received>(&*event)) {
      answer = find_logon_answer(received->message);
    }
  }
  if (answer->result != proto::EResult::OK) {
    throw CommandError(Exit::server_refused,
                       fmt::format("{}: the logon was refused: EResult {} ({})", endpoint,
                                   proto::name_of(answer->result), static_cast<int>(answer->result)));
  }
  moved("logged on",
        fmt::format("SteamID {}, a heartbeat every {} s", answer->id.value(), answer->heartbeat_seconds));
  const auto sent =
      co_await connection.send(message_of(proto::CMsgClientLogOff(), answer->id, answer->session));
  if (sent) {
    moved("logged off", "");
  }
}

std::string read_text(const std::string& path) {
  const auto bytes = read_input(path);
  return std::string(bytes.begin(), bytes.end());
}

void connect(const ConnectCommand& command) {
  const auto endpoint = io::Endpoint::parse(command.endpoint);
  if (!endpoint || endpoint->port == 0) {
    throw CommandError(
        Exit::usage,
        fmt::format("{}: not an endpoint; write tcp://HOST:PORT, udp://, wss:// or ws://", command.endpoint));
  }
  if (endpoint->scheme == io::Scheme::ws && !endpoint->is_loopback()) {
    throw CommandError(
        Exit::usage,
        fmt::format("{}: ws:// has no encryption and is for loopback only; use wss://", command.endpoint));
  }
  std::optional<crypto::RsaPublicKey> server_key;
  if (!command.server_key.empty()) {
    auto key = crypto::RsaPublicKey::from_pem(read_text(command.server_key));
    if (!key) {
      throw CommandError(Exit::input_refused,
                         fmt::format("{}: {}", command.server_key, key.error().message()));
    }
    server_key = *std::move(key);
  }
  std::shared_ptr<KeyLogFile> key_log;
  if (!command.key_log.empty()) {
    key_log = std::make_shared<KeyLogFile>(command.key_log);
  }

  Trace trace(command.json);
  std::int32_t detail = 0;
  io::ConnectOptions options;
  options.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(command.timeout));
  options.handshake.key = server_key ? &*server_key : nullptr;
  if (key_log) {
    options.handshake.key_log = KeyLogFile::channel(key_log);
  }
  if (endpoint->scheme == io::Scheme::wss) {
    const std::string ca = command.ca.empty() ? std::string() : read_text(command.ca);
    auto tls = io::TlsContext::client(ca, key_log ? KeyLogFile::tls(key_log) : io::TlsKeyLog());
    if (!tls) {
      throw CommandError(command.ca.empty() ? Exit::local_io : Exit::input_refused,
                         fmt::format("{}: {}", command.ca.empty() ? "the system's certificates" : command.ca,
                                     tls.error().message()));
    }
    options.tls = *std::move(tls);
  }
  options.on_step = [&](const io::ConnectTrace& step) {
    std::string what = step.address;
    if (step.step == io::ConnectStep::failed) {
      what += ": " + describe(step.error, step.detail);
      detail = step.detail;
    }
    trace.add(name_of(step.step), what, step.bytes_in, step.bytes_out);
  };

  asio::io_context context{1};
  std::exception_ptr failure;
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        auto connection = co_await io::Connection::connect(*endpoint, options);
        if (!connection) {
          give_up(command.endpoint, connection.error(), detail);
        }
        if (command.anonymous) {
          co_await log_on(*connection, trace, command.endpoint);
        }
        const auto closed = co_await connection->close();
        trace.add("closed", closed.reason.message(), connection->bytes_in(), connection->bytes_out());
      },
      [&failure](std::exception_ptr thrown) { failure = std::move(thrown); });
  context.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  if (key_log) {
    key_log->check();
  }
  if (command.json) {
    write_json({{"endpoint", command.endpoint}, {"steps", trace.take()}});
  }
}

}  // namespace

void add_connect(CLI::App& app) {
  auto options = std::make_shared<ConnectCommand>();
  CLI::App& command = add_command(
      app, "connect", "connect to a connection manager and show each step with its time and bytes",
      {"corliss connect wss://ext1-sea1.steamserver.net:443   # a real one, certificate verified",
       "corliss connect tcp://127.0.0.1:27017 --server-key key.pem --anonymous   # beside corliss serve",
       "corliss connect tcp://127.0.0.1:27017 --server-key key.pem --keylog keys.txt   # to decrypt a "
       "capture"});
  command.add_option("ENDPOINT", options->endpoint, "tcp://HOST:PORT, udp://, wss://, or ws:// to loopback")
      ->required();
  command.add_option(
      "--server-key", options->server_key,
      "the server's public key (PEM), for tcp and udp; without it that of Steam's public universe");
  command.add_option("--ca", options->ca, "certificates (PEM) to trust for wss, instead of the system's");
  command.add_option(
      "--keylog", options->key_log,
      "append the session keys to this file, made with mode 0600; no symbolic link is followed");
  command.add_option("--timeout", options->timeout, "seconds until connected")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  command.add_flag("--anonymous", options->anonymous, "log on anonymously, then off");
  command.add_flag("--json", options->json, "print one JSON value");
  command.callback([options] { connect(*options); });
}

}  // namespace corliss::tools
