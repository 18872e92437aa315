#include "schedcore/colocation/colocation_ptas.hpp"

#include <algorithm>
#include <cassert>
#include <compare>
#include <string>
#include <tuple>
#include <utility>

#include "container_search.hpp"
#include "present_types.hpp"
#include "schedcore/base/errors.hpp"
#include "schedcore/exact/wide.hpp"
#include "schedcore/packing/list_scheduling.hpp"

namespace schedcore {
namespace {

UInt128 checked_product(UInt128 a, UInt128 b) {
  if (bit_width(a) + bit_width(b) > 126) {
    throw UnsupportedError("the units of the approximation scheme do not fit into 128 bits; use a smaller k, smaller "
                           "coefficients or a smaller denominator");
  }
  return a * b;
}

UInt128 quotient_rounded_up(UInt128 a, UInt128 b) { return (a + b - UInt128{1}) / b; }

// What depends on the instance and k alone.  alpha = A / Q, so gamma k = k T A_max (2 A_min + Q) / (Q A_min).
class Grid {
 public:
  Grid(const ColocationView& view, std::int64_t k) : denominator(magnitude(view.alpha_denominator)) {
    const UInt128 largest = magnitude(std::ranges::max(view.alpha));
    UInt128 smallest = magnitude(view.alpha.front());
    for (std::size_t type = 0; type < view.n_types; ++type) {
      smallest = std::min(smallest, magnitude(view.coefficient(type, type)));
    }
    const UInt128 n_types(view.n_types);
    g = quotient_rounded_up(checked_product(checked_product(magnitude(k), n_types),
                                            checked_product(largest, smallest + smallest + denominator)),
                            denominator * smallest);
    capacity = checked_product(denominator, checked_product(g, g));
    // No cost of a machine leaves 126 bits: a type that is there has a load of at most capacity / smallest.
    static_cast<void>(checked_product(checked_product(largest, capacity / smallest + g), n_types));
  }

  UInt128 denominator;  // Q
  UInt128 g;            // units of a container
  UInt128 capacity;     // the target cost, Q g^2
};

// The tasks of an instance in units of a target, and the way back.
class RoundedTasks {
 public:
  RoundedTasks(const ColocationView& view, const Grid& grid, CostNumerator target)
      : view_(view), grid_(grid), target_(magnitude(target)), short_of_type_(view.n_types) {
    struct Long {
      UInt128 units;
      std::size_t type;
      std::uint32_t task;
    };
    std::vector<Long> longs;
    for (const std::uint32_t task : decreasing_order(view.size)) {
      const std::size_t type = view.type_of(task);
      const UInt128 scaled = magnitude(view.size[task]) * grid.denominator;
      if (multiply(scaled, grid.g) < UInt256{0, target_}) {
        short_of_type_[type].push_back(task);
        continue;
      }
      const UInt128 most = grid.capacity / magnitude(view.coefficient(type, type));
      const UInt128 units = mul_div_floor(scaled, grid.g * grid.g, target_, 1, most + UInt128{1});
      if (most < units) too_long_ = true;  // alone it costs more than the target
      longs.push_back({units, type, task});
    }
    const auto own_cost = [&](const Long& l) { return l.units * magnitude(view.coefficient(l.type, l.type)); };
    std::ranges::stable_sort(longs, [&](const Long& a, const Long& b) {
      if (own_cost(a) != own_cost(b)) return own_cost(b) < own_cost(a);
      return std::tie(a.type, a.units) < std::tie(b.type, b.units);
    });
    for (const Long& l : longs) {
      if (items_.empty() || items_.back().type != l.type || items_.back().step != l.units) {
        items_.push_back({l.type, l.units, false, 0});
        long_of_item_.emplace_back();
      }
      ++items_.back().n_units;
      long_of_item_.back().push_back(l.task);
    }
    for (std::size_t type = 0; type < view.n_types; ++type) add_containers(type);
  }

  [[nodiscard]] bool fits_nowhere() const { return too_long_; }
  [[nodiscard]] std::span<const ContainerItem> items() const { return items_; }

  // Long tasks where the search put them; short ones, decreasing, on the machines in turn while their load there is
  // below the containers of the machine.  `units` is [machine, item] and covers all units of all items.
  [[nodiscard]] std::vector<std::int64_t> assignment(std::span<const std::uint32_t> units) const {
    std::vector<std::int64_t> machine_of(view_.n_tasks(), 0);
    for (std::size_t item = 0; item < items_.size(); ++item) {
      const bool is_container = items_[item].is_container;
      const std::vector<std::uint32_t>& tasks =
          is_container ? short_of_type_[items_[item].type] : long_of_item_[item];
      auto task = tasks.begin();
      for (std::size_t machine = 0; machine * items_.size() < units.size(); ++machine) {
        const std::uint32_t held = units[machine * items_.size() + item];
        Amount load = 0;
        for (std::uint32_t placed = 0; task != tasks.end(); ++task, ++placed) {
          if (is_container ? !below_containers(load, held) : placed == held) break;
          machine_of[*task] = static_cast<std::int64_t>(machine);
          load += view_.size[*task];
        }
      }
      assert(task == tasks.end());
    }
    return machine_of;
  }

