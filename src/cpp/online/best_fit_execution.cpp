#include "schedcore/online/best_fit_execution.hpp"

#include <algorithm>

#include "schedcore/exact/wide.hpp"

namespace schedcore {

std::unique_ptr<Policy> BestFitExecutionPolicy::clone() const { return std::make_unique<BestFitExecutionPolicy>(*this); }

void BestFitExecutionPolicy::attach(const MachinesView& machines) {
  scale_ = DemandScale::of_machines(machines);
  has_own_scales_ = !machines.are_identical();
  waiting_ = WaitingIndex<ClassHeap>(machines.n_resources);
}

void BestFitExecutionPolicy::decide(const Event& event, Turn& turn) {
  const JobTable& jobs = turn.jobs();
  std::vector<std::uint32_t> completed;
  for (const Completion& completion : event.completed) completed.push_back(completion.machine);
  std::sort(completed.begin(), completed.end());
  for (const std::uint32_t machine : completed) {
    while (const auto found = waiting_.first_fit(turn.machines().free(machine), machine)) {
      jobs.prefetch(found.job.job);
      waiting_.erase(found.leaf, found.job.priority);
      turn.start(found.job.job, machine);
    }
  }
  for (const JobSlot job : event.arrived) {
    const std::size_t machine = fullest_fitting(turn.machines(), jobs.demand(job), jobs.eligibility(job));
    if (machine != kNoMachine) {
      turn.start(job, machine);
    } else {
      waiting_.push({number_priority(jobs.processing_time(job), jobs.id(job)), job}, jobs.demand(job), 0,
                    jobs.eligibility(job));
    }
  }
}

std::size_t BestFitExecutionPolicy::fullest_fitting(const MachineIndex& machines, std::span<const Amount> demand,
                                                    const Eligibility& eligibility) const {
  if (scale_.exact()) return machines.best_fit(demand, scale_.multiplier(), eligibility);
  std::size_t best = kNoMachine;
  UInt128 least{};
  for (std::size_t machine = machines.first_fit(demand, 0, eligibility); machine != kNoMachine;
       machine = machines.first_fit(demand, machine + 1, eligibility)) {
    UInt128 norm{};
    const auto available = machines.free(machine);
    for (std::size_t r = 0; r < available.size(); ++r) {
      const std::size_t number = has_own_scales_ ? machine * available.size() + r : r;
      const auto share = static_cast<std::uint64_t>(scale_.scaled(number, available[r]));
      norm = norm + UInt128(share) * UInt128(share);
    }
    if (best == kNoMachine || norm < least) {
      best = machine;
      least = norm;
    }
  }
  return best;
}

}  // namespace schedcore
