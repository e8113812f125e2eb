#include "corliss/check_command.h"
#include "corliss/command.h"
#include "corliss/commands.h"
#include "vectors/packet.h"

#include <corliss/base/hex.h>
#include <corliss/crypto/kernel.h>
#include <corliss/crypto/packet_cipher.h>

#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

using crypto::LegacyPacketCipher;
using crypto::PacketCipher;

struct PacketOptions {
  std::string file = "-";
  std::string key;
  std::string random;
  std::string iv;
  std::string format = "hmac";
  bool hex = false;
  bool json = false;
};

/// The bytes of an option that must be exactly N.
template <std::size_t N>
std::array<std::uint8_t, N> option_bytes(const std::string& option, const std::string& text) {
  std::array<std::uint8_t, N> out;
  if (!from_hex(text, out)) {
    throw CommandError(Exit::usage, fmt::format("{}: needs {} hexadecimal digits", option, 2 * N));
  }
  return out;
}

/// Input as it is, or with --hex as hex digits with white space anywhere.
std::vector<std::uint8_t> packet_input(const PacketOptions& options) {
  auto input = read_input(options.file);
  if (!options.hex) {
    return input;
  }
  std::erase_if(input, [](std::uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  auto bytes = from_hex(text_of(input));
  if (!bytes) {
    throw CommandError(Exit::input_refused,
                       input_name(options.file) + ": not hexadecimal, as --hex says it is");
  }
  return *std::move(bytes);
}

void packet_output(const PacketOptions& options, const char* name, ConstBytes bytes) {
  if (options.json) {
    write_json({{name, to_hex(bytes)}, {"size", bytes.size()}, {"format", options.format}});
  } else if (options.hex) {
    write_out(to_hex(bytes) + "\n");
  } else {
    write_out(bytes);
  }
}

template <class Cipher, std::size_t N>
Result<Bytes> seal_with(const Cipher& cipher, ConstBytes plain,
                        const std::optional<std::array<std::uint8_t, N>>& random, Bytes out) {
  return random ? cipher.seal(plain, *random, out) : cipher.seal(plain, out);
}

void seal(const PacketOptions& options) {
  const bool legacy = options.format == "legacy";
  if (legacy ? !options.random.empty() : !options.iv.empty()) {
    throw CommandError(Exit::usage, legacy
                                        ? "--random belongs to --format hmac; the legacy format takes --iv"
                                        : "--iv belongs to --format legacy; the hmac format takes --random");
  }
  const auto key = read_key("--key", options.key);
  std::optional<std::array<std::uint8_t, 3>> random;
  std::optional<std::array<std::uint8_t, 16>> iv;
  if (!options.random.empty()) {
    random = option_bytes<3>("--random", options.random);
  }
  if (!options.iv.empty()) {
    iv = option_bytes<16>("--iv", options.iv);
  }
  const auto plain = packet_input(options);
  std::vector<std::uint8_t> out(PacketCipher::sealed_size(plain.size()));
  const auto sealed = legacy ? seal_with(LegacyPacketCipher(key.reveal()), plain, iv, out)
                             : seal_with(PacketCipher(key.reveal()), plain, random, out);
  if (!sealed) {
    const auto code = sealed.error() == Fault::local ? Exit::local_io : Exit::input_refused;
    throw CommandError(code, fmt::format("{}: {} ({} bytes)", input_name(options.file),
                                         sealed.error().message(), plain.size()));
  }
  packet_output(options, "packet", *sealed);
}

void open(const PacketOptions& options) {
  const auto key = read_key("--key", options.key);
  auto packet = packet_input(options);
  const std::size_t size = packet.size();
  const auto plain = options.format == "legacy" ? LegacyPacketCipher(key.reveal()).open(packet)
                                                : PacketCipher(key.reveal()).open(packet);
  if (!plain) {
    throw CommandError(Exit::input_refused,
                       fmt::format("{}: {} ({} bytes); wrong key, or not what was sent",
                                   input_name(options.file), plain.error().message(), size));
  }
  packet_output(options, "plaintext", *plain);
  wipe(packet);
}

void add_packet_options(CLI::App& command, PacketOptions& options, const char* input) {
  command.add_option("FILE", options.file, fmt::format("{}; - is standard input", input))
      ->capture_default_str();
  command.add_option("--key", options.key, key_help)->required()->type_name("KEY");
  command.add_option("--format", options.format, "hmac, or legacy (no MAC; old servers)")
      ->check(CLI::IsMember({"hmac", "legacy"}))
      ->capture_default_str()
      ->type_name("FORMAT");
  command.add_flag("--hex", options.hex, "input and output are hexadecimal");
  command.add_flag("--json", options.json, "print one JSON value");
}

void print_kernels(bool json) {
  if (json) {
    auto list = nlohmann::json::array();
    for (const auto& kernel : crypto::kernels()) {
      list.push_back({{"name", kernel.name}, {"supported", kernel.supported}, {"needs", kernel.needs}});
    }
    write_json(list);
    return;
  }
  for (const auto& kernel : crypto::kernels()) {
    write_out(fmt::format("{:<10} {:<4} {}\n", kernel.name, kernel.supported ? "yes" : "no",
                          kernel.needs.empty() ? "any CPU" : kernel.needs));
  }
}

}  // namespace

void add_packet(CLI::App& app) {
  CLI::App& packet = add_command(app, "packet", "seal and open packets of the encrypted channel");
  packet.require_subcommand(1);

  auto seal_options = std::make_shared<PacketOptions>();
  CLI::App& seal_command =
      add_command(packet, "seal", "encrypt one message to one packet, on standard output",
                  {"corliss packet seal --key @session.key message.bin > packet.bin",
                   "printf 07 | corliss packet seal --hex --random 12ef5b --key fd:3 3< session.key"});
  add_packet_options(seal_command, *seal_options, "the message");
  seal_command
      .add_option("--random", seal_options->random, "the 3 random bytes, for tests; fresh ones otherwise")
      ->type_name("HEX");
  seal_command
      .add_option("--iv", seal_options->iv,
                  "the 16-byte IV of --format legacy, for tests; a fresh one otherwise")
      ->type_name("HEX");
  seal_command.callback([seal_options] { seal(*seal_options); });

  auto open_options = std::make_shared<PacketOptions>();
  CLI::App& open_command = add_command(
      packet, "open", "authenticate and decrypt one packet; nothing on standard output when it is refused",
      {"corliss packet open --key @session.key packet.bin",
       "corliss packet open --hex --key env:SESSION_KEY packet.hex"});
  add_packet_options(open_command, *open_options, "the packet");
  open_command.callback([open_options] { open(*open_options); });

  add_check(packet, "channel.json", vectors::check_packets);

  auto json = std::make_shared<bool>(false);
  CLI::App& kernels =
      add_command(packet, "kernels", "the packet kernels, fastest first, and whether this CPU has them",
                  {"corliss packet kernels", "CORLISS_KERNEL=portable corliss packet check channel.json"});
  kernels.add_flag("--json", *json, "print one JSON value");
  kernels.callback([json] { print_kernels(*json); });
}

}  // namespace corliss::tools
