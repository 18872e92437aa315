#include "schedcore/job_checks.hpp"

#include <limits>
#include <string>

#include "schedcore/errors.hpp"
#include "schedcore/number_text.hpp"

namespace schedcore {
void check_identical_machines(const MachinesView& machines) {
  const auto first = machines.capacity_of(0);
  for (std::size_t machine = 1; machine < machines.n_machines; ++machine) {
    const auto capacity = machines.capacity_of(machine);
    for (std::size_t r = 0; r < capacity.size(); ++r) {
      if (capacity[r] == first[r]) continue;
      throw UnsupportedError("capacity[" + std::to_string(machine) + ", " + std::to_string(r) +
                             "] = " + std::to_string(capacity[r]) + " differs from capacity[0, " + std::to_string(r) +
                             "] = " + std::to_string(first[r]) + "; this algorithm needs identical machines");
    }
  }
}

void check_job(std::int64_t id, Time processing_time, double weight, std::span<const Amount> demand,
               std::span<const Amount> capacity) {
  if (!(processing_time > 0)) {
    throw InvalidInstanceError("processing_time of job " + std::to_string(id) + " is " + number_text(processing_time) +
                               "; it must be positive");
  }
  if (!(weight > 0)) {
    throw InvalidInstanceError("weight of job " + std::to_string(id) + " is " + number_text(weight) +
                               "; this algorithm needs positive weights");
  }
  bool demands_something = false;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > capacity[r]) {
      throw InfeasibleError("demand[" + std::to_string(id) + ", " + std::to_string(r) + "] = " + std::to_string(demand[r]) +
                            " exceeds capacity = " + std::to_string(capacity[r]) + " of every machine; no machine can run job " +
                            std::to_string(id));
    }
    demands_something |= demand[r] > 0;
  }
  if (!demands_something) {
    throw InvalidInstanceError("job " + std::to_string(id) + " demands nothing of any resource; this algorithm needs a demand");
  }
}

void check_duration(std::int64_t id, Time start, Time processing_time) {
  const Time end = start + processing_time;
  if (end > start && end < kNever) return;
  if (end == kNever) {
    throw InvalidInstanceError("job " + std::to_string(id) + " would start at " + number_text(start) + " and end after " +
                               number_text(std::numeric_limits<Time>::max()) + ", the largest double");
  }
  throw InvalidInstanceError("processing_time of job " + std::to_string(id) + " is " + number_text(processing_time) +
                             ", too short to be told from its start " + number_text(start) + " in double precision");
}

}  // namespace schedcore
