// Orders of a queue that the field uses, beside the keys of priority.hpp: formulas of how long a job takes by its estimate
// (r), how much it demands (n), when it was released, and how long it has waited (w).  Smaller comes first.
//
//   saf     r n                               smallest area first
//   f1      log10(r) n + 870 log10(s)         with s = 1 + the time between the first release of all and that of the job,
//   f2      sqrt(r) n + 25600 log10(s)        at least 1
//   f3      r n + 6.86e6 log10(s)
//   f4      r sqrt(n) + 5.3e5 log10(s)
//   lxf     -(w + r) / r                      largest expansion factor first
//   wfp3    -(w / r)^3 n
//   unicef  -w / (log2(n) r)                  n = 1 comes first, though log2(1) = 0 and whatever it has waited
//
// Sources: Carastan-Santos and de Camargo, SC'17, for f1 to f4; Tang, Lan, Desai and Buettner, Cluster 2009, for wfp3 and
// unicef; lxf and saf are folklore.
//
// saf is exact.  The others are doubles, each operation rounded once and in the order in which it stands in the code, with the
// logarithms of rounded_logarithm.hpp, so keys are the same bits on every platform; for lxf -w / r is compared, which is in the
// same order.  Those that count the wait change with time, and all those of a queue are to be of one instant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "schedcore/base/types.hpp"
#include "schedcore/exact/priority.hpp"

namespace schedcore {

enum class QueueFormula : std::uint8_t { saf, f1, f2, f3, f4, lxf, wfp3, unicef };

[[nodiscard]] constexpr bool counts_the_wait(QueueFormula formula) { return formula >= QueueFormula::lxf; }
[[nodiscard]] constexpr bool counts_from_the_first_release(QueueFormula formula) {
  return formula >= QueueFormula::f1 && formula <= QueueFormula::f4;
}

// What a formula reads of a job.
struct FormulaJob {
  Time release_time = 0;
  Time estimate = 0;         // above 0
  std::uint64_t amount = 1;  // n, at least 1 and below 2^63
};

// Of a formula that does not count the wait.
[[nodiscard]] Priority formula_key(QueueFormula formula, const FormulaJob& job, Time first_release, std::int64_t id);

// Of one that does, what of it is the same at all times.
struct WaitTerms {
  Time release_time = 0;
  double divisor = 1;  // of the wait; 0 comes first
  double factor = 1;
};
[[nodiscard]] WaitTerms wait_terms(QueueFormula formula, const FormulaJob& job);
[[nodiscard]] inline double wait_key(QueueFormula formula, const WaitTerms& terms, Time now) {
  if (terms.divisor == 0) return -std::numeric_limits<double>::infinity();
  const double waited = std::max(0.0, now - terms.release_time) / terms.divisor;
  return formula == QueueFormula::wfp3 ? -(waited * waited * waited * terms.factor) : -waited;
}

}  // namespace schedcore
