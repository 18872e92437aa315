#include "schedcore/online/mris_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/exact/double_double.hpp"
#include "schedcore/online/volume.hpp"

namespace schedcore {

void check_interval(const JobColumns& job, Time gamma0) {
  if (job.processing_time >= gamma0) return;
  throw InvalidInstanceError("processing_time of job " + std::to_string(job.id) + " is " +
                             number_text(job.processing_time) + ", below gamma0 = " + number_text(gamma0));
}

MrisIntervals::MrisIntervals(const MrisOptions& options, const MachinesView& machines)
    : options_(options),
      n_machines_(machines.n_with_capacity()),
      scale_(DemandScale::of_cluster(machines)),
      origin_(options.origin_is_busy ? 0 : options.origin) {}

int MrisIntervals::first_k_holding(Time length) const {
  int k = std::max(0, std::ilogb(std::max(length, options_.gamma0)) - std::ilogb(options_.gamma0));
  if (interval(k) < length) ++k;
  return k;
}

int MrisIntervals::first_k_reaching(Time instant) const {
  // The difference is rounded, and so is every gamma: near this k is the one.
  int k = first_k_holding(since_origin(instant));
  while (k > 0 && gamma(k - 1) >= instant) --k;
  while (gamma(k) < instant) ++k;
  return k;
}

Ratio MrisIntervals::twice_c() const {
  Ratio eps{1, 1};
  if (options_.knapsack == KnapsackMethod::exact) eps = {0, 1};
  if (options_.knapsack == KnapsackMethod::cadp) eps = options_.epsilon;
  const auto n_resources = static_cast<std::int64_t>(scale_.n_resources());
  return {4 * n_resources * (eps.den + eps.num) + (n_machines_ > 1 ? 2 * eps.den : 0), eps.den};
}

double MrisIntervals::end_factor() const {
  const Ratio factor = twice_c();
  return static_cast<double>(factor.num) / static_cast<double>(factor.den) * (1 - 0x1p-50);
}

bool MrisIntervals::keeps_bound(Time end, int k) const {
  const Ratio factor = twice_c();
  const auto exact = two_sum(end, -origin_);
  const Time length = exact.error > 0 ? std::nextafter(exact.value, kNever) : exact.value;
  // Products with their rounding errors are exact, and rounding is monotone: comparing value, then error, decides.
  const auto left = two_product(length, static_cast<double>(factor.den));
  const auto right = two_product(interval(k), static_cast<double>(factor.num));
  return left.value < right.value || (left.value == right.value && left.error <= right.error);
}

std::vector<std::uint32_t> MrisIntervals::choose(std::span<const JobSlot> candidates, int k, Turn& turn) const {
  const JobTable& jobs = turn.jobs();
  const VolumeKnapsack volumes(candidates, jobs, scale_, interval(k), scale_.n_capacities());
  if (volumes.everything_fits()) {
    std::vector<std::uint32_t> all(candidates.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  std::vector<double> weight;
  weight.reserve(candidates.size());
  for (const JobSlot job : candidates) weight.push_back(jobs.weight(job));
  KnapsackOptions options{options_.knapsack, options_.epsilon, options_.memory_limit, turn.monitor()};
  if (options_.knapsack != KnapsackMethod::exact || !turn.budget().is_limited()) return volumes.solve(weight, options);
  try {
    options.budget = &turn.budget();
    return volumes.solve(weight, options);
  } catch (const WorkBudgetSpent&) {
    turn.tell_shortened("knapsack: " + std::to_string(candidates.size()) + " jobs by cadp");
    options.method = KnapsackMethod::cadp;
    options.budget = nullptr;
    return volumes.solve(weight, options);
  }
}

void MrisIntervals::record_iteration(int k, std::size_t n_candidates, std::span<const JobSlot> batch, const JobTable& jobs) {
  if (!options_.record) return;
  MrisIteration iteration{k, gamma(k), origin_, n_candidates, {}, 0};
  for (const JobSlot job : batch) iteration.chosen.push_back(jobs.id(job));
  iterations_.push_back(std::move(iteration));
}

void MrisIntervals::require_clock(const SnapshotReader& archive, Time now) const {
  archive.require(options_.origin_is_busy ? origin_ >= 0 && origin_ <= now : origin_ == options_.origin,
                  "intervals of MRIS begin at another origin");
  archive.require(next_k_ >= 0 && now < gamma(next_k_) && (next_k_ == 0 || gamma(next_k_ - 1) <= now),
                  "the next interval of MRIS is another one");
}

}  // namespace schedcore
