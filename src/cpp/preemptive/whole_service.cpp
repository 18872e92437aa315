#include "schedcore/preemptive/whole_service.hpp"

#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

WholeService::WholeService(const SlotJobs& jobs, MachinesView machines, bool repacked, bool skip)
    : jobs_(jobs), repacked_(repacked), skip_(skip), empty_(machines.capacity, machines.n_resources) {
  for (std::size_t job = 0; job < jobs.n_jobs(); ++job)
    if (empty_.first_fit(jobs.believed_demand_of(job)) == kNoMachine)
      throw InfeasibleError("no machine can run job " + std::to_string(job) + " whole");
}

void WholeService::decide(std::span<const std::uint32_t> row_job, std::span<const std::uint32_t> order,
                          std::vector<std::uint32_t>& machine) {
  ahead_ = empty_;
  before_.assign(row_job.size(), kNoServer);
  before_.swap(machine);
  if (!repacked_) {
    beside_ = empty_;
    for (std::size_t row = 0; row < row_job.size(); ++row)
      if (before_[row] != kNoServer) beside_.acquire(before_[row], jobs_.believed_demand_of(row_job[row]));
  }
  for (const std::uint32_t row : order) {
    const auto demand = jobs_.believed_demand_of(row_job[row]);
    const std::size_t server = place(demand, before_[row]);
    if (server == kNoMachine) {
      if (skip_) continue;
      return;
    }
    ahead_.acquire(server, demand);
    machine[row] = static_cast<std::uint32_t>(server);
  }
}

std::size_t WholeService::place(std::span<const Amount> demand, std::uint32_t before) {
  if (repacked_) return ahead_.first_fit(demand);
  if (before != kNoServer) {
    if (fits(demand, ahead_.free(before))) return before;
    beside_.release(before, demand);
  }
  // Less is free in beside_ than in ahead_, so what fits there fits.
  std::size_t server = beside_.first_fit(demand);
  if (server == kNoMachine) server = ahead_.first_fit(demand);
  if (server != kNoMachine) beside_.acquire(server, demand);
  return server;
}

}  // namespace schedcore
