// When can a machine not be used, asked at instants that ascend?
//
// Rows of a machine that overlap or touch are one stretch.  Building takes O(n log n) for n rows.  Without rows nothing
// is stored, and questions cost nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "schedcore/validation/run_validator.hpp"

namespace schedcore {

class DownTimes {
 public:
  DownTimes(const DownView& rows, std::size_t n_machines);

  // When the first stretch of the machine begins that meets [start, end); kNever for none.  Starts must not descend
  // from call to call.  O(1) amortised.
  [[nodiscard]] Time begin_met(std::size_t machine, Time start, Time end);

  // Whether a stretch of the machine begins at that instant.  O(log n).
  [[nodiscard]] bool begins(std::size_t machine, Time instant) const;

 private:
  // Stretches of machine i are rows first_[i] .. first_[i + 1] - 1, apart from each other and ascending.  Those before
  // next_[i] end no later than any start that is still to come.  All are empty where there are no stretches.
  std::vector<std::size_t> first_;
  std::vector<std::size_t> next_;
  std::vector<Time> begin_;
  std::vector<Time> end_;
};

}  // namespace schedcore
