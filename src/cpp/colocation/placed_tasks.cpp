#include "schedcore/colocation/placed_tasks.hpp"

#include <algorithm>
#include <cassert>

namespace schedcore {

PlacedTasks::PlacedTasks(const ColocationView& view, std::span<const std::int64_t> machine)
    : view_(view),
      costs_(view, view.n_machines),
      cost_(view.n_machines, 0),
      n_tasks_(view.n_machines, 0),
      cell_(view.n_machines * view.n_types) {
  for (std::size_t task = 0; task < view.n_tasks(); ++task) {
    const auto own = static_cast<std::size_t>(machine[task]);
    const std::size_t type = view.type_of(task);
    cell_[own * view.n_types + type].push_back({view.size[task], task});
    costs_.add(own, type, view.size[task]);
    ++n_tasks_[own];
  }
  for (std::vector<Entry>& cell : cell_) std::sort(cell.begin(), cell.end());
  for (std::size_t own = 0; own < cost_.size(); ++own) cost_[own] = costs_.cost(own);
  assert(check_invariants());
}

CostNumerator PlacedTasks::largest() const { return *std::max_element(cost_.begin(), cost_.end()); }

Parcel PlacedTasks::numbered_task(std::size_t machine, std::size_t number) const {
  assert(number < n_tasks(machine));
  std::size_t type = 0;
  while (number >= tasks(machine, type).size()) number -= tasks(machine, type++).size();
  return one_task(machine, type, number);
}

void PlacedTasks::exchange(const Exchange& exchange) {
  assert(exchange.from != exchange.to);
  assert(exchange.given.rank != Parcel::kWholeType || exchange.returned.size == 0 ||
         exchange.given.type != exchange.returned.type);
  take(exchange.from, exchange.given, given_);
  take(exchange.to, exchange.returned, returned_);
  put(exchange.to, exchange.given, given_);
  put(exchange.from, exchange.returned, returned_);
  cost_[exchange.from] = costs_.cost(exchange.from);
  cost_[exchange.to] = costs_.cost(exchange.to);
}

void PlacedTasks::take(std::size_t machine, const Parcel& parcel, std::vector<Entry>& taken) {
  taken.clear();
  if (parcel.size == 0) return;
  std::vector<Entry>& cell = cell_[machine * view_.n_types + parcel.type];
  if (parcel.rank == Parcel::kWholeType) {
    taken.swap(cell);
  } else {
    taken.push_back(cell[parcel.rank]);
    cell.erase(cell.begin() + static_cast<std::ptrdiff_t>(parcel.rank));
  }
  n_tasks_[machine] -= taken.size();
  costs_.remove(machine, parcel.type, parcel.size);
}

void PlacedTasks::put(std::size_t machine, const Parcel& parcel, const std::vector<Entry>& taken) {
  if (taken.empty()) return;
  std::vector<Entry>& cell = cell_[machine * view_.n_types + parcel.type];
  if (taken.size() == 1) {
    cell.insert(std::upper_bound(cell.begin(), cell.end(), taken.front()), taken.front());
  } else {
    const auto middle = cell.insert(cell.end(), taken.begin(), taken.end());
    std::inplace_merge(cell.begin(), middle, cell.end());
  }
  n_tasks_[machine] += taken.size();
  costs_.add(machine, parcel.type, parcel.size);
}

void PlacedTasks::write(std::span<std::int64_t> machine) const {
  for (std::size_t i = 0; i < cell_.size(); ++i) {
    for (const Entry& entry : cell_[i]) machine[entry.task] = static_cast<std::int64_t>(i / view_.n_types);
  }
}

bool PlacedTasks::check_invariants() const {
  std::size_t placed = 0;
  for (std::size_t machine = 0; machine < n_machines(); ++machine) {
    MachineCosts anew(view_, 1);
    std::size_t n_here = 0;
    for (std::size_t type = 0; type < n_types(); ++type) {
      const std::span<const Entry> here = tasks(machine, type);
      if (!std::is_sorted(here.begin(), here.end())) return false;
      for (const Entry& entry : here) {
        if (view_.size[entry.task] != entry.size || view_.type_of(entry.task) != type) return false;
        anew.add(0, type, entry.size);
      }
      n_here += here.size();
    }
    for (std::size_t type = 0; type < n_types(); ++type) {
      if (anew.load(0, type) != costs_.load(machine, type)) return false;
      if (anew.cost_of_type(0, type) != costs_.cost_of_type(machine, type)) return false;
    }
    if (n_here != n_tasks_[machine] || anew.cost(0) != cost_[machine]) return false;
    placed += n_here;
  }
  return placed == view_.n_tasks();
}

}  // namespace schedcore
