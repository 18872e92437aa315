#include "schedcore/preemptive/memory_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "schedcore/preemptive/slot_packing.hpp"

namespace schedcore {
namespace {

using Pieces = std::vector<CorePiece>;

// Columns of a slot; the rows' order is by -profit / cores, ties by row.
struct Slotful {
  std::vector<Amount> cores, memory, limit;
  std::vector<double> profit;
  std::vector<std::uint32_t> order;

  [[nodiscard]] MemoryRows rows() const { return {memory, profit, cores, limit, order}; }
};

// Machines with (cores, memory); jobs with cores 4, 2, 2, 2, memory 6, 3, 6, 4, cost -5, -4, -3, -1.
class MemoryExample : public ::testing::Test {
 protected:
  const std::vector<Amount> capacity{4, 8, 4, 8};
  const MachinesView machines{capacity, 2, 2};
  const Slotful slot{{4, 2, 2, 2}, {6, 3, 6, 4}, {4, 2, 2, 2}, {5.0, 4.0, 3.0, 1.0}, {1, 2, 0, 3}};
  const Pieces placed{{0, 0, 4}, {1, 1, 2}, {2, 1, 2}};
};

TEST_F(MemoryExample, KnapsackKeepsTheGreaterProfit) {
  for (const MemoryMode mode : {MemoryMode::once, MemoryMode::twice}) {
    MemoryStep step(machines, mode, true);
    Pieces admitted, refused;
    // Machine 1: 3 + 6 > 8 and 4 > 3.
    EXPECT_EQ(step.admit(placed, slot.rows(), admitted, &refused).n_refused, 1U);
    EXPECT_EQ(admitted, (Pieces{{0, 0, 4}, {1, 1, 2}}));
    EXPECT_EQ(refused, (Pieces{{2, 1, 2}}));
  }
}

TEST_F(MemoryExample, BackfillGivesIdleCoresToTheNextInOrderThatHasMemory) {
  MemoryStep step(machines, MemoryMode::backfill, true);
  Pieces admitted;
  // 5 are left on machine 1, too few for row 2, enough for row 3.
  EXPECT_EQ(step.admit(placed, slot.rows(), admitted, nullptr).n_refused, 1U);
  EXPECT_EQ(admitted, (Pieces{{0, 0, 4}, {1, 1, 2}, {3, 1, 2}}));
}

TEST_F(MemoryExample, WithoutProfitsTheOrderDecides) {
  MemoryStep step(machines, MemoryMode::once, true);
  Slotful baseline = slot;
  baseline.profit.clear();
  Pieces admitted, refused;
  baseline.order = {2, 1, 0, 3};
  EXPECT_EQ(step.admit(placed, baseline.rows(), admitted, &refused).n_refused, 1U);
  EXPECT_EQ(refused, (Pieces{{1, 1, 2}}));
}

TEST_F(MemoryExample, RowsWithoutProfitComeLastAndInStrictModeNever) {
  Slotful worse = slot;
  worse.profit = {5.0, 4.0, 0.0, -1.0};
  Pieces admitted, refused;
  const Pieces with_room{{1, 1, 2}, {2, 0, 2}};
  MemoryStep step(machines, MemoryMode::once, true);
  EXPECT_EQ(step.admit(with_room, worse.rows(), admitted, &refused).n_refused, 0U);
  MemoryStep strict(machines, MemoryMode::once, false);
  EXPECT_EQ(strict.admit(with_room, worse.rows(), admitted, &refused).n_refused, 1U);
  EXPECT_EQ(refused, (Pieces{{2, 0, 2}}));
}

TEST(MemoryStep, EveryFurtherResourceCountsAsMemory) {
  const std::vector<Amount> capacity{4, 8, 2, 4, 8, 2};
  MemoryStep step({capacity, 2, 3}, MemoryMode::backfill, true);
  // Rows 0 and 1 need 2 of the last resource each; row 2 needs 1 and row 3 none.
  const Slotful slot{{2, 2, 4, 2}, {1, 2, 1, 2, 1, 1, 8, 0}, {2, 2, 4, 2}, {3.0, 4.0, 1.0, 1.0}, {1, 0, 3, 2}};
  Pieces admitted, refused;
  EXPECT_EQ(step.admit(Pieces{{0, 0, 2}, {1, 0, 2}, {2, 1, 4}}, slot.rows(), admitted, &refused).n_refused, 1U);
  EXPECT_EQ(refused, (Pieces{{0, 0, 2}}));
  // Machine 0 has 2 cores, 7 and 0 left: too little for rows 0 and 3.  Machine 1 has no core.
  EXPECT_EQ(admitted, (Pieces{{1, 0, 2}, {2, 1, 4}}));
}

TEST(AdmittedCores, EarlierRowsMoveAsideAndKeepTheirTotals) {
  AdmittedCores cores(std::vector<Amount>{2, 2});
  const Slotful slot{{2, 2}, {0, 0}, {2, 2}, {}, {0, 1}};
  // Row 0 may run on both machines and comes first; row 1 on machine 0 alone.
  Pieces pieces{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}};
  cores.assign(slot.rows(), pieces);
  EXPECT_EQ(pieces, (Pieces{{0, 1, 2}, {1, 0, 2}}));
  // A chain: row 2 pushes row 1 from machine 0 to 1, which pushes row 0 from 1 to 2.
  AdmittedCores chain(std::vector<Amount>{2, 2, 2});
  const Slotful three{{2, 2, 2}, {0, 0, 0}, {2, 2, 2}, {}, {0, 1, 2}};
  pieces = {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1}, {2, 0, 1}};
  chain.assign(three.rows(), pieces);
  EXPECT_EQ(pieces, (Pieces{{0, 2, 2}, {1, 1, 2}, {2, 0, 2}}));
}

