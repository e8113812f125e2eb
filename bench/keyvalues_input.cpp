#include "bench/keyvalues_input.h"

#include <corliss/base/writer.h>
#include <corliss/keyvalues/binary.h>
#include <corliss/keyvalues/text.h>

#include <functional>
#include <map>
#include <string_view>

namespace corliss::bench {
namespace {

using keyvalues::Value;
using keyvalues::Visitor;

// Small, fast, the same everywhere: splitmix64.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }

 private:
  std::uint64_t state_;
};

class App {
 public:
  App(Visitor& out, std::uint32_t id) : out_(out), id_(id), numbers_(id) {}

  void write(std::string_view root) {
    begin(root);
    number("appid", id_);
    common();
    extended();
    config();
    depots();
    end();
  }

 private:
  void begin(std::string_view name) { (void)out_.on_block(name, {}); }
  void end() { (void)out_.on_end(); }
  void leaf(std::string_view name, std::string_view value) { (void)out_.on_leaf(name, Value(value), {}); }
  void number(std::string_view name, std::uint32_t value) {
    (void)out_.on_leaf(name, Value::int32(static_cast<std::int32_t>(value)), {});
  }
  std::string word(std::size_t least, std::size_t most) {
    static constexpr std::string_view letters = "eationsrlcudmphgbyfvkwzxj_qETAONSR0123456789";
    std::string text;
    const std::size_t size = least + numbers_.below(most - least + 1);
    while (text.size() < size) {
      text += letters[numbers_.below(letters.size())];
    }
    return text;
  }
  std::string words(std::size_t count) {
    std::string text = word(2, 9);
    while (--count != 0) {
      text += ' ';
      text += word(2, 9);
    }
    return text;
  }
  std::string digits(std::size_t size) {
    std::string text = std::to_string(1 + numbers_.below(9));
    while (text.size() < size) {
      text += static_cast<char>('0' + numbers_.below(10));
    }
    return text;
  }
  std::string hex(std::size_t size) {
    std::string text;
    while (text.size() < size) {
      text += "0123456789abcdef"[numbers_.below(16)];
    }
    return text;
  }

  void common() {
    begin("common");
    leaf("name", words(1 + numbers_.below(4)));
    leaf("type", numbers_.below(3) == 0 ? "DLC" : "Game");
    leaf("releasestate", "released");
    leaf("oslist", numbers_.below(2) == 0 ? "windows" : "windows,macos,linux");
    leaf("osarch", "");
    leaf("clienticon", hex(40));
    leaf("icon", hex(40));
    number("metacritic_score", static_cast<std::uint32_t>(numbers_.below(100)));
    begin("small_capsule");
    leaf("english", "capsule_231x87.jpg");
    end();
    begin("associations");
    for (std::uint64_t i = 0; i < 1 + numbers_.below(3); ++i) {
      begin(std::to_string(i));
      leaf("type", i == 0 ? "developer" : "publisher");
      leaf("name", words(2));
      end();
    }
    end();
    begin("category");
    for (std::uint64_t i = 0; i < 3 + numbers_.below(10); ++i) {
      number("category_" + std::to_string(1 + numbers_.below(70)), 1);
    }
    end();
    begin("store_tags");
    for (std::uint64_t i = 0; i < 5 + numbers_.below(15); ++i) {
      number(std::to_string(i), static_cast<std::uint32_t>(numbers_.below(10000)));
    }
    end();
    begin("supported_languages");
    for (const std::string_view language : {"english", "french", "german", "japanese"}) {
      begin(language);
      leaf("supported", "true");
      leaf("full_audio", "true");
      end();
    }
    end();
    leaf("gameid", std::to_string(id_));
    end();
  }

  void extended() {
    begin("extended");
    leaf("developer", words(2));
    leaf("publisher", words(2));
    leaf("homepage", "http://www." + word(4, 12) + ".com/" + word(3, 8));
    leaf("gamedir", word(4, 10));
    if (numbers_.below(8) == 0) {
      leaf("description", words(4) + " \"" + word(3, 8) + "\"\n" + words(6));
    }
    leaf("isfreeapp", "0");
    end();
  }

  void config() {
    begin("config");
    number("contenttype", 3);
    leaf("installdir", words(2));
    begin("launch");
    for (std::uint64_t i = 0; i < 1 + numbers_.below(3); ++i) {
      begin(std::to_string(i));
      leaf("executable", numbers_.below(4) == 0 ? "bin\\" + word(4, 10) + ".exe" : word(4, 14) + ".exe");
      leaf("type", "default");
      begin("config");
      leaf("oslist", "windows");
      leaf("osarch", "64");
      end();
      end();
    }
    end();
    end();
  }

