// The words that the core shares: times, amounts, and read-only columnar views of an instance.
//
// Amounts are exact int64 units up to 2^53 each.  Times are finite, non-negative doubles; a job occupies the
// half-open interval [start, start + processing_time), and its completion time is the double `start + processing_time`,
// computed once, so that equal instants are equal bit patterns.  Views own nothing and must outlive the call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace schedcore {

using Time = double;
using Amount = std::int64_t;

inline constexpr Time kNever = std::numeric_limits<Time>::infinity();
inline constexpr std::size_t kNoMachine = static_cast<std::size_t>(-1);

// One row a job; demand is row-major (n_jobs, n_resources).
struct JobsView {
  std::span<const Time> release_time;
  std::span<const Time> processing_time;
  std::span<const double> weight;
  std::span<const Amount> demand;
  std::size_t n_resources = 0;

  [[nodiscard]] std::size_t n_jobs() const { return processing_time.size(); }
  [[nodiscard]] std::span<const Amount> demand_of(std::size_t job) const {
    return demand.subspan(job * n_resources, n_resources);
  }
};

// One row a machine; capacity is row-major (n_machines, n_resources).
// Whether a machine may have so much of a resource.
inline bool is_capacity(Amount amount) { return amount >= 0 && amount <= Amount{1} << 53; }

struct MachinesView {
  std::span<const Amount> capacity;
  std::size_t n_machines = 0;
  std::size_t n_resources = 0;

  [[nodiscard]] std::span<const Amount> capacity_of(std::size_t machine) const {
    return capacity.subspan(machine * n_resources, n_resources);
  }
  // Of all machines together, by resource.
  [[nodiscard]] std::vector<Amount> total() const {
    std::vector<Amount> sum(n_resources);
    for (std::size_t i = 0; i < capacity.size(); ++i) sum[i % n_resources] += capacity[i];
    return sum;
  }
  // How many machines have anything.
  [[nodiscard]] std::size_t n_with_capacity() const {
    std::size_t n = 0;
    for (std::size_t machine = 0; machine < n_machines; ++machine) {
      if (std::ranges::any_of(capacity_of(machine), [](Amount amount) { return amount > 0; })) ++n;
    }
    return n;
  }
  // Whether all machines have the same capacities.
  [[nodiscard]] bool are_identical() const {
    // Every row equals the one before it.
    return n_machines == 0 || std::ranges::equal(capacity.subspan(n_resources), capacity.first(capacity.size() - n_resources));
  }
};

}  // namespace schedcore
