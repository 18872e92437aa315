// When the last piece so far of a task on a machine ends, for pieces that come in order of their starts.
//
// A hash table of (task row, machine) that forgets: whenever it is full, entries that no longer matter are dropped, so that
// it stays in proportion to what matters at a time and not to the length of the schedule.  `find` and `raise` are
// expected O(1), amortised over the rebuilding; 16 bytes an entry, at most 8 times as many as mattered when it grew last.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "schedcore/model/slots.hpp"

namespace schedcore {

class LatestEnds {
 public:
  static constexpr Slot kNone = std::numeric_limits<Slot>::min();  // before every slot

  // Rows and machines must be below 2^32 - 1.
  [[nodiscard]] Slot find(std::size_t row, std::size_t machine) const { return entries_[place_of(key(row, machine))].end; }

  // Notes an end; the latest one counts.  `matters(row, end)` says of an entry whether it may still be asked for.
  template <class Matters>
  void raise(std::size_t row, std::size_t machine, Slot end, const Matters& matters) {
    Entry* entry = &entries_[place_of(key(row, machine))];
    if (entry->key == kEmpty) {
      if (2 * (n_entries_ + 1) > entries_.size()) {
        rebuild(matters);
        entry = &entries_[place_of(key(row, machine))];
      }
      entry->key = key(row, machine);
      ++n_entries_;
    }
    if (end > entry->end) entry->end = end;
  }

 private:
  struct Entry {
    std::uint64_t key = kEmpty;
    Slot end = kNone;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  [[nodiscard]] static std::uint64_t key(std::size_t row, std::size_t machine) {
    assert(row < 0xffffffffu && machine < 0xffffffffu);
    return static_cast<std::uint64_t>(row) << 32 | machine;
  }
  // Where the key is, or the free entry where it would be.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = entries_.size() - 1;
    const std::uint64_t mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
    std::size_t place = static_cast<std::size_t>(mixed >> 32) & mask;
    while (entries_[place].key != key && entries_[place].key != kEmpty) place = (place + 1) & mask;
    return place;
  }
  template <class Matters>
  void rebuild(const Matters& matters) {
    std::vector<Entry> kept;
    for (const Entry& entry : entries_) {
      if (entry.key != kEmpty && matters(static_cast<std::size_t>(entry.key >> 32), entry.end)) kept.push_back(entry);
    }
    std::size_t size = 64;
    while (size < 4 * (kept.size() + 1)) size *= 2;
    entries_.assign(size, {});
    for (const Entry& entry : kept) entries_[place_of(entry.key)] = entry;
    n_entries_ = kept.size();
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);  // a power of two of them, at most half in use
  std::size_t n_entries_ = 0;
};

}  // namespace schedcore
