// A set of ids, of which many follow one another: few ranges for many ids.
//
// Cost O(log r) for r ranges.  Memory 64 bytes a range.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace schedcore {

class IdRanges {
 public:
  [[nodiscard]] bool contains(std::int64_t id) const {
    const auto after = ranges_.upper_bound(id);
    return after != ranges_.begin() && std::prev(after)->second >= id;
  }
  // Of an id that is not there.
  void insert(std::int64_t id) {
    const auto after = ranges_.upper_bound(id);
    const bool joins_before = after != ranges_.begin() && std::prev(after)->second == id - 1;
    const bool joins_after = after != ranges_.end() && after->first == id + 1;
    if (joins_before && joins_after) {
      std::prev(after)->second = after->second;
      ranges_.erase(after);
    } else if (joins_before) {
      std::prev(after)->second = id;
    } else if (joins_after) {
      const std::int64_t last = after->second;
      ranges_.emplace_hint(ranges_.erase(after), id, last);
    } else {
      ranges_.emplace_hint(after, id, id);
    }
  }
  // Of an id that may be there.
  void erase(std::int64_t id) {
    const auto after = ranges_.upper_bound(id);
    if (after == ranges_.begin()) return;
    const auto range = std::prev(after);
    const auto [first, last] = *range;
    if (last < id) return;
    if (first == id) {
      ranges_.erase(range);
    } else {
      range->second = id - 1;
    }
    if (last > id) ranges_.emplace(id + 1, last);
  }
  [[nodiscard]] std::size_t n_ranges() const { return ranges_.size(); }

  // First and last ids, in increasing order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [first, last] : ranges_) visit(first, last);
  }
  // Of a range behind all others, which it does not touch.
  void append(std::int64_t first, std::int64_t last) { ranges_.emplace_hint(ranges_.end(), first, last); }

 private:
  std::map<std::int64_t, std::int64_t> ranges_;  // first to last
};

}  // namespace schedcore
