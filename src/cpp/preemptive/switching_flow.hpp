// The least switching cost on the rates per machine; see `switching_slot.hpp`.
//
// One core at a time along the cheapest path of `MachinePaths`.  Rows wait in a heap by a lower bound, the cost of
// their cheapest path when it was last known: that never falls while cores are added, so the first row whose bound is
// confirmed by a search is the cheapest of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact_marginals.hpp"
#include "machine_paths.hpp"
#include "switching_machine_level.hpp"

namespace schedcore {

class SwitchingFlow final : public SwitchingMachineLevel {
 public:
  using SwitchingMachineLevel::SwitchingMachineLevel;
  void place(const SwitchingRows& rows, std::span<const CorePiece> previous, std::vector<CorePiece>& pieces) override;

 private:
  // One more core of a row on a machine, and one less, without the row's base.
  struct Marginals {
    std::span<const ExactMarginal> row;
    std::span<const Amount> change;  // cores now less cores before, row-major (n_rows, n_machines)
    std::size_t n_machines;

    [[nodiscard]] Int128 added(std::size_t r, std::size_t machine) const {
      return row[r].weight * static_cast<Int128>(2 * change[r * n_machines + machine] + 1);
    }
    [[nodiscard]] Int128 saved(std::size_t r, std::size_t machine) const {
      return row[r].weight * static_cast<Int128>(2 * change[r * n_machines + machine] - 1);
    }
  };
  struct Next {
    Int128 cost;
    std::uint32_t row;
    friend bool operator<(const Next& a, const Next& b) {
      return a.cost < b.cost || (a.cost == b.cost && a.row < b.row);
    }
  };

  void list_rows(const SwitchingRows& rows, std::span<const CorePiece> previous);

  std::vector<ExactMarginal> marginal_;
  std::vector<Amount> change_;
  std::vector<Amount> most_before_;  // by row: its most cores on one machine in the slot before
  std::vector<Amount> left_;         // by row: cores up to the limit
  std::vector<Next> heap_;           // a row's cost here is at most that of its cheapest path
  MachinePaths<Int128> paths_;
};

}  // namespace schedcore
