#include "corliss/manifest_view.h"

#include "corliss/command.h"

#include <corliss/base/hex.h>

#include <algorithm>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace corliss::tools {
namespace {

using content::Chunk;
using content::FileChange;
using content::Manifest;
using content::ManifestFile;
using nlohmann::json;

std::string time_text(UnixTime time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(static_cast<std::time_t>(time.time_since_epoch().count())));
}

std::string_view name_of(content::CrcState state) {
  switch (state) {
    case content::CrcState::absent:
      return "absent";
    case content::CrcState::fits:
      return "fits";
    case content::CrcState::differs:
      return "differs";
  }
  return "";
}

std::string_view name_of(FileChange change) {
  switch (change) {
    case FileChange::added:
      return "added";
    case FileChange::removed:
      return "removed";
    case FileChange::content:
      return "content";
    case FileChange::attributes:
      return "attributes";
  }
  return "";
}

json chunk_json(const Chunk& chunk) {
  return {{"id", content::to_string(chunk.id)},
          {"checksum", chunk.checksum},
          {"offset", chunk.offset},
          {"cb_original", chunk.size},
          {"cb_compressed", chunk.compressed_size}};
}

/// The entry that a delta is about, in the newest manifest that has it.
ManifestFile file_of(const content::FileDelta& delta, const Manifest& from, const Manifest& to) {
  return delta.to ? to.file(*delta.to) : from.file(*delta.from);
}

