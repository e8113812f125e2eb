#pragma once

#include <corliss/base/bytes.h>
#include <corliss/base/endian.h>
#include <corliss/keyvalues/tree.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace corliss::keyvalues::detail {

/// The string table of appinfo.vdf 41.
struct StringTable {
  const std::uint8_t* file = nullptr;
  std::vector<std::uint32_t> offsets;  // of each string in the file, and one behind the last

  [[nodiscard]] std::uint32_t size() const noexcept {
    return offsets.empty() ? 0 : static_cast<std::uint32_t>(offsets.size() - 1);
  }
  [[nodiscard]] std::string_view at(std::uint32_t index) const noexcept {
    const std::uint32_t begin = offsets[index];
    return {reinterpret_cast<const char*>(file) + begin, offsets[index + 1] - begin - 1};
  }
};

/// One node of a tree's tape, which holds the nodes in the order of the document:
///   leaf    {position of the name, kind 4 | name size 8 | gap 6 | value size 14}
///   block   {position of the name, 0 (4) | name size 8 | slots of the block, itself included 20}
///   wide    {index into Store::wide, 15 | type 4 | name in side 1 | value in side 1}, where that is too
///   little
/// The value of a leaf stands `gap` bytes behind the end of its name. Kinds are the numbers of `Type`.
/// While a block is open: {position of the name, 0 (4) | name in side 1 | name size 27}.
struct Slot {
  std::uint32_t pos;
  std::uint32_t bits;
};

struct Wide {
  std::uint32_t name_pos;
  std::uint32_t name_size;
  std::uint32_t value_pos;   // block: the slots of the block
  std::uint32_t value_size;  // block: unused
};

struct KeptCondition {
  std::uint32_t slot;
  std::uint32_t pos;  // in the source
  std::uint32_t size;
  bool after_value;
};

