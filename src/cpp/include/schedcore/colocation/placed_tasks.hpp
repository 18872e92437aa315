// An assignment that changes: the tasks of every machine by type and size, and what the machines cost.
//
// What a local search over assignments needs: the tasks of one type on one machine stand in order of size, so that a
// partner of the right size is found by walking two lists, and an exchange between two machines is weighed without
// touching them.  For an assignment that only grows MachineCosts is enough; for one evaluation, colocation_cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedcore/colocation/colocation.hpp"
#include "schedcore/colocation/machine_costs.hpp"

namespace schedcore {

// What one machine hands to another: one of its tasks, all its tasks of a type, or nothing (size 0).
struct Parcel {
  static constexpr std::size_t kWholeType = std::numeric_limits<std::size_t>::max();

  std::size_t type = 0;
  Amount size = 0;       // of everything in the parcel
  std::size_t rank = 0;  // of the task among those of its type on the machine, the smallest first; or kWholeType
};

// `given` goes from one machine to the other, `returned` the other way.
struct Exchange {
  std::size_t from = 0;
  std::size_t to = 0;
  Parcel given;
  Parcel returned;
};

class PlacedTasks {
 public:
  struct Entry {
    Amount size;
    std::size_t task;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  // machine[j] < n_machines is the machine of task j.  The view must outlive this.  O(n log n + n_machines * n_types).
  PlacedTasks(const ColocationView& view, std::span<const std::int64_t> machine);

  [[nodiscard]] std::size_t n_machines() const { return cost_.size(); }
  [[nodiscard]] std::size_t n_types() const { return view_.n_types; }
  [[nodiscard]] std::size_t n_tasks(std::size_t machine) const { return n_tasks_[machine]; }
  [[nodiscard]] CostNumerator cost(std::size_t machine) const { return cost_[machine]; }
  // The cost of the worst machine.  O(n_machines).
  [[nodiscard]] CostNumerator largest() const;

  // The tasks of a type on a machine, the smallest first, equal sizes by index.
  [[nodiscard]] std::span<const Entry> tasks(std::size_t machine, std::size_t type) const {
    return cell_[machine * view_.n_types + type];
  }
  [[nodiscard]] Parcel one_task(std::size_t machine, std::size_t type, std::size_t rank) const {
    return {type, tasks(machine, type)[rank].size, rank};
  }
  [[nodiscard]] Parcel whole_type(std::size_t machine, std::size_t type) const {
    return {type, costs_.load(machine, type), Parcel::kWholeType};
  }
  // The task of a machine with that number, counted through its types; number < n_tasks(machine).  O(n_types).
  [[nodiscard]] Parcel numbered_task(std::size_t machine, std::size_t number) const;

  // What `machine` would cost without `gone`, which it holds, and with `come`.  O(n_types).
  [[nodiscard]] CostNumerator cost_after(std::size_t machine, const Parcel& gone, const Parcel& come) const {
    if (come.size == 0) {
      return gone.size == 0 ? cost_[machine] : costs_.cost_without(machine, gone.type, gone.size);
    }
    if (gone.size == 0) return costs_.cost_with(machine, come.type, come.size);
    return costs_.cost_after(machine, gone.type, gone.size, come.type, come.size);
  }

  // Carry out an exchange between two different machines; whole types of both sides must differ.
  // O(n_types + log(tasks) + tasks shifted): linear in the two lists at worst, a move of memory.
  void exchange(const Exchange& exchange);

  // Write the machine of every task.  O(n_tasks + n_machines * n_types).
  void write(std::span<std::int64_t> machine) const;

  // Whether all that is kept equals what is computed anew from the lists.  O(n_tasks + n_machines * n_types^2).
  [[nodiscard]] bool check_invariants() const;

 private:
  void take(std::size_t machine, const Parcel& parcel, std::vector<Entry>& taken);
  void put(std::size_t machine, const Parcel& parcel, const std::vector<Entry>& taken);

  ColocationView view_;
  MachineCosts costs_;
  std::vector<CostNumerator> cost_;       // [machine]: costs_.cost(machine)
  std::vector<std::size_t> n_tasks_;      // [machine]
  std::vector<std::vector<Entry>> cell_;  // [machine * n_types + type], ascending
  std::vector<Entry> given_;              // scratch of `exchange`
  std::vector<Entry> returned_;
};

}  // namespace schedcore
