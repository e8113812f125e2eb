#include "corliss/command.h"
#include "corliss/commands.h"

#include <corliss/io/errc.h>
#include <corliss/sim/server.h>

#include <csignal>
#include <memory>
#include <optional>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace corliss::tools {
namespace {

struct ServeOptions {
  std::optional<std::string> tcp;
  std::optional<std::string> udp;
  std::optional<std::string> ws;
  std::optional<std::string> wss;
  std::string faults;
  std::string key;
  std::string cert_out;
  int heartbeat = 9;
};

/// Each client is a descriptor; the soft limit is often 1024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

io::Endpoint endpoint_of(io::Scheme scheme, const std::string& address) {
  const auto endpoint = io::Endpoint::parse(fmt::format("{}://{}", io::name_of(scheme), address));
  if (!endpoint) {
    throw CommandError(Exit::usage,
                       fmt::format("serve: --{} {}: not ADDRESS:PORT, such as 127.0.0.1:27017 or [::1]:0",
                                   io::name_of(scheme), address));
  }
  return *endpoint;
}

std::string read_text(const std::string& path) {
  const auto bytes = read_input(path);
  return std::string(text_of(bytes));
}

sim::ServerOptions server_options(const ServeOptions& options) {
  sim::ServerOptions out;
  std::vector<io::Endpoint> listen;
  const std::pair<io::Scheme, const std::optional<std::string>*> wanted[] = {{io::Scheme::tcp, &options.tcp},
                                                                             {io::Scheme::udp, &options.udp},
                                                                             {io::Scheme::ws, &options.ws},
                                                                             {io::Scheme::wss, &options.wss}};
  for (const auto& [scheme, address] : wanted) {
    if (*address) {
      listen.push_back(endpoint_of(scheme, **address));
    }
  }
  if (!listen.empty()) {
    out.listen = std::move(listen);
  }
  out.cm.heartbeat = std::chrono::seconds(options.heartbeat);
  if (!options.faults.empty()) {
    std::string why;
    auto rules = sim::parse_fault_script(read_text(options.faults), why);
    if (!rules) {
      throw CommandError(Exit::input_refused, fmt::format("{}: {}", input_name(options.faults), why));
    }
    out.faults = *std::move(rules);
  }
  if (!options.key.empty()) {
    out.key_pem = read_text(options.key);
    if (!crypto::RsaPrivateKey::from_pem(out.key_pem)) {
      throw CommandError(Exit::input_refused,
                         fmt::format("{}: not an RSA private key in PEM, unencrypted, of 1024 to 4096 bits",
                                     input_name(options.key)));
    }
  }
  return out;
}

sim::Server start(asio::io_context& context, const ServeOptions& options) {
  auto settings = server_options(options);
  std::string where;
  for (const auto& endpoint : settings.listen) {
    where += " " + endpoint.to_string();
  }
  auto server = sim::Server::start(context.get_executor(), std::move(settings));
  if (!server) {
    throw CommandError(exit_of(server.error()),
                       fmt::format("serve: cannot listen at{}: {}", where, server.error().message()));
  }
  return *std::move(server);
}

void serve(const ServeOptions& options) {
  raise_descriptor_limit();
  asio::io_context context{1};
  auto server = start(context, options);
  if (!options.cert_out.empty()) {
    write_file(options.cert_out, bytes_of(server.certificate_pem()));
  }
  nlohmann::json endpoints;
  for (const auto& endpoint : server.endpoints()) {
    endpoints[std::string(io::name_of(endpoint.scheme))] = endpoint.to_string();
  }
  write_json({{"endpoints", endpoints},
              {"public_key", server.public_key().to_pem()},
              {"certificate", server.certificate_pem()}},
             false);
  if (std::fflush(stdout) != 0) {
    throw CommandError(Exit::local_io, "standard output: cannot be written");
  }

  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&](const std::error_code& error, int) {
    if (!error) {
      // A second signal ends it at once.
      std::signal(SIGINT, SIG_DFL);
      std::signal(SIGTERM, SIG_DFL);
      asio::co_spawn(context, server.stop(), asio::detached);
    }
  });
  context.run();
  throw Finished{Exit::interrupted};
}

}  // namespace

void add_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App& command = add_command(
      app, "serve", "a Steam in a box: a connection manager on this machine, with faults on demand",
      {"corliss serve   # every transport at 127.0.0.1, free ports; the first line of output says which",
       "corliss serve --tcp 127.0.0.1:27017 --key server.pem",
       "corliss serve --wss '[::1]:0' --cert-out ca.pem   # clients trust ca.pem",
       "corliss serve --faults faults.json   # docs/faults.md says what a script may hold"});
  const char* address = "ADDRESS:PORT; an address of this machine, port 0 for any";
  command.add_option("--tcp", options->tcp, std::string("listen for TCP at ") + address)->type_name("ADDR");
  command.add_option("--udp", options->udp, "the same for UDP")->type_name("ADDR");
  command.add_option("--ws", options->ws, "the same for WebSockets without TLS")->type_name("ADDR");
  command.add_option("--wss", options->wss, "the same for WebSockets over TLS")->type_name("ADDR");
  command.add_option("--faults", options->faults, "a script of faults (JSON)")->type_name("FILE");
  command
      .add_option("--key", options->key, "the RSA private key of the channel handshake; without, a new one")
      ->type_name("PEM");
  command
      .add_option("--cert-out", options->cert_out,
                  "write the certificate of --wss there; it is for localhost, 127.0.0.1 and ::1")
      ->type_name("PEM");
  command
      .add_option("--heartbeat", options->heartbeat, "seconds between the heartbeats that clients are told")
      ->check(CLI::Range(1, 3600))
      ->type_name("SECONDS")
      ->capture_default_str();
  command.callback([options] { serve(*options); });
}

}  // namespace corliss::tools