/// The length in bytes of a well-formed UTF-8 character at the front, 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), is_continuation)
             ? length
             : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const auto length = utf8_length(text);
    // U+0080 to U+009F are control characters too, two bytes each.
    const bool c1_control = length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (byte == '\n') {
      text.remove_prefix(1);
    } else if (length == 0 || byte < 0x20 || byte == 0x7f || c1_control) {
      out += fmt::format("\\x{:02x}", byte);
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string flag_letters(std::uint32_t flags) {
  namespace flag = content::depot_file_flag;
  static constexpr std::pair<std::uint32_t, char> letters[] = {
      {flag::directory, 'd'},   {flag::symlink, 'l'},
      {flag::executable, 'x'},  {flag::custom_executable, 'X'},
      {flag::read_only, 'r'},   {flag::hidden, 'h'},
      {flag::user_config, 'u'}, {flag::versioned_user_config, 'v'},
      {flag::encrypted, 'e'},   {flag::install_script, 'i'}};
  std::string out;
  for (const auto& [bit, letter] : letters) {
    if ((flags & bit) != 0) {
      out += letter;
    }
  }
  return out.empty() ? "-" : out;
}

json to_json(const Manifest& manifest) {
  const auto& info = manifest.info();
  json files = json::array();
  for (std::size_t i = 0; i < manifest.file_count(); ++i) {
    const auto file = manifest.file(i);
    json chunks = json::array();
    for (const auto& chunk : file.chunks) {
      chunks.push_back(chunk_json(chunk));
    }
    json entry = {{"name", file.stored_name},
                  {"size", file.size},
                  {"flags", file.flags},
                  {"sha_filename", to_hex(file.name_hash)},
                  {"sha_content", to_hex(file.content_hash)},
                  {"link_target", file.stored_link_target},
                  {"chunks", std::move(chunks)}};
    if (file.verdict != content::PathVerdict::accepted && !info.names_encrypted) {
      entry["refused"] = content::describe(file.verdict);
    }
    files.push_back(std::move(entry));
  }
  return {{"format", manifest.format() == content::ManifestFormat::v4 ? "v4" : "v5"},
          {"depot_id", info.depot.value()},
          {"gid", std::to_string(info.id.value())},
          {"creation_time", info.created.time_since_epoch().count()},
          {"filenames_encrypted", info.names_encrypted},
          {"total_uncompressed", info.total_size},
          {"total_compressed", info.total_compressed_size},
          {"unique_chunks", info.unique_chunks},
          {"crc_encrypted", info.crc_encrypted},
          {"crc_clear", info.crc_clear},
          {"crc", name_of(manifest.crc_state())},
          {"files", std::move(files)}};
}

std::string to_text(const Manifest& manifest, bool with_chunks) {
  const auto& info = manifest.info();
  std::string out =
      fmt::format("depot {}  manifest {}  {}  {}{}\n\n", info.depot.value(), info.id.value(),
                  time_text(info.created), manifest.format() == content::ManifestFormat::v4 ? "v4" : "v5",
                  info.names_encrypted ? "  names encrypted" : "");
  out += fmt::format("{:>14}  {:<6} {:>6}  {:<40}  name\n", "size", "flags", "chunks", "sha-1");
  std::uint64_t folders = 0;
  std::uint64_t links = 0;
  std::uint64_t bytes = 0;
  std::uint64_t chunks = 0;
  for (std::size_t i = 0; i < manifest.file_count(); ++i) {
    const auto file = manifest.file(i);
    folders += file.is_directory() ? 1 : 0;
    links += file.is_link() ? 1 : 0;
    bytes += file.size;
    chunks += file.chunks.size();
    out += fmt::format("{:>14}  {:<6} {:>6}  {:<40}  {}", file.size, flag_letters(file.flags),
                       file.chunks.size(), to_hex(file.content_hash), printable(file.stored_name));
    if (file.is_link()) {
      out += " -> " + printable(file.stored_link_target);
    }
    if (!info.names_encrypted && file.verdict != content::PathVerdict::accepted) {
      out += fmt::format("  [refused: {}]", content::describe(file.verdict));
    }
    out += '\n';
    if (with_chunks) {
      for (const auto& chunk : file.chunks) {
        out += fmt::format("{:>14}  at {:<11} {:>9} B  {}  adler {:08x}\n", "", chunk.offset, chunk.size,
                           content::to_string(chunk.id), chunk.checksum);
      }
    }
  }
  out += fmt::format("\n{} files, {} folders, {} links: {} ({} bytes)\n",
                     manifest.file_count() - folders - links, folders, links, human_size(bytes), bytes);
  out += fmt::format("{} chunks, {} different: {} ({} bytes) to download\n", chunks, info.unique_chunks,
                     human_size(info.total_compressed_size), info.total_compressed_size);
  out += fmt::format("payload CRC {}\n", name_of(manifest.crc_state()));
  if (!manifest.entry_count_fits()) {
    out += "warning: the header counts another number of entries\n";
  }
  return out;
}

json to_json(const content::UpdatePlan& plan, const Manifest& from, const Manifest& to) {
  json files = json::array();
  for (const auto& delta : plan.files) {
    const auto file = file_of(delta, from, to);
    json entry = {{"name", file.stored_name}, {"change", name_of(delta.change)}, {"size", file.size}};
    if (delta.from && delta.to) {
      entry["old_size"] = from.file(*delta.from).size;
    }
    if (delta.keeps_user_copy) {
      entry["keeps_user_copy"] = true;
    }
    files.push_back(std::move(entry));
  }
  json chunks = json::array();
  for (const auto& step : plan.steps) {
    json targets = json::array();
    for (const auto& target : plan.targets_of(step)) {
      targets.push_back({{"name", to.file(target.file).stored_name}, {"offset", target.offset}});
    }
    json entry = chunk_json(step.chunk);
    entry.erase("offset");
    entry["targets"] = std::move(targets);
    if (step.local) {
      entry["local"] = {{"name", from.file(step.local->file).stored_name}, {"offset", step.local->offset}};
    }
    chunks.push_back(std::move(entry));
  }
  const auto& totals = plan.totals;
  return {{"depot_id", to.info().depot.value()},
          {"from", std::to_string(from.info().id.value())},
          {"to", std::to_string(to.info().id.value())},
          {"totals",
           {{"files_added", totals.files_added},
            {"files_removed", totals.files_removed},
            {"files_changed", totals.files_changed},
            {"files_unchanged", totals.files_unchanged},
            {"chunks_to_fetch", totals.chunks_to_fetch},
            {"bytes_to_fetch", totals.bytes_to_fetch},
            {"chunks_local", totals.chunks_local},
            {"bytes_local", totals.bytes_local},
            {"bytes_to_write", totals.bytes_to_write}}},
          {"files", std::move(files)},
          {"chunks", std::move(chunks)}};
}

std::string to_text(const content::UpdatePlan& plan, const Manifest& from, const Manifest& to, bool colour) {
  static constexpr const char* marks[] = {"+", "-", "~", "%"};
  static constexpr const char* colours[] = {"\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[36m"};
  std::string out = fmt::format("depot {}: manifest {} to {}\n", to.info().depot.value(),
                                from.info().id.value(), to.info().id.value());
  for (const auto& delta : plan.files) {
    const auto file = file_of(delta, from, to);
    const auto kind = static_cast<std::size_t>(delta.change);
    out += fmt::format("{}{} {:>14}  {}{}", colour ? colours[kind] : "", marks[kind], file.size,
                       printable(file.stored_name), colour ? "\x1b[0m" : "");
    if (delta.change == FileChange::content && from.file(*delta.from).size != file.size) {
      out += fmt::format("  (was {})", from.file(*delta.from).size);
    } else if (delta.change == FileChange::attributes) {
      out += fmt::format("  (flags {} to {})", flag_letters(from.file(*delta.from).flags),
                         flag_letters(file.flags));
    }
    out += delta.keeps_user_copy ? "  (the user's, stays)\n" : "\n";
  }
  const auto& totals = plan.totals;
  out += fmt::format("\n{} added, {} removed, {} changed, {} as they were\n", totals.files_added,
                     totals.files_removed, totals.files_changed, totals.files_unchanged);
  out += fmt::format("to fetch: {} chunks, {} ({} bytes)\n", totals.chunks_to_fetch,
                     human_size(totals.bytes_to_fetch), totals.bytes_to_fetch);
  out += fmt::format("at hand:  {} chunks, {} ({} bytes)\n", totals.chunks_local,
                     human_size(totals.bytes_local), totals.bytes_local);
  return out;
}

}  // namespace corliss::tools
