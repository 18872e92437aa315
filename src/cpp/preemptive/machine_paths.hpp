// Successive shortest paths in a transportation problem of rows and machines, seen from the machines.
//
// Every row may run on every machine, so a path that places one more core of a row goes to a machine, from there with a
// core of another row that makes way to the next machine, and so on to a machine with room.  A search settles machines
// in the order of their distance (Dijkstra, with potentials that make every step cost at least 0) and ends at the first
// one that has room: O(n_machines) if that is the row's cheapest, and for every full machine it passes one step for
// each row on that machine and each machine.
//
// Costs are integers: `added(row, machine)` of one more core and `saved(row, machine)` of one less; for every row and
// machine saved <= added before a core is placed, and the saved of afterwards is the added of before (convex).  Sums
// over a path must fit the type.  Invariant: potential_[i] is at most the cost of making way on i for a core, at least
// 0, and 0 where there is room; it never falls, so a cost found earlier stays a lower bound for the same row.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/model/slots.hpp"

namespace schedcore {

template <class Cost>
class MachinePaths {
 public:
  void start(std::size_t n_rows, std::span<const Amount> capacity) {
    n_machines_ = capacity.size();
    room_.assign(capacity.begin(), capacity.end());
    cores_.assign(n_rows * n_machines_, 0);
    rows_on_.resize(n_machines_);
    for (std::vector<std::uint32_t>& rows : rows_on_) rows.clear();
    potential_.assign(n_machines_, Cost{0});
    distance_.resize(n_machines_);
    step_.resize(n_machines_);
    reached_.assign(n_rows, Reached{});
    search_ = 0;
  }

  // The cheapest way to place one more core of the row; requires that some machine has room.  Returns its cost and
  // keeps the path for `augment`.
  template <class Marginals>
  Cost search(std::size_t row, const Marginals& marginals) {
    ++search_;
    open_.clear();
    for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
      distance_[machine] = marginals.added(row, machine) + potential_[machine];
      step_[machine] = {static_cast<std::uint32_t>(row), kStart};
      open_.push_back(machine);
    }
    reached_[row] = {search_, true, Cost{0}};
    settled_.clear();
    for (;;) {
      const std::uint32_t machine = take_nearest();
      if (room_[machine] > 0) {
        end_ = machine;
        break;
      }
      settled_.push_back(machine);
      relax(machine, marginals);
    }
    const Cost cost = distance_[end_];
    for (const std::uint32_t machine : settled_) potential_[machine] += cost - distance_[machine];
    return cost;
  }

  // Sends as many cores as the found path carries, at most `limit`; `changed(row, machine, cores)` is told every
  // change.
  template <class Changed>
  Amount augment(Amount limit, Changed changed) {
    Amount amount = std::min(limit, room_[end_]);
    for (std::uint32_t machine = end_; step_[machine].from != kStart; machine = step_[machine].from) {
      amount = std::min(amount, cores_[step_[machine].row * n_machines_ + step_[machine].from]);
    }
    assert(amount > 0);
    room_[end_] -= amount;
    for (std::uint32_t machine = end_;; machine = step_[machine].from) {
      const Step step = step_[machine];
      change(step.row, machine, amount);
      changed(step.row, machine, amount);
      if (step.from == kStart) return amount;
      change(step.row, step.from, -amount);
      changed(step.row, step.from, -amount);
    }
  }

  void write_pieces(std::vector<CorePiece>& pieces) const {
    pieces.clear();
    for (std::size_t row = 0; row < reached_.size(); ++row) {
      for (std::uint32_t machine = 0; machine < n_machines_; ++machine) {
        const Amount cores = cores_[row * n_machines_ + machine];
        if (cores > 0) pieces.push_back({static_cast<std::uint32_t>(row), machine, cores});
      }
    }
  }

 private:
  static constexpr std::uint32_t kStart = static_cast<std::uint32_t>(-1);
  // The last step to a machine: a core of `row`, which makes way on machine `from` (kStart: the core to be placed).
  struct Step {
    std::uint32_t row;
    std::uint32_t from;
  };
  struct Reached {
    std::uint64_t search = 0;  // the search that reached the row
    bool is_source = false;
    Cost distance{};
  };

  // Of the nearest machines one with room, else the lowest index.
  std::uint32_t take_nearest() {
    std::size_t best = 0;
    for (std::size_t i = 1; i < open_.size(); ++i) {
      const Cost& distance = distance_[open_[i]];
      const Cost& nearest = distance_[open_[best]];
      if (distance < nearest || (distance == nearest && room_[open_[best]] == 0 && room_[open_[i]] > 0)) best = i;
    }
    const std::uint32_t machine = open_[best];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(best));
    return machine;
  }

  template <class Marginals>
  void relax(std::uint32_t machine, const Marginals& marginals) {
    const Cost here = distance_[machine] - potential_[machine];
    for (const std::uint32_t row : rows_on_[machine]) {
      const Cost distance = here - marginals.saved(row, machine);
      Reached& reached = reached_[row];
      if (reached.search == search_ && (reached.is_source || reached.distance <= distance)) continue;
      reached = {search_, false, distance};
      for (const std::uint32_t next : open_) {
        const Cost longer = distance + marginals.added(row, next) + potential_[next];
        if (longer >= distance_[next]) continue;
        distance_[next] = longer;
        step_[next] = {row, machine};
      }
    }
  }

  void change(std::uint32_t row, std::uint32_t machine, Amount amount) {
    Amount& cores = cores_[row * n_machines_ + machine];
    if (cores == 0 && amount > 0) rows_on_[machine].push_back(row);
    cores += amount;
    if (cores == 0) {
      std::vector<std::uint32_t>& rows = rows_on_[machine];
      *std::ranges::find(rows, row) = rows.back();
      rows.pop_back();
    }
  }

  std::size_t n_machines_ = 0;
  std::vector<Amount> room_;
  std::vector<Amount> cores_;  // row-major (n_rows, n_machines)
  std::vector<std::vector<std::uint32_t>> rows_on_;  // the rows with cores on each machine
  std::vector<Cost> potential_;
  std::vector<Cost> distance_;  // of the present search: to a machine, and on by its potential
  std::vector<Step> step_;
  std::vector<Reached> reached_;
  std::vector<std::uint32_t> open_;  // machines that are not settled
  std::vector<std::uint32_t> settled_;
  std::uint32_t end_ = kStart;
  std::uint64_t search_ = 0;
};

}  // namespace schedcore
