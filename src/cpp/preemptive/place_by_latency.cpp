#include "schedcore/preemptive/place_by_latency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "common_multiple.hpp"
#include "machine_paths.hpp"

namespace schedcore {
class LatencyPlacement::Solver {
 public:
  Solver(std::span<const Amount> capacity, std::span<const double> latency)
      : capacity_(capacity.begin(), capacity.end()),
        latency_(latency),
        magnitude_(magnitude(latency)) {}

  void place(std::span<const std::uint32_t> task, std::span<const Amount> demand, std::span<const Amount> cores,
             std::vector<CorePiece>& pieces) {
    scale_costs(task, demand);
    paths_.start(task.size(), capacity_);
    const Costs costs{cost_, capacity_.size()};
    for (std::size_t row = 0; row < task.size(); ++row) {
      for (Amount left = cores[row]; left > 0;) {
        paths_.search(row, costs);
        left -= paths_.augment(left, [](std::size_t, std::size_t, Amount) {});
      }
    }
    paths_.write_pieces(pieces);
  }

 private:
  struct Costs {
    std::span<const std::int64_t> cost;
    std::size_t n_machines;

    [[nodiscard]] std::int64_t added(std::size_t row, std::size_t machine) const {
      return cost[row * n_machines + machine];
    }
    [[nodiscard]] std::int64_t saved(std::size_t row, std::size_t machine) const {
      return cost[row * n_machines + machine];
    }
  };

  // The exponent of a power of two above all latencies; those below 2^-1000 are as good as 0.
  [[nodiscard]] static int magnitude(std::span<const double> latency) {
    int digits = 0;
    if (!latency.empty()) (void)std::frexp(std::ranges::max(latency), &digits);
    return std::max(digits, -1000);
  }

  // Integers so small that a path over all machines stays below 2^62.
  void scale_costs(std::span<const std::uint32_t> task, std::span<const Amount> demand) {
    const std::size_t n_machines = capacity_.size();
    const Amount multiple = common_multiple(demand);
    const int exponent = 61 - static_cast<int>(std::bit_width(2 * n_machines + 2)) -
                         static_cast<int>(std::bit_width(static_cast<std::uint64_t>(multiple)));
    const double unit = std::ldexp(1.0, -magnitude_);
    cost_.resize(task.size() * n_machines);
    for (std::size_t row = 0; row < task.size(); ++row) {
      const double factor = std::ldexp(static_cast<double>(multiple) / static_cast<double>(demand[row]), exponent);
      const auto latency = latency_.subspan(task[row] * n_machines, n_machines);
      std::int64_t* const cost = cost_.data() + row * n_machines;
      for (std::size_t machine = 0; machine < n_machines; ++machine) {
        cost[machine] = static_cast<std::int64_t>(latency[machine] * unit * factor + 0.5);
      }
    }
  }

  std::vector<Amount> capacity_;
  std::span<const double> latency_;
  int magnitude_;
  std::vector<std::int64_t> cost_;  // of one core, row-major (n_rows, n_machines)
  MachinePaths<std::int64_t> paths_;
};

LatencyPlacement::LatencyPlacement(std::span<const Amount> capacity, std::span<const double> latency)
    : solver_(std::make_unique<Solver>(capacity, latency)) {}
LatencyPlacement::LatencyPlacement(LatencyPlacement&&) noexcept = default;
LatencyPlacement& LatencyPlacement::operator=(LatencyPlacement&&) noexcept = default;
LatencyPlacement::~LatencyPlacement() = default;

void LatencyPlacement::place(std::span<const std::uint32_t> task, std::span<const Amount> demand,
                             std::span<const Amount> cores, std::vector<CorePiece>& pieces) {
  solver_->place(task, demand, cores, pieces);
}

double latency_cost(std::span<const CorePiece> pieces, std::span<const std::uint32_t> task,
                    std::span<const Amount> demand, std::span<const double> latency, std::size_t n_machines) {
  double cost = 0;
  for (const CorePiece& piece : pieces) {
    cost += latency[task[piece.row] * n_machines + piece.machine] * static_cast<double>(piece.cores) /
            static_cast<double>(demand[piece.row]);
  }
  return cost;
}

}  // namespace schedcore
