#include "schedcore/preemptive/idle_cores.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

#include "schedcore/preemptive/slot_packing.hpp"

namespace schedcore {

IdleCores::IdleCores(MachinesView machines) : position_of_(machines.n_machines), n_resources_(machines.n_resources) {
  assert(n_resources_ >= 2);
  std::vector<Amount> cores(machines.n_machines);
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i] = machines.capacity_of(i)[0];
  order_ = packing_order(cores);
  for (std::size_t position = 0; position < order_.size(); ++position) {
    position_of_[order_[position]] = position;
    const auto of_machine = machines.capacity_of(order_[position]);
    capacity_.insert(capacity_.end(), of_machine.begin(), of_machine.end());
  }
}

void IdleCores::offer(const MemoryRows& rows, std::vector<CorePiece>& admitted) {
  Amount idle = find_free(rows, admitted);
  if (idle == 0) return;
  index_ = MachineIndex(free_, n_resources_);
  hopeless_.clear();
  gains_.clear();
  demand_.resize(n_resources_);
  for (const std::uint32_t row : rows.order) {
    Amount need = rows.limit[row] - given_[row];
    if (need <= 0) continue;
    const auto memory = rows.memory_of(row, n_resources_ - 1);
    own_.clear();
    if (given_[row] > 0) find_own(row, admitted);
    if (own_.empty() && is_hopeless(memory)) continue;
    std::ranges::copy(memory, demand_.begin() + 1);
    const std::size_t whole = next_open(0, need);
    if (whole != kNoMachine) {
      place(row, whole, need);
      idle -= need;
    } else {
      const Amount before = need;
      for (std::size_t position = 0; need > 0 && (position = next_open(position, 1)) != kNoMachine; ++position) {
        const Amount cores = std::min(need, index_.free(position)[0]);
        place(row, position, cores);
        need -= cores;
      }
      idle -= before - need;
      if (need == before && own_.empty()) hopeless_.assign(memory.begin(), memory.end());
    }
    if (idle == 0) break;
  }
  merge_gains(admitted);
}

// Free amounts of all machines and cores of all rows; returns the free cores in total.
Amount IdleCores::find_free(const MemoryRows& rows, std::span<const CorePiece> admitted) {
  free_.assign(capacity_.begin(), capacity_.end());
  given_.assign(rows.n_rows(), 0);
  for (const CorePiece& piece : admitted) {
    Amount* const free = &free_[position_of_[piece.machine] * n_resources_];
    const auto memory = rows.memory_of(piece.row, n_resources_ - 1);
    free[0] -= piece.cores;
    for (std::size_t r = 1; r < n_resources_; ++r) free[r] -= memory[r - 1];
    given_[piece.row] += piece.cores;
  }
  Amount idle = 0;
  for (std::size_t i = 0; i < free_.size(); i += n_resources_) {
    idle += free_[i];
    if (free_[i] == 0) std::fill_n(&free_[i + 1], n_resources_ - 1, Amount{-1});
  }
  return idle;
}

void IdleCores::find_own(std::uint32_t row, std::span<const CorePiece> admitted) {
  auto piece = std::ranges::lower_bound(admitted, row, {}, &CorePiece::row);
  for (; piece != admitted.end() && piece->row == row; ++piece) own_.push_back(position_of_[piece->machine]);
  std::ranges::sort(own_);
}

// The first position >= from that is open to the row at hand and has so many cores free, or kNoMachine.
std::size_t IdleCores::next_open(std::size_t from, Amount cores) {
  demand_[0] = cores;
  std::size_t found = index_.first_fit(demand_, from);
  for (const std::size_t position : own_) {
    if (position >= from && position < found && index_.free(position)[0] >= cores) found = position;
  }
  return found;
}

void IdleCores::place(std::uint32_t row, std::size_t position, Amount cores) {
  gains_.push_back({row, order_[position], cores});
  const bool holds_memory = std::ranges::find(own_, position) != own_.end();
  charge_.assign(demand_.begin(), demand_.end());
  charge_[0] = cores;
  if (holds_memory) std::fill(charge_.begin() + 1, charge_.end(), Amount{0});
  if (index_.free(position)[0] == cores) {  // closed to all
    for (std::size_t r = 1; r < n_resources_; ++r) charge_[r] = index_.free(position)[r] + 1;
  }
  index_.acquire(position, charge_);
}

bool IdleCores::is_hopeless(std::span<const Amount> memory) const {
  return !hopeless_.empty() && std::ranges::equal(memory, hopeless_, std::greater_equal{});
}

void IdleCores::merge_gains(std::vector<CorePiece>& admitted) {
  if (gains_.empty()) return;
  const auto before = [](const CorePiece& a, const CorePiece& b) {
    return a.row != b.row ? a.row < b.row : a.machine < b.machine;
  };
  std::ranges::sort(gains_, before);
  merged_.clear();
  auto gain = gains_.begin();
  for (const CorePiece& piece : admitted) {
    while (gain != gains_.end() && before(*gain, piece)) merged_.push_back(*gain++);
    merged_.push_back(piece);
    if (gain != gains_.end() && gain->row == piece.row && gain->machine == piece.machine) {
      merged_.back().cores += (gain++)->cores;
    }
  }
  merged_.insert(merged_.end(), gain, gains_.end());
  admitted.swap(merged_);
}

}  // namespace schedcore
