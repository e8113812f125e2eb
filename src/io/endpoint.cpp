#include <corliss/io/endpoint.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <asio/ip/address.hpp>

namespace corliss::io {
namespace {

constexpr std::array<std::string_view, 4> names{"tcp", "udp", "ws", "wss"};
constexpr std::size_t max_host_size = 253;  // RFC 1035, 2.3.4, in its text form
constexpr std::size_t max_label_size = 63;

bool is_label(std::string_view label) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !label.empty() && label.size() <= max_label_size &&
         std::all_of(label.begin(), label.end(), allowed) && label.front() != '-' && label.back() != '-';
}

/// A name, or an IPv4 literal: what ends in a number must be one (as browsers have it, WHATWG URL, 3.5).
bool is_host(std::string_view host) {
  if (host.empty() || host.size() > max_host_size) {
    return false;
  }
  std::string_view rest = host;
  std::string_view label;
  do {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    label = rest.substr(0, dot);
    if (!is_label(label)) {
      return false;
    }
    rest.remove_prefix(std::min(dot + 1, rest.size() + 0));
    if (dot + 1 > host.size()) {
      break;
    }
  } while (!rest.empty());
  if (host.back() == '.') {
    return false;
  }
  if (std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    std::error_code error;
    asio::ip::make_address_v4(std::string(host), error);
    return !error;
  }
  return true;
}

bool is_ipv6(std::string_view host) {
  std::error_code error;
  asio::ip::make_address_v6(std::string(host), error);
  return !error && host.find('\0') == std::string_view::npos;
}

}  // namespace

std::string_view name_of(Scheme scheme) noexcept {
  return names[static_cast<std::size_t>(scheme)];
}

Result<Endpoint> Endpoint::parse(std::string_view text) {
  Endpoint out;
  const std::size_t colon = text.find("://");
  const auto* const name =
      std::find(names.begin(), names.end(), text.substr(0, std::min(colon, text.size())));
  if (colon == std::string_view::npos || name == names.end()) {
    return fail(Errc::bad_endpoint);
  }
  out.scheme = static_cast<Scheme>(name - names.begin());
  const std::string_view rest = text.substr(colon + 3);
  const std::size_t port_at = rest.rfind(':');
  if (port_at == std::string_view::npos) {
    return fail(Errc::bad_endpoint);
  }
  std::string_view host = rest.substr(0, port_at);
  if (!host.empty() && host.front() == '[') {
    if (host.back() != ']' || !is_ipv6(host.substr(1, host.size() - 2))) {
      return fail(Errc::bad_endpoint);
    }
    host = host.substr(1, host.size() - 2);
  } else if (!is_host(host)) {
    return fail(Errc::bad_endpoint);
  }
  out.host = host;
  const std::string_view port = rest.substr(port_at + 1);
  const char* const end = port.data() + port.size();
  const auto [stop, error] = std::from_chars(port.data(), end, out.port);
  if (port.empty() || error != std::errc{} || stop != end || (port.size() > 1 && port.front() == '0')) {
    return fail(Errc::bad_endpoint);
  }
  return out;
}

std::string Endpoint::authority() const {
  const bool literal = host.find(':') != std::string::npos;
  return (literal ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Endpoint::to_string() const {
  return std::string(name_of(scheme)) + "://" + authority();
}

bool Endpoint::is_loopback() const {
  std::error_code error;
  const auto address = asio::ip::make_address(host, error);
  return error ? host == "localhost" : address.is_loopback();
}

}  // namespace corliss::io
