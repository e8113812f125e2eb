#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/result.h>
#include <corliss/base/time.h>
#include <corliss/keyvalues/errc.h>
#include <corliss/keyvalues/tree.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// `userdata/<account>/config/shortcuts.vdf`: games that are not from Steam. No file means no shortcuts.
namespace corliss::keyvalues {

/// Names of members are those of the file. Fields that the file lacks have their default.
struct Shortcut {
  std::int32_t app_id = 0;  ///< "appid"; its top bit is usually set, so it is negative.
  std::string app_name;
  std::string exe;  ///< Usually with quotes around it.
  std::string start_dir;
  std::string icon;
  std::string shortcut_path;
  std::string launch_options;
  bool is_hidden = false;
  bool allow_desktop_config = true;
  bool allow_overlay = true;
  bool open_vr = false;
  bool devkit = false;
  std::string devkit_game_id;
  std::int32_t devkit_override_app_id = 0;
  UnixTime last_play_time{};
  std::string flatpak_app_id;
  std::string sort_as;
  std::vector<std::string> tags;

  friend bool operator==(const Shortcut&, const Shortcut&) = default;
};

/// The shortcuts of a tree that read_binary gave. Names are looked up without case, as older files spell
/// them. Errors: Errc::bad_magic where the root is not a block `shortcuts`.
[[nodiscard]] Result<std::vector<Shortcut>> read_shortcuts(const Tree& tree);

/// The file with these shortcuts, all fields written, in Steam's order. Errors: Errc::nul.
[[nodiscard]] Result<std::vector<std::uint8_t>> write_shortcuts(std::span<const Shortcut> shortcuts);

}  // namespace corliss::keyvalues
