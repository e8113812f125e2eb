// many_clients ENDPOINT KEY.pem CA.pem CONNECTIONS MESSAGES: that many clients at once on one thread. Each
// logs on, asks MESSAGES times and checks that exactly its own answers come, in order. Then one JSON line on
// standard output, what an idle connection costs this process included; when standard input ends, all log
// off. Exit 1 where anything was lost.
#include "support/test_support.h"

#include <corliss/io/connection.h>
#include <corliss/proto/connection.pb.h>
#include <corliss/proto/emsg_of.h>
#include <corliss/proto/message.h>
#include <corliss/proto/multi.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <optional>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <malloc.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace corliss::sim::test {
namespace {

using proto::EMsg;

struct Totals {
  std::size_t finished = 0;  ///< clients that have all their answers, or failed
  std::size_t complete = 0;
  std::size_t answers = 0;
  std::size_t wrong = 0;  ///< answers that were not the next of their connection
  std::size_t lost = 0;   ///< connections that ended by themselves
  std::string why{};
};

/// Shared by all clients: scratch memory of one thread.
proto::MessageView view;
proto::MultiReader multi;

struct Client {
  std::optional<io::Connection> connection{};
  proto::CMsgProtoBufHeader ids{};
  std::uint64_t first = 0;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
};

template <class Body>
void send(Client& client, const proto::CMsgProtoBufHeader& header, const Body& body) {
  if (const auto room = client.connection->prepare(proto::message_size(header, body))) {
    (void)proto::write_message(proto::emsg_of<Body>, header, body, *room);
    (void)client.connection->commit();
  }
}

void ask(Client& client) {
  proto::CMsgClientServerTimestampRequest request;
  request.set_client_request_timestamp(client.first + client.asked);
  client.ids.set_jobid_source(client.first + client.asked);
  ++client.asked;
  send(client, client.ids, request);
}

/// Whether all answers are here.
bool take(Client& client, ConstBytes bytes, std::uint64_t messages, Totals& totals) {
  multi.begin(bytes);
  for (auto next = multi.next(); next && *next; next = multi.next()) {
    if (!view.parse(**next)) {
      ++totals.wrong;
    } else if (view.emsg() == EMsg::ClientLogOnResponse) {
      client.ids.set_steamid(view.steam_id().value());
      client.ids.set_client_sessionid(view.session_id());
      ask(client);
    } else if (view.emsg() == EMsg::ClientServerTimestampResponse) {
      proto::CMsgClientServerTimestampResponse response;
      const std::uint64_t want = client.first + client.answered;
      const bool right = view.read_body(response) && response.client_request_timestamp() == want &&
                         view.target_job().value() == want &&
                         view.session_id() == client.ids.client_sessionid();
      totals.wrong += right ? 0 : 1;
      ++totals.answers;
      if (++client.answered == messages) {
        return true;
      }
      ask(client);
    }
  }
  return false;
}

asio::awaitable<void> live(Client& client, io::Endpoint at, io::ConnectOptions options,
                           std::uint64_t messages, Totals& totals) {
  auto made = co_await io::Connection::connect(std::move(at), std::move(options));
  if (!made) {
    totals.why = made.error().message();
    ++totals.lost;
    ++totals.finished;
    co_return;
  }
  client.connection = *std::move(made);
  proto::CMsgProtoBufHeader header;
  header.set_steamid(117093590311632896U);
  proto::CMsgClientLogon logon;
  logon.set_protocol_version(65581);
  send(client, header, logon);
  bool done = false;
  while (client.connection) {
    const auto event = co_await client.connection->receive();
    if (!event) {
      break;
    }
    if (const auto* received = std::get_if<net::Received>(&*event)) {
      if (take(client, received->message, messages, totals) && !done) {
        done = true;
        ++totals.complete;
        ++totals.finished;
      }
    } else if (const auto* closed = std::get_if<net::Closed>(&*event);
               closed != nullptr && !closed->user_initiated()) {
      totals.why = closed->reason.message();
      ++totals.lost;
      totals.finished += done ? 0 : 1;
    }
  }
}

/// Resident memory of this process without what the allocator keeps back, in bytes.
std::size_t resident() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string text_of_file(const char* path) {
  const auto bytes = corliss::test::read_file(path);
  return {bytes.begin(), bytes.end()};
}

int run(const char* endpoint, const char* key_file, const char* ca_file, std::size_t count,
        std::uint64_t messages) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);

  const auto key = crypto::RsaPublicKey::from_pem(text_of_file(key_file)).value();
  io::ConnectOptions options;
  options.timeout = std::chrono::seconds(120);
  options.timeouts = net::Timeouts{};
  options.timeouts->handshake = options.timeouts->idle = std::chrono::seconds(120);
  options.handshake.key = &key;
  options.tls = io::TlsContext::client(text_of_file(ca_file)).value();
  const auto at = io::Endpoint::parse(endpoint).value();

  asio::io_context context{1};
  Totals totals;
  Totals before_idle;
  std::deque<Client> clients(count);
  asio::posix::stream_descriptor input(context, STDIN_FILENO);
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        asio::steady_timer pause(context);
        const std::size_t memory = resident();
        for (std::size_t i = 0; i < count; ++i) {
          clients[i].first = 1'000'000 * (i + 1);
          asio::co_spawn(context, live(clients[i], at, options, messages, totals), asio::detached);
        }
        while (totals.finished < count) {
          pause.expires_after(std::chrono::milliseconds(20));
          co_await pause.async_wait(asio::use_awaitable);
        }
        // Quiet connections give memory back after io::trim_after; that is to be measured, too.
        pause.expires_after(io::trim_after + std::chrono::seconds(1));
        co_await pause.async_wait(asio::use_awaitable);
        const std::size_t grown = resident() - std::min(resident(), memory);
        nlohmann::json out{{"connections", count},        {"complete", totals.complete},
                           {"answers", totals.answers},   {"wrong", totals.wrong},
                           {"lost", totals.lost},         {"why", totals.why},
                           {"idle_bytes", grown / count}, {"resident", resident()}};
        std::puts(out.dump().c_str());
        std::fflush(stdout);
        co_await input.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
        before_idle = totals;
        for (auto& client : clients) {
          client.connection.reset();
        }
      },
      asio::detached);
  context.run();
  return before_idle.complete == count && before_idle.wrong == 0 && before_idle.lost == 0 &&
                 before_idle.answers == count * messages
             ? 0
             : 1;
}

}  // namespace
}  // namespace corliss::sim::test

int main(int argc, char** argv) {
  if (argc != 6) {
    return 2;
  }
  return corliss::sim::test::run(argv[1], argv[2], argv[3], std::strtoul(argv[4], nullptr, 10),
                                 std::strtoul(argv[5], nullptr, 10));
}
