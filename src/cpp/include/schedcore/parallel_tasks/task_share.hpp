// How much of a task is done, exactly: the sum over machines of processed / (10^9 p).
//
// `processed` is fine time on the machine, where the whole task takes p units of time.  Decisions about shares are
// decisions of rational numbers: 106 bits decide nearly all of them, integers of 256 bits those of one machine each,
// and natural.hpp the rest.  A share takes O(k) memory where the task runs on k machines; `add` is O(k), a comparison
// O(1), or O(k^2) where 80 bits do not tell the shares apart and some part is not a whole unit of 10^-9.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedcore/exact/double_double.hpp"
#include "schedcore/parallel_tasks/fraction_schedule.hpp"

namespace schedcore {

class TaskShare {
 public:
  TaskShare() = default;
  TaskShare(std::size_t machine, std::int64_t processing_time, FineTime processed) {
    add(machine, processing_time, processed);
  }
  // 1.
  [[nodiscard]] static TaskShare whole();

  // Requires processed > 0, and the same processing time of a machine every time.
  void add(std::size_t machine, std::int64_t processing_time, FineTime processed);

  // The share in units of 10^-9, within 2^-80 of itself.
  [[nodiscard]] DoubleDouble units() const { return units_; }
  [[nodiscard]] bool is_zero() const { return part_.empty(); }

  // a * p <=> b * q, exactly.  Requires p and q in [0, 10^9].
  [[nodiscard]] static std::strong_ordering compare_products(const TaskShare& a, std::int64_t p, const TaskShare& b,
                                                             std::int64_t q);
  friend std::strong_ordering operator<=>(const TaskShare& a, const TaskShare& b) {
    return compare_products(a, 1, b, 1);
  }
  friend bool operator==(const TaskShare& a, const TaskShare& b) { return (a <=> b) == 0; }

 private:
  struct Part {
    std::size_t machine = 0;
    std::int64_t processing_time = 0;
    FineTime processed = 0;

    friend bool operator==(const Part&, const Part&) = default;
  };
  [[nodiscard]] std::int64_t whole_units() const;

  std::vector<Part> part_;  // of each machine that had some of the task, in the order of the first time
  DoubleDouble units_;
};

}  // namespace schedcore
