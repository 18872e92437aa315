// List scheduling of typed tasks: all types together, or each type alone over all machines (SCHEDMIXED, SCHEDJUXTAPOSE).
//
// Tasks are spread by their sizes with a routine for P||Cmax that knows no types (Pascual and Rzadca, TPDS 2019, section
// 4).  `mixed` runs it once on everything.  `juxtaposed` runs it on each type that occurs and mirrors the machines for
// every other one, because the routine loads the first machines most.  `best` takes the cheaper, mixed on a tie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/colocation/colocation.hpp"

namespace schedcore {

enum class TypeMixing { mixed, juxtaposed, best };
enum class SpreadRule { longest_first, multifit };

// The algorithms on one set of tasks, for any number of machines: the order is worked out once.
//
// With longest first a run costs O(tasks * (log machines + n_types) + machines * n_types).
class TypeListScheduling {
 public:
  // `tasks` in decreasing order of size, equal sizes by index.  What the view shows must outlive this.
  TypeListScheduling(const ColocationView& view, std::span<const std::uint32_t> tasks);

  // Places the tasks on machines 0..n_machines-1 and returns the cost.
  CostNumerator run(TypeMixing mixing, SpreadRule rule, std::size_t n_machines);

  // Writes the machines of the last run, beginning at `first_machine`, into the column of all tasks.
  void write(std::int64_t first_machine, std::span<std::int64_t> machine) const;

 private:
  CostNumerator run_mixed(SpreadRule rule, std::size_t n_machines);
  CostNumerator run_juxtaposed(SpreadRule rule, std::size_t n_machines);
  [[nodiscard]] CostNumerator cost(std::size_t n_machines) const;

  ColocationView view_;
  std::vector<std::uint32_t> tasks_;
  std::vector<Amount> size_;  // of tasks_
  // The same tasks type by type, each in decreasing order: positions in tasks_, and their sizes.
  std::vector<std::uint32_t> position_by_type_;
  std::vector<Amount> size_by_type_;
  std::vector<std::size_t> first_of_type_;  // of the types that occur, and the end
  std::vector<std::uint32_t> machine_;      // of tasks_, from the last run
  std::vector<std::uint32_t> placed_;       // scratch: machines in the order of a type
};

}  // namespace schedcore
