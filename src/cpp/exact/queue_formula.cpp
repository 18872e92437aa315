#include "schedcore/exact/queue_formula.hpp"

#include <cmath>

#include "schedcore/exact/rounded_logarithm.hpp"

namespace schedcore {

Priority formula_key(QueueFormula formula, const FormulaJob& job, Time first_release, std::int64_t id) {
  if (formula == QueueFormula::saf) return quotient_priority(job.estimate, job.amount, 1, id);
  const double r = job.estimate;
  const auto n = static_cast<double>(job.amount);
  const double age = rounded_log10(std::max(0.0, job.release_time - first_release) + 1);
  switch (formula) {
    case QueueFormula::f1: return number_priority(rounded_log10(r) * n + 870 * age, id);
    case QueueFormula::f2: return number_priority(std::sqrt(r) * n + 25600 * age, id);
    case QueueFormula::f3: return number_priority(r * n + 6.86e6 * age, id);
    default: return number_priority(r * std::sqrt(n) + 5.3e5 * age, id);
  }
}

WaitTerms wait_terms(QueueFormula formula, const FormulaJob& job) {
  const auto n = static_cast<double>(job.amount);
  if (formula == QueueFormula::unicef) return {job.release_time, rounded_log2(n) * job.estimate, 1};
  return {job.release_time, job.estimate, n};
}

}  // namespace schedcore