// The rule of "backfill" as it is written down: every row asks every machine.
void plain_offer(MachinesView machines, const MemoryRows& rows, Pieces& admitted) {
  const std::size_t n = machines.n_machines, n_memories = machines.n_resources - 1;
  std::vector<Amount> cores(n), free(machines.capacity.begin(), machines.capacity.end()), given(rows.n_rows() * n);
  for (std::size_t i = 0; i < n; ++i) cores[i] = machines.capacity_of(i)[0];
  const auto place = [&](std::size_t row, std::size_t machine, Amount amount) {
    if (given[row * n + machine] == 0) {
      for (std::size_t r = 0; r < n_memories; ++r) {
        free[machine * (n_memories + 1) + r + 1] -= rows.memory_of(row, n_memories)[r];
      }
    }
    given[row * n + machine] += amount;
    free[machine * (n_memories + 1)] -= amount;
  };
  const auto is_open = [&](std::size_t row, std::size_t machine) {
    if (given[row * n + machine] > 0) return true;
    for (std::size_t r = 0; r < n_memories; ++r) {
      if (free[machine * (n_memories + 1) + r + 1] < rows.memory_of(row, n_memories)[r]) return false;
    }
    return true;
  };
  for (const auto& [row, machine, amount] : admitted) place(row, machine, amount);
  const auto order = packing_order(cores);
  for (const std::uint32_t row : rows.order) {
    Amount need = rows.limit[row];
    for (std::size_t i = 0; i < n; ++i) need -= given[row * n + i];
    const auto whole = std::ranges::find_if(
        order, [&](std::uint32_t i) { return is_open(row, i) && free[i * (n_memories + 1)] >= need; });
    if (need > 0 && whole != order.end()) {
      place(row, *whole, need);
      continue;
    }
    for (const std::uint32_t machine : order) {
      const Amount amount = std::min(need, free[machine * (n_memories + 1)]);
      if (amount <= 0 || !is_open(row, machine)) continue;
      place(row, machine, amount);
      need -= amount;
    }
  }
  admitted.clear();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == 0) continue;
    admitted.push_back({static_cast<std::uint32_t>(i / n), static_cast<std::uint32_t>(i % n), given[i]});
  }
}

TEST(IdleCores, EqualsThePlainRule) {
  std::mt19937_64 random(9);
  const auto draw = [&](Amount from, Amount to) { return std::uniform_int_distribution<Amount>(from, to)(random); };
  for (int round = 0; round < 1000; ++round) {
    const auto n_machines = static_cast<std::size_t>(round % 4 == 0 ? draw(33, 80) : draw(1, 6));
    const auto n_resources = static_cast<std::size_t>(draw(2, 3));
    std::vector<Amount> capacity(n_machines * n_resources);
    for (Amount& amount : capacity) amount = draw(1, 9);
    const MachinesView machines{capacity, n_machines, n_resources};
    Slotful slot;
    slot.limit.resize(static_cast<std::size_t>(draw(1, static_cast<Amount>(2 * n_machines + 3))));
    for (Amount& cores : slot.limit) cores = draw(0, 12);
    slot.memory.resize(slot.limit.size() * (n_resources - 1));
    for (Amount& amount : slot.memory) amount = draw(0, 6);
    slot.order.resize(slot.limit.size());
    std::iota(slot.order.begin(), slot.order.end(), 0u);
    std::ranges::shuffle(slot.order, random);
    // Some rows have some cores already.
    Pieces admitted;
    std::vector<Amount> free = capacity;
    for (std::uint32_t row = 0; row < slot.limit.size(); ++row) {
      Amount need = slot.limit[row];
      for (std::uint32_t machine = 0; machine < n_machines && draw(0, 2) > 0; ++machine) {
        Amount* const left = &free[machine * n_resources];
        bool fits = left[0] > 0 && need > 0 && draw(0, 1) == 0;
        for (std::size_t r = 1; r < n_resources; ++r) fits &= slot.memory[row * (n_resources - 1) + r - 1] <= left[r];
        if (!fits) continue;
        const Amount amount = draw(1, std::min(left[0], need));
        admitted.push_back({row, machine, amount});
        need -= amount;
        left[0] -= amount;
        for (std::size_t r = 1; r < n_resources; ++r) left[r] -= slot.memory[row * (n_resources - 1) + r - 1];
      }
    }
    Pieces expected = admitted;
    plain_offer(machines, slot.rows(), expected);
    IdleCores(machines).offer(slot.rows(), admitted);
    ASSERT_EQ(admitted, expected);
  }
}

}  // namespace
}  // namespace schedcore