/// Slots that grow through realloc, which moves pages instead of bytes where the array is large.
class SlotBuffer {
 public:
  void push(Slot slot) {
    if (size_ == capacity_) {
      grow();
    }
    data_.get()[size_++] = slot;
  }
  [[nodiscard]] Slot& operator[](std::size_t index) noexcept { return data_.get()[index]; }
  [[nodiscard]] const Slot& operator[](std::size_t index) const noexcept { return data_.get()[index]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  void clear() noexcept { size_ = 0; }

 private:
  struct Free {
    void operator()(Slot* slots) const noexcept { std::free(slots); }
  };
  void grow() {
    const std::uint64_t wanted = std::uint64_t{capacity_} + capacity_ / 2 + 64;
    if (wanted > UINT32_MAX) {
      throw std::bad_alloc();
    }
    void* const moved = std::realloc(data_.get(), wanted * sizeof(Slot));
    if (moved == nullptr) {
      throw std::bad_alloc();
    }
    (void)data_.release();
    data_.reset(static_cast<Slot*>(moved));
    capacity_ = static_cast<std::uint32_t>(wanted);
  }

  std::unique_ptr<Slot, Free> data_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

inline constexpr std::uint32_t wide_kind = 15;
inline constexpr std::uint32_t kind_mask = 15;
inline constexpr std::size_t max_tree_input = UINT32_MAX;

struct Store {
  ConstBytes source;                // what positions count in
  std::vector<std::uint8_t> owned;  // the source, where the tree owns it
  std::string side;                 // strings that do not stand in the source as they are
  SlotBuffer slots;
  std::vector<Wide> wide;
  std::vector<KeptCondition> conditions;  // by slot
  const StringTable* names = nullptr;     // names in the source are indexes into it
  std::size_t nodes = 0;
  std::size_t consumed = 0;

  std::vector<std::uint32_t> open;  // slots of open blocks, while the tree is filled

  void reset(ConstBytes input) noexcept {
    source = input;
    owned.clear();
    side.clear();
    slots.clear();
    wide.clear();
    conditions.clear();
    names = nullptr;
    nodes = 0;
    consumed = 0;
    open.clear();
  }

  void add_block(std::uint32_t name_pos, std::size_t name_size, bool name_in_side) {
    ++nodes;
    open.push_back(slots.size());
    slots.push({name_pos, (name_in_side ? 16U : 0U) | (static_cast<std::uint32_t>(name_size) << 5)});
  }
  void end_block() {
    Slot& slot = slots[open.back()];
    const std::uint32_t span = slots.size() - open.back();
    open.pop_back();
    const std::uint32_t name_size = slot.bits >> 5;
    const bool name_in_side = (slot.bits & 16) != 0;
    if (name_size < 256 && span < (1U << 20) && !name_in_side) [[likely]] {
      slot.bits = (name_size << 4) | (span << 12);
      return;
    }
    wide.push_back({slot.pos, name_size, span, 0});
    slot = {static_cast<std::uint32_t>(wide.size() - 1), wide_kind | (name_in_side ? 256U : 0U)};
  }
  /// A leaf whose name and value both stand in the source, the value behind the name.
  void add_leaf(Type type, std::uint32_t name_pos, std::size_t name_size, std::size_t gap,
                std::size_t value_size) {
    if (name_size < 256 && gap < 64 && value_size < 16384) [[likely]] {
      ++nodes;
      slots.push({name_pos, static_cast<std::uint32_t>(type) | (static_cast<std::uint32_t>(name_size) << 4) |
                                (static_cast<std::uint32_t>(gap) << 12) |
                                (static_cast<std::uint32_t>(value_size) << 18)});
    } else {
      const auto name_size32 = static_cast<std::uint32_t>(name_size);
      add_wide(type,
               {name_pos, name_size32, name_pos + name_size32 + static_cast<std::uint32_t>(gap),
                static_cast<std::uint32_t>(value_size)},
               false, false);
    }
  }
  void add_wide(Type type, const Wide& leaf, bool name_in_side, bool value_in_side) {
    ++nodes;
    slots.push({static_cast<std::uint32_t>(wide.size()), wide_kind | (static_cast<std::uint32_t>(type) << 4) |
                                                             (name_in_side ? 256U : 0U) |
                                                             (value_in_side ? 512U : 0U)});
    wide.push_back(leaf);
  }

  /// A condition of the node that is added next.
  void add_condition(std::size_t pos, std::size_t size, bool after_value) {
    conditions.push_back(
        {slots.size(), static_cast<std::uint32_t>(pos), static_cast<std::uint32_t>(size), after_value});
  }

  [[nodiscard]] bool is_wide(std::uint32_t slot) const noexcept {
    return (slots[slot].bits & kind_mask) == wide_kind;
  }
  [[nodiscard]] bool is_block(std::uint32_t slot) const noexcept { return type(slot) == Type::block; }
  [[nodiscard]] std::uint32_t next(std::uint32_t slot) const noexcept {
    const Slot s = slots[slot];
    if (!is_block(slot)) {
      return slot + 1;
    }
    return slot + (is_wide(slot) ? wide[s.pos].value_pos : s.bits >> 12);
  }
  [[nodiscard]] std::string_view text_at(std::uint32_t pos, std::size_t size, bool in_side) const noexcept {
    const char* const base = in_side ? side.data() : reinterpret_cast<const char*>(source.data());
    return {base + pos, size};
  }
  [[nodiscard]] std::string_view name(std::uint32_t slot) const noexcept {
    const Slot s = slots[slot];
    std::uint32_t pos = s.pos;
    std::size_t size = 0;
    bool in_side = false;
    if (is_wide(slot)) {
      pos = wide[s.pos].name_pos;
      size = wide[s.pos].name_size;
      in_side = (s.bits & 256) != 0;
    } else {
      size = (s.bits >> 4) & 255;
    }
    if (names != nullptr) {
      return names->at(load_le<std::uint32_t>(source.data() + pos));
    }
    return text_at(pos, size, in_side);
  }
  [[nodiscard]] Type type(std::uint32_t slot) const noexcept {
    const std::uint32_t bits = slots[slot].bits;
    const std::uint32_t kind = bits & kind_mask;
    return static_cast<Type>(kind == wide_kind ? (bits >> 4) & kind_mask : kind);
  }
  [[nodiscard]] Value value(std::uint32_t slot) const noexcept {
    const Slot s = slots[slot];
    std::string_view bytes;
    if (is_wide(slot)) {
      bytes = text_at(wide[s.pos].value_pos, wide[s.pos].value_size, (s.bits & 512) != 0);
    } else {
      const std::uint32_t name_size = (s.bits >> 4) & 255;
      const std::uint32_t gap = (s.bits >> 12) & 63;
      bytes = text_at(s.pos + name_size + gap, s.bits >> 18, false);
    }
    const Type kind = type(slot);
    if (kind == Type::string) {
      return {bytes};
    }
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return Value::of_bits(kind,
                          bytes.size() == 8 ? load_le<std::uint64_t>(data) : load_le<std::uint32_t>(data));
  }
};

}  // namespace corliss::keyvalues::detail
