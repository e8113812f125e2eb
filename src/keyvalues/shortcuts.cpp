#include "keyvalues/chars.h"

#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/builder.h>
#include <corliss/keyvalues/shortcuts.h>

namespace corliss::keyvalues {
namespace {

std::string text_of_child(Node shortcut, std::string_view name) {
  return shortcut[name].text();
}

bool flag(Node shortcut, std::string_view name, bool otherwise) {
  return shortcut[name].get<bool>().value_or(otherwise);
}

Shortcut read_one(Node node) {
  const Shortcut defaults;
  Shortcut s;
  s.app_id = node["appid"].get<std::int32_t>().value_or(0);
  s.app_name = text_of_child(node, "AppName");
  s.exe = text_of_child(node, "Exe");
  s.start_dir = text_of_child(node, "StartDir");
  s.icon = text_of_child(node, "icon");
  s.shortcut_path = text_of_child(node, "ShortcutPath");
  s.launch_options = text_of_child(node, "LaunchOptions");
  s.is_hidden = flag(node, "IsHidden", defaults.is_hidden);
  s.allow_desktop_config = flag(node, "AllowDesktopConfig", defaults.allow_desktop_config);
  s.allow_overlay = flag(node, "AllowOverlay", defaults.allow_overlay);
  s.open_vr = flag(node, "OpenVR", defaults.open_vr);
  s.devkit = flag(node, "Devkit", defaults.devkit);
  s.devkit_game_id = text_of_child(node, "DevkitGameID");
  s.devkit_override_app_id = node["DevkitOverrideAppID"].get<std::int32_t>().value_or(0);
  s.last_play_time = UnixTime(std::chrono::seconds(node["LastPlayTime"].get<std::int32_t>().value_or(0)));
  s.flatpak_app_id = text_of_child(node, "FlatpakAppID");
  s.sort_as = text_of_child(node, "sortas");
  for (const Node tag : node["tags"].children()) {
    s.tags.push_back(tag.text());
  }
  return s;
}

}  // namespace

Result<std::vector<Shortcut>> read_shortcuts(const Tree& tree) {
  const Node root = tree.root();
  if (!root.is_block() || !detail::same_name(root.name(), "shortcuts")) {
    return fail(Errc::bad_magic);
  }
  std::vector<Shortcut> shortcuts;
  shortcuts.reserve(root.size());
  for (const Node node : root.children()) {
    shortcuts.push_back(read_one(node));
  }
  return shortcuts;
}

Result<std::vector<std::uint8_t>> write_shortcuts(std::span<const Shortcut> shortcuts) {
  std::vector<std::uint8_t> out;
  BinaryWriter writer(out);
  const auto string = [&writer](std::string_view name, const std::string& value) {
    (void)writer.on_leaf(name, Value(value), {});
  };
  const auto number = [&writer](std::string_view name, std::int32_t value) {
    (void)writer.on_leaf(name, Value::int32(value), {});
  };
  (void)writer.on_block("shortcuts", {});
  std::size_t index = 0;
  for (const Shortcut& s : shortcuts) {
    (void)writer.on_block(std::to_string(index++), {});
    number("appid", s.app_id);
    string("AppName", s.app_name);
    string("Exe", s.exe);
    string("StartDir", s.start_dir);
    string("icon", s.icon);
    string("ShortcutPath", s.shortcut_path);
    string("LaunchOptions", s.launch_options);
    number("IsHidden", s.is_hidden ? 1 : 0);
    number("AllowDesktopConfig", s.allow_desktop_config ? 1 : 0);
    number("AllowOverlay", s.allow_overlay ? 1 : 0);
    number("OpenVR", s.open_vr ? 1 : 0);
    number("Devkit", s.devkit ? 1 : 0);
    string("DevkitGameID", s.devkit_game_id);
    number("DevkitOverrideAppID", s.devkit_override_app_id);
    // Steam's field is 32 bits; later times do not fit it.
    number("LastPlayTime", static_cast<std::int32_t>(s.last_play_time.time_since_epoch().count()));
    string("FlatpakAppID", s.flatpak_app_id);
    string("sortas", s.sort_as);
    (void)writer.on_block("tags", {});
    std::size_t tag_index = 0;
    for (const std::string& tag : s.tags) {
      string(std::to_string(tag_index++), tag);
    }
    (void)writer.on_end();
    (void)writer.on_end();
  }
  (void)writer.on_end();
  CORLISS_CHECK(writer.finish());
  return out;
}

}  // namespace corliss::keyvalues
