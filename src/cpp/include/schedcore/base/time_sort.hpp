// Stable sort of (instant, index) pairs by instant.
//
// O(n log n) comparisons for few entries; from kRadixSize on a radix sort by the bits of the instant, O(n): four to six
// times as fast as std::sort on four million random instants.  The sorter keeps its scratch memory (16 bytes an entry)
// for the next call.  Instants must not be NaN; -0 and 0 are one instant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/base/types.hpp"

namespace schedcore {

struct TimedIndex {
  Time instant = 0;
  std::size_t index = 0;
};

class TimeSorter {
 public:
  static constexpr std::size_t kRadixSize = 2048;

  void sort(std::vector<TimedIndex>& entries);

 private:
  void radix_sort(std::vector<TimedIndex>& entries);

  std::vector<TimedIndex> scratch_;
};

}  // namespace schedcore
