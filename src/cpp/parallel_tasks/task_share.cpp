#include "schedcore/parallel_tasks/task_share.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "schedcore/exact/double_double_quotient.hpp"
#include "schedcore/exact/natural.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/parallel_tasks/capped_fractions.hpp"

namespace schedcore {

namespace {

constexpr std::int64_t kNotWhole = -1;

UInt128 as_wide(std::int64_t value) { return static_cast<UInt128>(static_cast<std::uint64_t>(value)); }
Natural as_natural(std::int64_t value) { return Natural(static_cast<std::uint64_t>(value)); }

}  // namespace

TaskShare TaskShare::whole() { return {0, 1, kWholeTask}; }

void TaskShare::add(std::size_t machine, std::int64_t processing_time, FineTime processed) {
  assert(processing_time > 0 && processed > 0);
  const auto own = std::find_if(part_.begin(), part_.end(), [&](const Part& part) { return part.machine == machine; });
  if (own == part_.end()) {
    part_.push_back({machine, processing_time, processed});
  } else {
    own->processed += processed;
  }
  units_ = units_ + quotient(as_double_double(processed), as_double_double(processing_time));
}

// The share in units of 10^-9 if each part is a whole number of them; kNotWhole if not.
std::int64_t TaskShare::whole_units() const {
  std::int64_t units = 0;
  for (const Part& part : part_) {
    if (part.processed % part.processing_time != 0) return kNotWhole;
    units += part.processed / part.processing_time;
  }
  return units;
}

std::strong_ordering TaskShare::compare_products(const TaskShare& a, std::int64_t p, const TaskShare& b,
                                                 std::int64_t q) {
  const DoubleDouble left = product(a.units_, as_double_double(p)), right = product(b.units_, as_double_double(q));
  const double lead = (left - right).hi;
  if (std::abs(lead) > 0x1p-78 * (left.hi + right.hi)) {
    return lead < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (p == q && a.part_ == b.part_) return std::strong_ordering::equal;
  const std::int64_t units_a = a.whole_units(), units_b = b.whole_units();
  if (units_a != kNotWhole && units_b != kNotWhole) return units_a * p <=> units_b * q;
  if (a.part_.size() == 1 && b.part_.size() == 1) {
    const Part& of_a = a.part_[0];
    const Part& of_b = b.part_[0];
    return schedcore::compare_products(as_wide(of_a.processed) * as_wide(p), as_wide(of_b.processing_time),
                                       as_wide(of_b.processed) * as_wide(q), as_wide(of_a.processing_time));
  }
  struct Quotient {
    Natural numerator, denominator{1};

    explicit Quotient(const std::vector<Part>& parts) {
      for (const Part& part : parts) {
        const Natural time = as_natural(part.processing_time);
        numerator = numerator * time + denominator * as_natural(part.processed);
        denominator = denominator * time;
      }
    }
  };
  const Quotient of_a(a.part_), of_b(b.part_);
  return of_a.numerator * as_natural(p) * of_b.denominator <=> of_b.numerator * as_natural(q) * of_a.denominator;
}

}  // namespace schedcore
