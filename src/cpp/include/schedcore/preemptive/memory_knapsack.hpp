// Which jobs of one machine get their memory: a 0/1 knapsack over one memory, a vector packing over several.
//
// Everything is taken where everything fits.  Otherwise:
//
//   one memory   The dynamic program over amounts of memory: items in the order given, an item is taken only if that
//                makes the total greater, traced back from the last item and the whole capacity.  Totals are sums of
//                doubles in that order, so the set is the same bit for bit everywhere.  Amounts are first divided by
//                their greatest common divisor, which changes no total.  Where items x capacity exceeds kTableCells
//                (memory in bytes), the exact kernel of knapsack.hpp: an optimum too, with other ties and profits that
//                count as exact fractions.  Where that kernel would need more than kKernelMemory, as if profits were
//                nearly proportional to bytes, what is said of several memories.
//   several      vector_knapsack.hpp: optimal within a budget of nodes.
//
// Cost: O(items) where everything fits; the table O(items x capacity) at most, less the more of the items fit.
// No allocation once the buffers have grown, other than in knapsack.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/preemptive/vector_knapsack.hpp"

namespace schedcore {

class MemoryKnapsack {
 public:
  static constexpr std::uint64_t kTableCells = 1u << 20;
  static constexpr std::uint64_t kKernelMemory = 1u << 23;  // bytes

  // `memory` is row-major (n_items, n_memories), `capacity` has one entry a memory, `profit` one an item.  Sets
  // taken[item] to 0 or 1.  Requires positive profits, amounts from 0 to 2^53 and at least one memory.
  void solve(std::span<const double> profit, std::span<const Amount> memory, std::span<const Amount> capacity,
             std::vector<std::uint8_t>& taken);

 private:
  [[nodiscard]] bool everything_fits(std::span<const Amount> memory, std::span<const Amount> capacity);
  void solve_single(Amount capacity);
  void solve_table(std::size_t capacity);
  void solve_exactly(Amount capacity);

  std::vector<Amount> free_;
  // Items that fit alone, in the order given:
  std::vector<std::uint32_t> item_;
  std::vector<double> profit_;
  std::vector<Amount> size_;  // row-major (n_items, n_memories)
  std::vector<std::uint8_t> taken_;
  // The table: best_[c] is the greatest total so far within c, take_ a row of bits over c for each item.
  std::vector<double> best_;
  std::vector<std::uint64_t> take_;
  VectorKnapsack vector_;
};

}  // namespace schedcore
