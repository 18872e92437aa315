#include "schedcore/engine/job_checks.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "schedcore/base/errors.hpp"
#include "schedcore/base/number_text.hpp"
#include "schedcore/index/fit.hpp"

namespace schedcore {

std::vector<Amount> distinct_capacities(const MachinesView& machines) {
  std::vector<Amount> distinct;
  const std::size_t width = machines.n_resources;
  for (std::size_t machine = 0; machine < machines.n_machines; ++machine) {
    const auto capacity = machines.capacity_of(machine);
    bool is_new = true;
    for (std::size_t row = 0; row < distinct.size() && is_new; row += width) {
      is_new = !std::equal(capacity.begin(), capacity.end(), distinct.begin() + static_cast<std::ptrdiff_t>(row));
    }
    if (is_new) distinct.insert(distinct.end(), capacity.begin(), capacity.end());
  }
  return distinct;
}

bool fits_some(std::span<const Amount> demand, std::span<const Amount> capacities) {
  for (std::size_t row = 0; row < capacities.size(); row += demand.size()) {
    if (fits(demand.data(), capacities.data() + row, demand.size())) return true;
  }
  return false;
}

namespace {

[[noreturn]] void refuse_infeasible(std::int64_t id, std::span<const Amount> demand, std::span<const Amount> capacities) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    Amount largest = 0;
    for (std::size_t row = 0; row < capacities.size(); row += demand.size()) {
      largest = std::max(largest, capacities[row + r]);
    }
    if (demand[r] > largest) {
      throw InfeasibleError("demand[" + std::to_string(id) + ", " + std::to_string(r) + "] = " + std::to_string(demand[r]) +
                            " exceeds capacity = " + std::to_string(largest) + " of every machine; no machine can run job " +
                            std::to_string(id));
    }
  }
  std::string amounts;
  for (const Amount amount : demand) amounts += (amounts.empty() ? "" : ", ") + std::to_string(amount);
  throw InfeasibleError("job " + std::to_string(id) + " demands (" + amounts +
                        "); every machine has too little of some resource, no machine can run it");
}

}  // namespace

void refuse_job_columns(std::int64_t id, Time processing_time, double weight) {
  if (!(processing_time > 0)) {
    throw InvalidInstanceError("processing_time of job " + std::to_string(id) + " is " + number_text(processing_time) +
                               "; it must be positive");
  }
  if (!(weight > 0)) {
    throw InvalidInstanceError("weight of job " + std::to_string(id) + " is " + number_text(weight) +
                               "; this algorithm needs positive weights");
  }
  throw InvalidInstanceError("job " + std::to_string(id) +
                             " demands nothing of any resource; this algorithm needs a demand");
}

void check_fits_some(std::int64_t id, std::span<const Amount> demand, std::span<const Amount> capacities) {
  if (!fits_some(demand, capacities)) refuse_infeasible(id, demand, capacities);
}

void check_allowed_machines(std::int64_t id, std::span<const Amount> demand, const JobPlacements& placements,
                            const MachinesView& machines) {
  const auto check = [&](std::size_t machine) {
    const auto capacity = machines.capacity_of(machine);
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] <= capacity[r]) continue;
      throw InfeasibleError("demand[" + std::to_string(id) + ", " + std::to_string(r) + "] = " + std::to_string(demand[r]) +
                            " exceeds capacity = " + std::to_string(capacity[r]) + " of machine " + std::to_string(machine) +
                            ", on which job " + std::to_string(id) + " may run");
    }
  };
  if (placements.is_plain()) return;
  for (const std::uint32_t machine : placements.eligibility.machines()) check(machine);
  for (std::size_t machine = 0; placements.eligibility.is_everywhere() && machine < machines.n_machines; ++machine) {
    check(machine);
  }
}

void check_estimate(std::int64_t id, Time processing_time, Time estimate) {
  if (estimate >= processing_time) return;
  throw InvalidInstanceError("estimated_processing_time of job " + std::to_string(id) + " is " + number_text(estimate) +
                             ", below its processing_time " + number_text(processing_time) +
                             "; raise the estimates first");
}

void check_planned_end(std::int64_t id, Time start, Time end, Time resolution) {
  if (start < kNever && end < kNever) return;
  throw InvalidInstanceError("job " + std::to_string(id) + " would start" +
                             (start < kNever ? " at " + number_text(start) : "") + " and end after " +
                             number_text(std::numeric_limits<Time>::max()) + ", the largest double" +
                             (resolution > 0 ? "; resolution = " + number_text(resolution) : ""));
}

void check_collected(std::int64_t id, Time now, Time collect_until) {
  if (now <= collect_until) return;
  throw InvalidInstanceError("job " + std::to_string(id) + " arrives at " + number_text(now) +
                             ", after last_release_time = " + number_text(collect_until));
}

void refuse_duration(std::int64_t id, Time start, Time processing_time) {
  if (start + processing_time == kNever) {
    throw InvalidInstanceError("job " + std::to_string(id) + " would start at " + number_text(start) + " and end after " +
                               number_text(std::numeric_limits<Time>::max()) + ", the largest double");
  }
  throw InvalidInstanceError("processing_time of job " + std::to_string(id) + " is " + number_text(processing_time) +
                             ", too short to be told from its start " + number_text(start) + " in double precision");
}

bool can_start_late(Time now, Time processing_time) {
  const Time late = std::max(2 * now, 0x1p32);
  return late + processing_time > late || late == kNever;
}

void check_late_start(std::int64_t id, Time now, Time processing_time) {
  const Time late = std::max(2 * now, 0x1p32);
  if (can_start_late(now, processing_time)) return;
  throw InvalidInstanceError("processing_time of job " + std::to_string(id) + " is " + number_text(processing_time) +
                             "; this is too short for a job that may have to wait: from a start at " + number_text(late) +
                             " its end could not be told in double precision");
}

}  // namespace schedcore