  void depots() {
    begin("depots");
    for (std::uint64_t i = 0; i < 1 + numbers_.below(5); ++i) {
      begin(std::to_string(id_ + 1 + i));
      begin("config");
      leaf("oslist", "windows");
      end();
      begin("manifests");
      for (const std::string_view branch : {"public", "beta"}) {
        begin(branch);
        leaf("gid", digits(19));
        leaf("size", digits(10));
        leaf("download", digits(10));
        end();
      }
      end();
      leaf("maxsize", digits(10));
      end();
    }
    begin("branches");
    begin("public");
    leaf("buildid", digits(8));
    leaf("timeupdated", digits(10));
    end();
    end();
    end();
  }

  Visitor& out_;
  std::uint32_t id_;
  Numbers numbers_;
};

// Names as indexes into a table, the rest as in the binary form.
class IndexedWriter final : public Visitor {
 public:
  explicit IndexedWriter(std::map<std::string, std::uint32_t, std::less<>>& names) : names_(names) {}
  keyvalues::Next on_block(std::string_view name, const keyvalues::NodeConditions&) override {
    return put(0, name);
  }
  keyvalues::Next on_leaf(std::string_view name, const Value& value,
                          const keyvalues::NodeConditions&) override {
    put(static_cast<std::uint8_t>(value.type()), name);
    if (value.type() == keyvalues::Type::string) {
      out.bytes(bytes_of(value.string()));
      out.u8(0);
    } else {
      out.u32(static_cast<std::uint32_t>(value.bits()));
    }
    return keyvalues::Next::go_on;
  }
  keyvalues::Next on_end() override {
    out.u8(8);
    return keyvalues::Next::go_on;
  }

  Writer out;

 private:
  keyvalues::Next put(std::uint8_t type, std::string_view name) {
    out.u8(type);
    out.u32(names_.emplace(name, static_cast<std::uint32_t>(names_.size())).first->second);
    return keyvalues::Next::go_on;
  }
  std::map<std::string, std::uint32_t, std::less<>>& names_;
};

constexpr std::uint32_t first_app = 10;
constexpr std::size_t largest_app = 16 * 1024;  // generous

}  // namespace

std::string app_info_text(std::size_t size) {
  std::string out;
  out.reserve(size);
  keyvalues::TextWriter writer(out);
  (void)writer.on_block("apps", {});
  for (std::uint32_t id = first_app; out.size() + largest_app < size; id += 10) {
    App(writer, id).write(std::to_string(id));
  }
  (void)writer.on_end();
  return out;
}

std::vector<std::uint8_t> app_info_binary(std::size_t size) {
  std::vector<std::uint8_t> out;
  out.reserve(size);
  keyvalues::BinaryWriter writer(out);
  (void)writer.on_block("apps", {});
  for (std::uint32_t id = first_app; out.size() + largest_app < size; id += 10) {
    App(writer, id).write(std::to_string(id));
  }
  (void)writer.on_end();
  (void)writer.finish();
  return out;
}

std::vector<std::uint8_t> app_info_file(std::size_t size) {
  std::map<std::string, std::uint32_t, std::less<>> names;
  Writer out(size);
  out.u32(0x07564429);
  out.u32(1);
  out.u64(0);  // where the string table is; known at the end
  for (std::uint32_t id = first_app; out.size() + 2 * largest_app < size; id += 10) {
    IndexedWriter tree(names);
    App(tree, id).write("appinfo");
    tree.out.u8(8);
    out.u32(id);
    out.u32(static_cast<std::uint32_t>(60 + tree.out.size()));
    out.u32(2);
    out.u32(1'700'000'000);
    out.u64(0);
    out.bytes(std::vector<std::uint8_t>(20));
    out.u32(id);
    out.bytes(std::vector<std::uint8_t>(20));
    out.bytes(tree.out.view());
  }
  out.u32(0);
  const std::size_t table = out.size();
  std::vector<std::string_view> by_index(names.size());
  for (const auto& [name, index] : names) {
    by_index[index] = name;
  }
  out.u32(static_cast<std::uint32_t>(by_index.size()));
  for (const std::string_view name : by_index) {
    out.bytes(bytes_of(name));
    out.u8(0);
  }
  auto file = out.take();
  store_le<std::uint64_t>(file.data() + 8, table);
  return file;
}

}  // namespace corliss::bench
