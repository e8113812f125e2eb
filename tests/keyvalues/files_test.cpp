#include "keyvalues/kv_support.h"

#include <corliss/base/writer.h>
#include <corliss/keyvalues/appinfo.h>
#include <corliss/keyvalues/packageinfo.h>
#include <corliss/keyvalues/shortcuts.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace corliss::keyvalues {
namespace {

using Input = std::vector<std::uint8_t>;

// A tree `appinfo { appid N }`, with names as indexes 0 and 1 in version 41.
Input tree_bytes(std::uint32_t version, std::uint32_t app) {
  Writer out;
  const auto name = [&](std::uint8_t type, std::uint32_t index, std::string_view text) {
    out.u8(type);
    if (version == 41) {
      out.u32(index);
    } else {
      out.bytes(bytes_of(text));
      out.u8(0);
    }
  };
  name(0, 0, "appinfo");
  name(2, 1, "appid");
  out.u32(app);
  out.u8(8);
  out.u8(8);
  return out.take();
}

Input appinfo_file(std::uint32_t version, std::uint32_t apps) {
  Writer out;
  out.u32(AppInfo::magic | version);
  out.u32(1);
  if (version == 41) {
    out.u64(0);
  }
  for (std::uint32_t app = 1; app <= apps; ++app) {
    const auto tree = tree_bytes(version, app);
    out.u32(app);
    out.u32(static_cast<std::uint32_t>((version >= 40 ? 60 : 40) + tree.size()));
    out.u32(2);
    out.u32(1'700'000'000);
    out.u64(app);
    out.bytes(Input(20, 0xAA));
    out.u32(77);
    if (version >= 40) {
      out.bytes(Input(20, 0xBB));
    }
    out.bytes(tree);
  }
  out.u32(0);
  const std::size_t table = out.size();
  if (version == 41) {
    out.u32(2);
    out.bytes(bytes_of(std::string_view("appinfo\0appid\0", 14)));
  }
  auto file = out.take();
  if (version == 41) {
    store_le<std::uint64_t>(file.data() + 8, table);
  }
  return file;
}

// Reads a file to its end; the error that this comes to.
std::error_code read_all(ConstBytes bytes, ErrorPlace* place = nullptr, const Limits& limits = {}) {
  const auto file = AppInfo::open(bytes, limits, place);
  if (!file) {
    return file.error();
  }
  AppInfoCursor cursor(*file);
  Tree tree;
  for (;;) {
    const auto entry = cursor.next(place);
    if (!entry) {
      return entry.error();
    }
    if (!*entry) {
      return {};
    }
    if (const auto read = file->read_into(tree, **entry, place); !read) {
      return read.error();
    }
  }
}

TEST(AppInfo, ReadsEveryVersion) {
  for (const std::uint32_t version : {39U, 40U, 41U}) {
    const auto bytes = appinfo_file(version, 3);
    auto opened = AppInfo::open(bytes);
    ASSERT_TRUE(opened);
    const AppInfo file = *std::move(opened);
    EXPECT_EQ(file.version(), version);
    EXPECT_EQ(file.universe(), 1U);
    AppInfoCursor cursor(file);
    for (std::uint32_t app = 1; app <= 3; ++app) {
      const auto entry = cursor.next().value();
      ASSERT_TRUE(entry);
      EXPECT_EQ(entry->app_id, app);
      EXPECT_EQ(entry->info_state, 2U);
      EXPECT_EQ(entry->last_updated, UnixTime(std::chrono::seconds(1'700'000'000)));
      EXPECT_EQ(entry->access_token, app);
      EXPECT_EQ(entry->text_sha1[19], 0xAA);
      EXPECT_EQ(entry->change_number, 77U);
      EXPECT_EQ(entry->data_sha1.has_value(), version >= 40);
      const Tree tree = file.read(*entry).value();
      EXPECT_EQ(tree.root().name(), "appinfo");
      EXPECT_EQ(tree.root()["APPID"].get<std::uint32_t>(), app);
      TreeBuilder copy;
      walk(tree, copy);
      EXPECT_TRUE(copy.finish()->root().same_as(tree.root()));
    }
    EXPECT_FALSE(cursor.next().value());
    EXPECT_FALSE(cursor.next().value());
  }
}

TEST(AppInfo, EveryTruncationIsRefused) {
  for (const std::uint32_t version : {39U, 40U, 41U}) {
    const auto bytes = appinfo_file(version, 2);
    EXPECT_FALSE(read_all(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_TRUE(read_all(ConstBytes(bytes).first(size))) << version << " " << size;
    }
  }
}

TEST(AppInfo, ThreadsTakeEachAppOnce) {
  constexpr std::uint32_t apps = 5000;
  const auto bytes = appinfo_file(41, apps);
  const AppInfo file = AppInfo::open(bytes).value();
  AppInfoCursor cursor(file);
  std::mutex mutex;
  std::set<std::uint32_t> seen;
  std::size_t taken = 0;
  const auto work = [&] {
    Tree tree;
    std::vector<std::uint32_t> mine;
    while (const auto entry = cursor.next().value()) {
      if (!file.read_into(tree, *entry)) {
        return;
      }
      mine.push_back(tree.root()["appid"].get<std::uint32_t>().value_or(0));
    }
    const std::lock_guard lock(mutex);
    seen.insert(mine.begin(), mine.end());
    taken += mine.size();
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(work);
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(taken, apps);
  EXPECT_EQ(seen.size(), apps);
  EXPECT_FALSE(seen.contains(0));
}

struct Damage {
  const char* why;
  std::uint32_t version;
  void (*act)(Input&);
  Errc error;
};

void put32(Input& file, std::size_t at, std::uint32_t value) {
  store_le(file.data() + at, value);
}
void put64(Input& file, std::size_t at, std::uint64_t value) {
  store_le(file.data() + at, value);
}
std::size_t table_at(const Input& file) {
  return static_cast<std::size_t>(load_le<std::uint64_t>(file.data() + 8));
}

TEST(AppInfo, RefusesDamage) {
  const std::vector<Damage> all{
      {"another magic", 41, [](Input& f) { f[2] ^= 1; }, Errc::bad_magic},
      {"version 42", 41, [](Input& f) { f[0] = 42; }, Errc::bad_magic},
      {"version 0", 41, [](Input& f) { f[0] = 0; }, Errc::bad_magic},
      {"version 36", 39, [](Input& f) { put32(f, 0, 0x06564424); }, Errc::unsupported_version},
      {"version 37", 39, [](Input& f) { put32(f, 0, 0x07564425); }, Errc::unsupported_version},
      {"version 38", 39, [](Input& f) { put32(f, 0, 0x07564426); }, Errc::unsupported_version},
      {"size 0", 40, [](Input& f) { put32(f, 12, 0); }, Errc::bad_entry_size},
      {"size below the fields", 40, [](Input& f) { put32(f, 12, 59); }, Errc::bad_entry_size},
      {"no room for a tree", 40, [](Input& f) { put32(f, 12, 60); }, Errc::unexpected_end},
      {"one byte more", 40, [](Input& f) { ++f[12]; }, Errc::bad_entry_size},
      {"one byte less", 40, [](Input& f) { --f[12]; }, Errc::unexpected_end},
      {"size 2^31", 40, [](Input& f) { put32(f, 12, 0x80000000); }, Errc::bad_entry_size},
      {"size 2^32 - 1", 40, [](Input& f) { put32(f, 12, 0xFFFFFFFF); }, Errc::bad_entry_size},
      {"no final zero", 40, [](Input& f) { f.erase(f.end() - 4, f.end()); }, Errc::missing_end_of_list},
      {"another id for the final zero", 40, [](Input& f) { f[f.size() - 4] = 1; }, Errc::bad_entry_size},
      {"table at 0", 41, [](Input& f) { put64(f, 8, 0); }, Errc::bad_string_table},
      {"table in the header", 41, [](Input& f) { put64(f, 8, 15); }, Errc::bad_string_table},
      {"table behind the file", 41, [](Input& f) { put64(f, 8, f.size()); }, Errc::bad_string_table},
      {"table without room for its count", 41, [](Input& f) { put64(f, 8, f.size() - 3); },
       Errc::bad_string_table},
      {"table at 2^63", 41, [](Input& f) { put64(f, 8, 1ULL << 63); }, Errc::bad_string_table},
      {"table at 2^64 - 1", 41, [](Input& f) { put64(f, 8, ~0ULL); }, Errc::bad_string_table},
      {"table over the entries", 41, [](Input& f) { put64(f, 8, 40), put32(f, 40, 0); },
       Errc::bad_entry_size},
      {"count 2^32 - 1", 41, [](Input& f) { put32(f, table_at(f), 0xFFFFFFFF); }, Errc::bad_string_table},
      {"count 2^31", 41, [](Input& f) { put32(f, table_at(f), 0x80000000); }, Errc::bad_string_table},
      {"one string more than there is", 41, [](Input& f) { ++f[table_at(f)]; }, Errc::bad_string_table},
      {"count 0", 41, [](Input& f) { put32(f, table_at(f), 0); }, Errc::bad_name_index},
      {"one string too few", 41, [](Input& f) { --f[table_at(f)]; }, Errc::bad_name_index},
      {"last string without end", 41, [](Input& f) { f.pop_back(); }, Errc::bad_string_table},
      {"index -1", 41, [](Input& f) { put32(f, 16 + 68 + 1, 0xFFFFFFFF); }, Errc::bad_name_index},
      {"unknown type", 41, [](Input& f) { f[16 + 68] = 5; }, Errc::unknown_type},
  };
  for (const Damage& damage : all) {
    auto file = appinfo_file(damage.version, 1);
    ASSERT_FALSE(read_all(file));
    damage.act(file);
    ErrorPlace place;
    EXPECT_EQ(read_all(file, &place), damage.error) << damage.why << ": " << read_all(file).message();
    EXPECT_LE(place.at.offset, file.size()) << damage.why;
  }
  Limits limits;
  limits.max_strings = 1;
  EXPECT_EQ(read_all(appinfo_file(41, 1), nullptr, limits), Errc::too_large);
}

Input packageinfo_file(std::uint32_t version) {
  Writer out;
  out.u32(PackageInfo::magic | version);
  out.u32(1);
  for (const std::uint32_t id : {0U, 7U}) {
    out.u32(id);
    out.bytes(Input(20, 0xCC));
    out.u32(5);
    if (version == 40) {
      out.u64(99);
    }
    TreeBuilder builder;
    builder.block(std::to_string(id)).leaf("packageid", Value::int32(static_cast<std::int32_t>(id))).end();
    out.bytes(write_binary(builder.finish().value()).value());
  }
  out.u32(0xFFFFFFFF);
  return out.take();
}

std::error_code read_packages(ConstBytes bytes, std::size_t* count = nullptr, ErrorPlace* place = nullptr) {
  auto file = PackageInfo::open(bytes, {}, place);
  if (!file) {
    return file.error();
  }
  Tree tree;
  for (;;) {
    const auto entry = file->next(tree, place);
    if (!entry) {
      return entry.error();
    }
    if (!*entry) {
      return {};
    }
    EXPECT_EQ(tree.root().name(), std::to_string((*entry)->package_id));
    EXPECT_EQ((*entry)->access_token.value_or(0), file->version() == 40 ? 99U : 0U);
    if (count != nullptr) {
      ++*count;
    }
  }
}

TEST(PackageInfo, ReadsBothVersionsAndRefusesTruncations) {
  for (const std::uint32_t version : {39U, 40U}) {
    auto bytes = packageinfo_file(version);
    std::size_t count = 0;
    EXPECT_FALSE(read_packages(bytes, &count));
    EXPECT_EQ(count, 2U);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ErrorPlace place;
      EXPECT_TRUE(read_packages(ConstBytes(bytes).first(size), nullptr, &place)) << size;
      EXPECT_LE(place.at.offset, size);
    }
    EXPECT_EQ(read_packages(ConstBytes(bytes).first(bytes.size() - 4)), Errc::missing_end_of_list);
    bytes[0] = 41;
    EXPECT_EQ(read_packages(bytes), Errc::bad_magic);
    bytes[0] = static_cast<std::uint8_t>(version);
    bytes[1] ^= 1;
    EXPECT_EQ(read_packages(bytes), Errc::bad_magic);
  }
}

TEST(PackageInfo, BufferOfAMessage) {
  const auto buffer = test::hex(
      "010000000037000270000500000008"
      "08");
  EXPECT_EQ(read_package_buffer(buffer)->root()["p"].get<int>(), 5);
  for (std::size_t size = 0; size < buffer.size(); ++size) {
    EXPECT_FALSE(read_package_buffer(ConstBytes(buffer).first(size))) << size;
  }
}

TEST(Shortcuts, BothWays) {
  Shortcut full;
  full.app_id = -1234567890;
  full.app_name = "My Tool";
  full.exe = "\"/opt/my tool/run\"";
  full.start_dir = "\"/opt/\"";
  full.icon = "i";
  full.shortcut_path = "p";
  full.launch_options = "--fast";
  full.is_hidden = true;
  full.allow_desktop_config = false;
  full.allow_overlay = false;
  full.open_vr = true;
  full.devkit = true;
  full.devkit_game_id = "g";
  full.devkit_override_app_id = 9;
  full.last_play_time = UnixTime(std::chrono::seconds(1'700'000'000));
  full.flatpak_app_id = "org.x";
  full.sort_as = "tool";
  full.tags = {"favorite", "b"};
  const std::vector<Shortcut> shortcuts{full, Shortcut{}};
  const auto bytes = write_shortcuts(shortcuts).value();
  EXPECT_TRUE(std::all_of(bytes.end() - 4, bytes.end(), [](std::uint8_t b) { return b == 8; }));
  const Tree tree = read_binary(bytes).value();
  EXPECT_EQ(read_shortcuts(tree).value(), shortcuts);
  // Older files spell names in lower case and lack fields.
  const Tree old = tree_of("shortcuts { 0 { appname Old exe run } }");
  const auto read = read_shortcuts(old).value();
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].app_name, "Old");
  EXPECT_TRUE(read[0].allow_overlay);
  EXPECT_EQ(read_shortcuts(tree_of("other { }")).error(), Errc::bad_magic);
  EXPECT_EQ(read_shortcuts(Tree()).error(), Errc::bad_magic);
  full.icon = std::string(1, '\0');
  EXPECT_EQ(write_shortcuts(std::vector<Shortcut>{full}).error(), Errc::nul);
}

TEST(KeyValuesErrc, EveryOneHasItsText) {
  std::set<std::string> texts;
  for (int value = 1; value <= static_cast<int>(Errc::unbalanced); ++value) {
    const auto error = make_error_code(static_cast<Errc>(value));
    EXPECT_EQ(error.category().name(), std::string("corliss.keyvalues"));
    texts.insert(error.message());
  }
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(Errc::unbalanced));
}

}  // namespace
}  // namespace corliss::keyvalues
