// Whether long tasks and containers of short ones fit a number of equal machines: the search inside the PTAS.
//
// A machine is filled with some units of every item.  An item is a class of equal long tasks, each `step` of load of
// its type, or the containers of a type: the first unit on a machine costs no load, every further one costs `step`.
// A machine declares the types of which it takes a unit; what a task of a declared type would cost there must not
// exceed the capacity.  The question is whether all units of all items can be taken.
//
// Depth-first search, one machine a level.  A machine takes a unit of the first item that is left, and as much that no
// further unit of any item fits: a machine with less could be exchanged for it.  What failed with a number of machines
// is remembered, and loads in several directions cut what cannot fit.  Deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "load_directions.hpp"
#include "schedcore/colocation/colocation.hpp"
#include "schedcore/colocation/colocation_ptas.hpp"
#include "schedcore/exact/wide.hpp"
#include "state_table.hpp"

namespace schedcore {

struct ContainerItem {
  std::size_t type = 0;
  UInt128 step = 0;
  bool is_container = false;
  std::uint32_t n_units = 0;
};

enum class SearchOutcome { found, impossible, limit };

class ContainerSearch {
 public:
  // alpha is row-major (n_types, n_types) with a positive diagonal.  No product of a coefficient with the load that
  // `capacity` allows may leave 126 bits, nor the sum of n_types of them.  Fewer than 2^32 units in all.
  ContainerSearch(std::span<const CostNumerator> alpha, std::size_t n_types, UInt128 capacity, std::size_t n_machines,
                  std::span<const ContainerItem> items, PtasBudget& budget);

  [[nodiscard]] SearchOutcome run();

  // After `found`: the units of every item on each machine that is used, [machine, item].
  [[nodiscard]] const std::vector<std::uint32_t>& units() const { return units_; }

 private:
  struct Level {
    std::size_t first;  // of its configurations, in rows of pool_
    std::size_t next;   // to be tried
    std::size_t n_rows;
  };

  [[nodiscard]] std::span<const std::uint32_t> left_units() const;
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t index) const;
  bool count_work();
  [[nodiscard]] bool may_fit(std::size_t n_machines) const;
  [[nodiscard]] bool was_refuted(std::size_t n_machines);
  void refute(std::size_t n_machines);
  SearchOutcome enter();
  void leave();
  [[nodiscard]] SearchOutcome descend();
  void write_units(std::span<const std::uint32_t> last);

  // One machine.
  void empty_machine();
  void set_units(std::size_t item, std::uint32_t units);
  [[nodiscard]] std::uint32_t most_units(std::size_t item) const;
  [[nodiscard]] bool is_maximal() const;
  [[nodiscard]] bool holds_all_left();
  bool list_configurations();
  void sort_configurations(std::size_t first);
  [[nodiscard]] double value_of(std::span<const std::uint32_t> units) const;

  [[nodiscard]] UInt128 coefficient(std::size_t source, std::size_t destination) const {
    return static_cast<UInt128>(alpha_[source * n_types_ + destination]);
  }

  std::span<const CostNumerator> alpha_;
  std::size_t n_types_;
  UInt128 capacity_;
  std::size_t n_machines_;
  std::span<const ContainerItem> items_;
  PtasBudget& budget_;
  LoadDirections directions_;
  std::vector<double> most_on_machine_;     // [direction, then type]: weight that one machine takes at most
  std::vector<double> value_of_item_;       // [direction, then type; item]: weight of one unit
  std::size_t tightest_ = 0;                // the direction or type with the least to spare
  std::vector<UInt128> cost_;               // [type]: of the machine that is being filled
  std::vector<std::uint32_t> n_declaring_;  // [type]: items with units on it
  std::vector<std::uint32_t> taken_;        // [item]: units on it
  std::vector<std::uint32_t> left_;         // [level, item]: units that the level and those below must take
  std::vector<std::uint32_t> pool_;         // [row, item]: configurations of all levels
  std::vector<Level> levels_;               // one for each machine that has a configuration
  std::vector<std::uint64_t> state_;        // scratch
  StateTable refuted_;                      // units left, and with how many machines they do not fit
  std::vector<std::uint32_t> units_;        // [machine, item]: the answer
};

}  // namespace schedcore
