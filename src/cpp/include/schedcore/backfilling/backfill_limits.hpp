// What sites set about backfilling, and what backfilling policies tell whoever asks.
#pragma once

#include <cstdint>
#include <limits>

#include "schedcore/base/types.hpp"
#include "schedcore/engine/run_ends.hpp"

namespace schedcore {

// The defaults are the textbook's.
struct BackfillLimits {
  std::uint64_t queue_depth = std::numeric_limits<std::uint64_t>::max();  // how many waiting jobs are looked at
  Time window = kNever;                                                   // how far ahead something may be planned
  Time resolution = 0;                                                    // planned ends are multiples; 0: as they are
  Time interval = 0;                                                      // the least time between two runs
};

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