 private:
  // ceil(load Q g / C) containers of C / g; fewer than there are short tasks, as each of them is shorter than one.
  void add_containers(std::size_t type) {
    Amount load = 0;
    for (const std::uint32_t task : short_of_type_[type]) load += view_.size[task];
    if (load == 0) return;
    const UInt128 scaled = magnitude(load) * grid_.denominator;
    UInt128 n = mul_div_floor(scaled, grid_.g, target_, 1, UInt128(short_of_type_[type].size()));
    if (compare_products(n, target_, scaled, grid_.g) == std::strong_ordering::less) n += 1;
    items_.push_back({type, grid_.g, true, static_cast<std::uint32_t>(n)});
    long_of_item_.emplace_back();
  }

  // Whether a load is below that many containers: load < n C / (Q g).
  [[nodiscard]] bool below_containers(Amount load, std::uint32_t n) const {
    return compare_products(magnitude(load) * grid_.denominator, grid_.g, UInt128(n), target_) ==
           std::strong_ordering::less;
  }

  const ColocationView& view_;
  const Grid& grid_;
  UInt128 target_;
  bool too_long_ = false;
  std::vector<ContainerItem> items_;                     // classes of long tasks, dearest first; then containers
  std::vector<std::vector<std::uint32_t>> long_of_item_;  // empty for containers
  std::vector<std::vector<std::uint32_t>> short_of_type_;  // decreasing
};

PtasDecision decide(const ColocationView& view, const Grid& grid, CostNumerator target, PtasBudget& budget) {
  if (target == 0) return {};  // every task costs something
  const RoundedTasks tasks(view, grid, target);
  if (tasks.fits_nowhere()) return {};
  ContainerSearch search(view.alpha, view.n_types, grid.capacity, view.n_machines, tasks.items(), budget);
  switch (search.run()) {
    case SearchOutcome::found: return {tasks.assignment(search.units()), true};
    case SearchOutcome::impossible: return {};
    case SearchOutcome::limit: break;
  }
  return {std::nullopt, false};
}

// What every assignment costs: the dearest task alone, and each type spread evenly.
CostNumerator simple_bound(const ColocationView& view) {
  CostNumerator bound = 0;
  for (std::size_t task = 0; task < view.n_tasks(); ++task) {
    const std::size_t type = view.type_of(task);
    bound = std::max(bound, view.size[task] * view.coefficient(type, type));
  }
  const std::vector<Amount> load = load_of_types(view);
  for (std::size_t type = 0; type < view.n_types; ++type) {
    const UInt128 own = magnitude(load[type] * view.coefficient(type, type));
    bound = std::max(bound, static_cast<CostNumerator>(quotient_rounded_up(own, UInt128(view.n_machines))));
  }
  return bound;
}

}  // namespace

PtasDecision ptas_decision(const ColocationView& view, CostNumerator target, std::int64_t k, PtasBudget& budget) {
  if (view.n_tasks() == 0) return {std::vector<std::int64_t>{}, true};
  const PresentTypes present(view);
  return decide(present.view(), Grid(present.view(), k), target, budget);
}

PtasAssignment ptas_assignment(const ColocationView& view, std::span<const std::int64_t> start, std::int64_t k,
                               PtasBudget& budget) {
  PtasAssignment best{{start.begin(), start.end()}, 0, true};
  if (view.n_tasks() == 0) return best;
  const PresentTypes present(view);
  const ColocationView& tasks = present.view();
  const Grid grid(tasks, k);
  CostNumerator cheapest = colocation_cost(tasks, start).largest;
  const auto see = [&](std::vector<std::int64_t> machine) {
    const CostNumerator cost = colocation_cost(tasks, machine).largest;
    if (cost >= cheapest) return;
    cheapest = cost;
    best.machine = std::move(machine);
  };
  see(std::vector<std::int64_t>(tasks.n_tasks(), 0));
  CostNumerator low = simple_bound(tasks);
  best.target = cheapest;
  while (low < best.target) {
    const CostNumerator middle = low + (best.target - low) / 2;
    if (middle < cheapest) {
      PtasDecision decision = decide(tasks, grid, middle, budget);
      if (!decision.complete) {
        best.complete = false;
        return best;
      }
      if (!decision.machine) {
        low = middle + 1;
        continue;
      }
      see(*std::move(decision.machine));
    }
    best.target = middle;
  }
  return best;
}

}  // namespace schedcore
