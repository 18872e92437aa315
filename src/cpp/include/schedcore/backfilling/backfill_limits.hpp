// What sites set about backfilling, and what backfilling policies tell whoever asks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "schedcore/base/types.hpp"

namespace schedcore {

// The defaults are the textbook's.
struct BackfillLimits {
  std::uint64_t queue_depth = std::numeric_limits<std::uint64_t>::max();  // how many waiting jobs are looked at
  Time window = kNever;                                                   // how far ahead something may be planned
  Time resolution = 0;                                                    // planned ends are multiples; 0: as they are
  Time interval = 0;                                                      // the least time between two runs
};

// The end in a plan whose ends are multiples of `resolution`; 0: as it is.  In doubles: integers come out exactly, other
// times may end one multiple later.
[[nodiscard]] inline Time rounded_up(Time end, Time resolution) {
  return resolution > 0 ? std::max(end, resolution * std::ceil(end / resolution)) : end;
}

// When a job that has outlived its estimate is expected to end: the estimate once more from now, later than now even where
// it is lost in rounding, and before the end of the clock.
[[nodiscard]] inline Time renewed_end(Time now, Time estimate, Time resolution) {
  const Time end = rounded_up(now + estimate, resolution);
  return std::max(std::min(end, std::numeric_limits<Time>::max()), std::nextafter(now, kNever));
}

class BackfillRecords {
 public:
  // Jobs that were still running when their estimate was over, counted each time.
  [[nodiscard]] virtual std::uint64_t n_overruns() const = 0;

 protected:
  BackfillRecords() = default;
  BackfillRecords(const BackfillRecords&) = default;
  BackfillRecords(BackfillRecords&&) = default;
  BackfillRecords& operator=(const BackfillRecords&) = default;
  BackfillRecords& operator=(BackfillRecords&&) = default;
  ~BackfillRecords() = default;
};

}  // namespace schedcore
