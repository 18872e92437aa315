#include "schedcore/preemptive/memory_step.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace schedcore {

MemoryStep::MemoryStep(MachinesView machines, MemoryMode mode, bool work_conserving)
    : n_machines_(machines.n_machines),
      n_memories_(machines.n_resources - 1),
      mode_(mode),
      work_conserving_(work_conserving),
      admitted_cores_(cores_of(machines)),
      idle_cores_(machines) {
  for (std::size_t i = 0; i < n_machines_; ++i) {
    const auto memories = machines.capacity_of(i).subspan(1);
    memory_capacity_.insert(memory_capacity_.end(), memories.begin(), memories.end());
  }
}

MemoryStep::Outcome MemoryStep::admit(std::span<const CorePiece> placed, const Rows& rows,
                                      std::vector<CorePiece>& admitted, std::vector<CorePiece>* refused) {
  group_by_machine(placed);
  is_admitted_.assign(placed.size(), 1);
  rank_.clear();
  for (std::size_t machine = 0; machine < n_machines_; ++machine) admit_on(machine, placed, rows);
  admitted.clear();
  if (refused != nullptr) refused->clear();
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (is_admitted_[i] != 0) {
      admitted.push_back(placed[i]);
    } else if (refused != nullptr) {
      refused->push_back(placed[i]);
    }
  }
  const std::uint64_t n_refused = placed.size() - admitted.size();
  if (mode_ == MemoryMode::backfill) idle_cores_.offer(rows, admitted);
  if (mode_ == MemoryMode::twice) admitted_cores_.assign(rows, admitted);
  return {n_refused};
}

void MemoryStep::group_by_machine(std::span<const CorePiece> placed) {
  machine_end_.assign(n_machines_ + 2, 0);
  for (const CorePiece& piece : placed) ++machine_end_[piece.machine + 2];
  std::partial_sum(machine_end_.begin(), machine_end_.end(), machine_end_.begin());
  by_machine_.resize(placed.size());
  for (std::size_t i = 0; i < placed.size(); ++i) by_machine_[machine_end_[placed[i].machine + 1]++] = i;
}

void MemoryStep::admit_on(std::size_t machine, std::span<const CorePiece> placed, const Rows& rows) {
  const std::size_t first = machine_end_[machine], last = machine_end_[machine + 1];
  const auto pieces = std::span(by_machine_).subspan(first, last - first);
  const auto capacity = std::span(memory_capacity_).subspan(machine * n_memories_, n_memories_);
  const bool needs_profit = !work_conserving_ && !rows.profit.empty();
  free_memory_.assign(capacity.begin(), capacity.end());
  const bool everything_fits = std::ranges::all_of(pieces, [&](std::size_t piece) {
    const std::uint32_t row = placed[piece].row;
    return !(needs_profit && rows.profit[row] <= 0.0) && take_memory(rows.memory_of(row, n_memories_));
  });
  if (everything_fits) return;
  free_memory_.assign(capacity.begin(), capacity.end());
  candidates_.clear();
  others_.clear();
  for (const std::size_t piece : pieces) {
    is_admitted_[piece] = 0;
    const bool has_profit = !rows.profit.empty() && rows.profit[placed[piece].row] > 0.0;
    if (has_profit) {
      candidates_.push_back(piece);
    } else if (!needs_profit) {
      others_.push_back(piece);
    }
  }
  if (!candidates_.empty()) admit_by_profit(placed, rows);
  if (!others_.empty()) admit_in_order(placed, rows);
}

void MemoryStep::admit_by_profit(std::span<const CorePiece> placed, const Rows& rows) {
  profit_.clear();
  memory_.clear();
  for (const std::size_t piece : candidates_) {
    const auto [row, machine, cores] = placed[piece];
    const auto memory = rows.memory_of(row, n_memories_);
    profit_.push_back(rows.profit[row] * static_cast<double>(cores) / static_cast<double>(rows.demand_cores[row]));
    memory_.insert(memory_.end(), memory.begin(), memory.end());
  }
  knapsack_.solve(profit_, memory_, free_memory_, taken_);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (taken_[i] == 0) continue;
    is_admitted_[candidates_[i]] = 1;
    [[maybe_unused]] const bool fits = take_memory(std::span(memory_).subspan(i * n_memories_, n_memories_));
    assert(fits);
  }
}

void MemoryStep::admit_in_order(std::span<const CorePiece> placed, const Rows& rows) {
  if (rank_.empty()) {
    rank_.assign(rows.n_rows(), static_cast<std::uint32_t>(rows.order.size()));
    for (std::size_t i = 0; i < rows.order.size(); ++i) rank_[rows.order[i]] = static_cast<std::uint32_t>(i);
  }
  std::ranges::sort(others_, {}, [&](std::size_t piece) { return rank_[placed[piece].row]; });
  for (const std::size_t piece : others_) {
    is_admitted_[piece] = take_memory(rows.memory_of(placed[piece].row, n_memories_)) ? 1 : 0;
  }
}

// Takes the memory of the machine at hand if there is enough of it.
bool MemoryStep::take_memory(std::span<const Amount> memory) {
  if (!std::ranges::equal(memory, free_memory_, std::less_equal{})) return false;
  for (std::size_t r = 0; r < n_memories_; ++r) free_memory_[r] -= memory[r];
  return true;
}

}  // namespace schedcore
