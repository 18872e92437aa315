// A set of ids from 0 to 2^63 - 2, of which many follow one another: few ranges for many ids.
//
// Cost O(log r) for r ranges.  Memory 64 bytes a range; written, two bytes or more, as the gaps between them.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "schedcore/base/archive.hpp"

namespace schedcore {

class IdRanges {
 public:
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool contains(std::int64_t id) const {
    const auto after = ranges_.upper_bound(id);
    return after != ranges_.begin() && std::prev(after)->second >= id;
  }
  // The lowest of them; there are some.
  [[nodiscard]] std::int64_t front() const { return ranges_.begin()->first; }
  // Of an id that is not there.
  void insert(std::int64_t id);
  // Of an id that may be there.
  void erase(std::int64_t id);
  // Cost O(r log r).
  [[nodiscard]] bool is_part_of(const IdRanges& other) const;

  void write(SnapshotWriter& archive) const;
  // For an empty set.
  void read(SnapshotReader& archive);

 private:
  std::map<std::int64_t, std::int64_t> ranges_;  // first to last
  std::uint64_t size_ = 0;
};

}  // namespace schedcore
