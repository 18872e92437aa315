// What fair sharing is told, at the boundary; schedcore.algorithms.preemptive checks values first.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/model/slots.hpp"

namespace schedcore::python {

// No row asks for more of a resource than all machines have: rates would mean nothing.
inline void check_pool(std::span<const Amount> demand, MachinesView machines) {
  std::vector<UInt128> total(machines.n_resources, 0);
  for (std::size_t i = 0; i < machines.capacity.size(); ++i)
    total[i % machines.n_resources] += magnitude(machines.capacity[i]);
  for (std::size_t i = 0; i < demand.size(); ++i)
    check_shape(magnitude(demand[i]) <= total[i % machines.n_resources],
                "nobody may ask for more of a resource than all machines have");
}

inline void check_job_weights(std::span<const double> weight) { check_range(weight, 0.0, kLargestNumber, "weight"); }

}  // namespace schedcore::python
