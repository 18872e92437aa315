#include "schedcore/preemptive/memory_knapsack.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "schedcore/base/errors.hpp"
#include "schedcore/packing/knapsack.hpp"

namespace schedcore {

void MemoryKnapsack::solve(std::span<const double> profit, std::span<const Amount> memory,
                           std::span<const Amount> capacity, std::vector<std::uint8_t>& taken) {
  const std::size_t n_memories = capacity.size();
  assert(n_memories > 0 && memory.size() == profit.size() * n_memories);
  taken.assign(profit.size(), 1);
  if (everything_fits(memory, capacity)) return;
  taken.assign(profit.size(), 0);
  item_.clear();
  profit_.clear();
  size_.clear();
  for (std::size_t item = 0; item < profit.size(); ++item) {
    const auto of_item = memory.subspan(item * n_memories, n_memories);
    if (!std::ranges::equal(of_item, capacity, std::less_equal{})) continue;
    item_.push_back(static_cast<std::uint32_t>(item));
    profit_.push_back(profit[item]);
    size_.insert(size_.end(), of_item.begin(), of_item.end());
  }
  if (n_memories == 1) {
    solve_single(capacity[0]);
  } else {
    vector_.solve(profit_, size_, capacity, taken_);
  }
  for (std::size_t i = 0; i < item_.size(); ++i) taken[item_[i]] = taken_[i];
}

bool MemoryKnapsack::everything_fits(std::span<const Amount> memory, std::span<const Amount> capacity) {
  free_.assign(capacity.begin(), capacity.end());
  for (std::size_t i = 0, r = 0; i < memory.size(); ++i, r = r + 1 == capacity.size() ? 0 : r + 1) {
    if ((free_[r] -= memory[i]) < 0) return false;
  }
  return true;
}

void MemoryKnapsack::solve_single(Amount capacity) {
  const Amount common = std::reduce(size_.begin(), size_.end(), Amount{0}, std::gcd<Amount, Amount>);
  const Amount divisor = std::max(common, Amount{1});
  for (Amount& size : size_) size /= divisor;
  capacity /= divisor;
  taken_.assign(size_.size(), 0);
  if (static_cast<std::uint64_t>(capacity) < kTableCells / (size_.size() + 1)) {
    solve_table(static_cast<std::size_t>(capacity));
  } else {
    solve_exactly(capacity);
  }
}

// Cell c of an item is read only for c >= capacity - sizes of all items after it, so only those are computed.
void MemoryKnapsack::solve_table(std::size_t capacity) {
  const std::size_t words = capacity / 64 + 1;
  best_.assign(capacity + 1, 0.0);
  take_.assign(words * size_.size(), 0);
  std::size_t later = 0;
  for (const Amount size : size_) later += static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < size_.size(); ++i) {
    const auto size = static_cast<std::size_t>(size_[i]);
    later -= size;
    const std::size_t lowest = std::max(size, capacity - std::min(later, capacity));
    for (std::size_t c = capacity + 1; c-- > lowest;) {
      const double with = best_[c - size] + profit_[i];
      if (with > best_[c]) {
        best_[c] = with;
        take_[i * words + c / 64] |= std::uint64_t{1} << (c % 64);
      }
    }
  }
  for (std::size_t i = size_.size(), c = capacity; i-- > 0;) {
    if ((take_[i * words + c / 64] >> (c % 64) & 1) == 0) continue;
    taken_[i] = 1;
    c -= static_cast<std::size_t>(size_[i]);
  }
}

void MemoryKnapsack::solve_exactly(Amount capacity) {
  KnapsackOptions options;
  options.memory_limit = kKernelMemory;
  try {
    const std::vector<Int128> sizes(size_.begin(), size_.end());
    for (const std::uint32_t i : solve_knapsack(profit_, sizes, Int128{capacity}, options)) taken_[i] = 1;
  } catch (const UnsupportedError&) {  // profits nearly proportional to bytes: no method known is exact and quick
    vector_.solve(profit_, size_, std::span(&capacity, 1), taken_);
  }
}

}  // namespace schedcore
