// Where the cores of tasks go if latency decides: minimise sum xi(task, machine) * cores / demand.
//
// A transportation problem with integral optimum: every row gets exactly the cores it was given, no machine more than
// it has.  Successive shortest paths over the machines, each carrying as many cores as it can; placements are optimal
// and deterministic, but not unique: compare costs.  A row costs O(n_machines) while its nearest machine has room;
// where it has none, a search looks at the rows of the machines it passes through.  O(n_rows x n_machines) memory, kept
// between calls: a steady state does not allocate.
//
// Latencies are brought to integers: the optimum is exact if they are multiples of one power of two, at most 2^24 times
// it (0, 1, 3 or 0.25), the demands have a common multiple up to 2^20 (demands up to 16), and there are fewer than 2^14
// machines.  Otherwise each xi / demand is off by at most 2^-40 of the largest latency (fewer than 2^16 machines), the
// optimum by as much a core.
//
// For tasks that are to be packed densely instead, use `SlotPacking`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/model/slots.hpp"

namespace schedcore {

class LatencyPlacement {
 public:
  // `capacity` (n_machines,) is copied; `latency`, row-major (n_tasks, n_machines), finite and >= 0, must outlive this.
  LatencyPlacement(std::span<const Amount> capacity, std::span<const double> latency);
  LatencyPlacement(LatencyPlacement&&) noexcept;
  LatencyPlacement& operator=(LatencyPlacement&&) noexcept;
  ~LatencyPlacement();

  // Row r holds `cores[r]` >= 0 cores of task `task[r]` (its row of `latency`), which asks for `demand[r]` >= 1 of
  // them.  `pieces` becomes the placement, sorted by (row, machine).  Requires sum of cores <= sum of capacities.
  void place(std::span<const std::uint32_t> task, std::span<const Amount> demand, std::span<const Amount> cores,
             std::vector<CorePiece>& pieces);

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

// sum latency(task of the row, machine) * cores / demand over the pieces, doubles added in their order.
[[nodiscard]] double latency_cost(std::span<const CorePiece> pieces, std::span<const std::uint32_t> task,
                                  std::span<const Amount> demand, std::span<const double> latency,
                                  std::size_t n_machines);

}  // namespace schedcore
