#include "schedcore/preemptive/switching_slot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "schedcore/base/random_stream.hpp"

namespace schedcore::switching_slot_test {
namespace {

struct Slot {
  std::vector<Amount> capacity;
  std::vector<double> cost;
  std::vector<Amount> demand;
  std::vector<Amount> limit;
  std::vector<std::uint8_t> first;
  std::vector<CorePiece> previous;

  [[nodiscard]] SwitchingRows rows() const { return {cost, demand, limit, first}; }
  [[nodiscard]] std::size_t size() const { return cost.size(); }
  [[nodiscard]] std::vector<Amount> previous_total() const {
    std::vector<Amount> total(size(), 0);
    for (const CorePiece& piece : previous) total[piece.row] += piece.cores;
    return total;
  }
  [[nodiscard]] std::vector<double> omega() const {
    std::vector<double> key(size());
    for (std::size_t row = 0; row < size(); ++row) key[row] = cost[row] / static_cast<double>(demand[row]);
    return key;
  }
  [[nodiscard]] double marginal(std::size_t row, Amount core, Amount before, double alpha) const {
    const auto d = static_cast<double>(demand[row]);
    if (first[row] != 0) return cost[row] / d;
    return cost[row] / d + alpha * static_cast<double>(2 * (core - before) - 1) / (d * d);
  }
  [[nodiscard]] double value(const std::vector<CorePiece>& pieces, double alpha) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Amount> now;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Amount> before;
    for (const CorePiece& piece : pieces) now[{piece.row, piece.machine}] = piece.cores;
    for (const CorePiece& piece : previous) before[{piece.row, piece.machine}] = piece.cores;
    double sum = 0;
    for (std::uint32_t row = 0; row < size(); ++row) {
      const auto d = static_cast<double>(demand[row]);
      for (std::uint32_t machine = 0; machine < capacity.size(); ++machine) {
        const auto cores = static_cast<double>(now[{row, machine}]);
        const auto change = (cores - static_cast<double>(before[{row, machine}])) / d;
        sum += cost[row] * cores / d + (first[row] != 0 ? 0.0 : alpha * change * change);
      }
    }
    return sum;
  }
};

// A random slot; with `coarse` costs many marginals are equal.
Slot random_slot(RandomStream& random, std::size_t n_rows, std::size_t n_machines, std::uint64_t max_cores,
                 bool coarse) {
  Slot slot;
  for (std::size_t i = 0; i < n_machines; ++i) {
    slot.capacity.push_back(static_cast<Amount>(random.below(max_cores)) + 1);
  }
  std::vector<Amount> free = slot.capacity;
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    slot.demand.push_back(static_cast<Amount>(random.below(max_cores)) + 1);
    slot.limit.push_back(static_cast<Amount>(random.below(static_cast<std::uint64_t>(slot.demand.back()) + 1)));
    slot.first.push_back(random.below(4) == 0 ? 1 : 0);
    slot.cost.push_back(coarse ? static_cast<double>(random.below(7)) - 3 : 20 * random.normal());
    for (std::uint32_t machine = 0; machine < n_machines && slot.first.back() == 0; ++machine) {
      const auto most = static_cast<std::uint64_t>(std::min(free[machine], slot.demand.back()));
      const auto cores = random.below(3) == 0 ? static_cast<Amount>(random.below(most + 1)) : 0;
      if (cores > 0) slot.previous.push_back({row, machine, cores});
      free[machine] -= cores;
    }
  }
  return slot;
}

std::vector<Amount> joblevel_one_by_one(const Slot& slot, double alpha, bool work_conserving) {
  const std::vector<Amount> before = slot.previous_total();
  std::vector<Amount> cores(slot.size(), 0);
  Amount left = std::accumulate(slot.capacity.begin(), slot.capacity.end(), Amount{0});
  for (; left > 0; --left) {
    std::size_t best = kNoRow;
    double best_marginal = 0;
    for (std::size_t row = 0; row < slot.size(); ++row) {
      if (cores[row] == slot.limit[row]) continue;
      const double marginal = slot.marginal(row, cores[row] + 1, before[row], alpha);
      if (best == kNoRow || marginal < best_marginal) {
        best = row;
        best_marginal = marginal;
      }
    }
    if (best == kNoRow || (!work_conserving && best_marginal >= 0)) break;
    ++cores[best];
  }
  return cores;
}

std::vector<CorePiece> greedy_one_by_one(const Slot& slot, double alpha, bool work_conserving) {
  const std::size_t n_machines = slot.capacity.size();
  std::vector<Amount> cores(slot.size() * n_machines, 0);
  std::vector<Amount> before(slot.size() * n_machines, 0);
  for (const CorePiece& piece : slot.previous) before[piece.row * n_machines + piece.machine] = piece.cores;
  std::vector<Amount> room = slot.capacity;
  std::vector<Amount> left = slot.limit;
  for (;;) {
    std::size_t best = kNoRow;
    double best_marginal = 0;
    for (std::size_t pair = 0; pair < cores.size(); ++pair) {
      const std::size_t row = pair / n_machines;
      if (left[row] == 0 || room[pair % n_machines] == 0) continue;
      const double marginal = slot.marginal(row, cores[pair] + 1, before[pair], alpha);
      if (best == kNoRow || marginal < best_marginal) {
        best = pair;
        best_marginal = marginal;
      }
    }
    if (best == kNoRow || (!work_conserving && best_marginal >= 0)) break;
    ++cores[best];
    --left[best / n_machines];
    --room[best % n_machines];
  }
  std::vector<CorePiece> pieces;
  for (std::size_t pair = 0; pair < cores.size(); ++pair) {
    if (cores[pair] == 0) continue;
    pieces.push_back({static_cast<std::uint32_t>(pair / n_machines), static_cast<std::uint32_t>(pair % n_machines),
                      cores[pair]});
  }
  return pieces;
}

// The least value over all placements; work conserving: over those with the most cores.
double least_value(const Slot& slot, double alpha, bool work_conserving) {
  const std::size_t n_machines = slot.capacity.size();
  const Amount pool = std::accumulate(slot.capacity.begin(), slot.capacity.end(), Amount{0});
  const Amount most = std::min(pool, std::accumulate(slot.limit.begin(), slot.limit.end(), Amount{0}));
  double least = std::numeric_limits<double>::infinity();
  std::vector<Amount> room = slot.capacity;
  std::vector<Amount> left = slot.limit;
  std::vector<CorePiece> pieces;
  const auto extend = [&](const auto& self, std::size_t pair, Amount placed) -> void {
    if (pair == slot.size() * n_machines) {
      if (!work_conserving || placed == most) least = std::min(least, slot.value(pieces, alpha));
      return;
    }
    const std::size_t row = pair / n_machines;
    const std::size_t machine = pair % n_machines;
    for (Amount cores = 0; cores <= std::min(left[row], room[machine]); ++cores) {
      left[row] -= cores;
      room[machine] -= cores;
      if (cores > 0) pieces.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(machine), cores});
      self(self, pair + 1, placed + cores);
      if (cores > 0) pieces.pop_back();
      left[row] += cores;
      room[machine] += cores;
    }
  };
  extend(extend, 0, 0);
  return least;
}

std::vector<CorePiece> placement(const Slot& slot, double alpha, SwitchingSolver solver, bool work_conserving) {
  std::vector<CorePiece> pieces;
  SwitchingSlot(slot.capacity, alpha, solver, work_conserving).place(slot.rows(), slot.previous, pieces);
  return pieces;
}

std::vector<Amount> rates(const Slot& slot, double alpha, bool work_conserving) {
  std::vector<Amount> cores;
  SwitchingSlot solver(slot.capacity, alpha, SwitchingSolver::joblevel, work_conserving);
  (void)solver.rates(slot.rows(), slot.previous_total(), slot.omega(), cores);
  return cores;
}

void expect_feasible(const Slot& slot, const std::vector<CorePiece>& pieces, bool work_conserving) {
  std::vector<Amount> room = slot.capacity;
  std::vector<Amount> left = slot.limit;
  Amount placed = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const CorePiece& piece = pieces[i];
    EXPECT_GT(piece.cores, 0);
    if (i > 0) {
      EXPECT_LT(std::tie(pieces[i - 1].row, pieces[i - 1].machine), std::tie(piece.row, piece.machine));
    }
    placed += piece.cores;
    EXPECT_GE(room[piece.machine] -= piece.cores, 0);
    EXPECT_GE(left[piece.row] -= piece.cores, 0);
  }
  if (!work_conserving) return;
  const Amount pool = std::accumulate(slot.capacity.begin(), slot.capacity.end(), Amount{0});
  EXPECT_EQ(placed, std::min(pool, std::accumulate(slot.limit.begin(), slot.limit.end(), Amount{0})));
}

// Two machines of 2 cores; job 0 (c = 1) had both cores of machine 0, job 1 (c = -1) none; both have demand 2.
Slot two_jobs() { return {{2, 2}, {1, -1}, {2, 2}, {2, 2}, {0, 0}, {{0, 0, 2}}}; }

TEST(SwitchingSlot, WorkedExampleOfTwoJobs) {
  const Slot slot = two_jobs();
  for (const SwitchingSolver solver : {SwitchingSolver::greedy, SwitchingSolver::flow}) {
    EXPECT_EQ(slot.value(placement(slot, 0, solver, false), 0), -1);
    EXPECT_EQ(slot.value(placement(slot, 1, solver, false), 1), 0.25);
    EXPECT_EQ(placement(slot, 1, solver, false), (std::vector<CorePiece>{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}}));
    EXPECT_EQ(placement(slot, 4, solver, false), (std::vector<CorePiece>{{0, 0, 2}}));
    EXPECT_EQ(placement(slot, 4, solver, true), (std::vector<CorePiece>{{0, 0, 2}, {1, 1, 2}}));
  }
}

TEST(SwitchingSlot, SquaresOverMachinesRewardSpreading) {
  const Slot slot{{4, 4, 4, 4}, {-10}, {4}, {4}, {0}, {}};
  const std::vector<CorePiece> spread{{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {0, 3, 1}};
  EXPECT_EQ(placement(slot, 8, SwitchingSolver::greedy, true), spread);
  EXPECT_EQ(placement(slot, 8, SwitchingSolver::flow, true), spread);
  EXPECT_EQ(slot.value(spread, 8), -8);
}

TEST(SwitchingSlot, JobLevelEqualsOneCoreAtATime) {
  RandomStream random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t size = random.below(3);
    const Slot slot = random_slot(random, 1 + random.below(size == 0 ? 5 : 90), 1 + random.below(size == 2 ? 12 : 3),
                                  size == 0 ? 3 : 12, random.below(2) == 0);
    const double alpha = std::vector<double>{0, 0.3, 1, 10, 1e4, 1e-30}[random.below(6)];
    for (const bool work_conserving : {false, true}) {
      ASSERT_EQ(rates(slot, alpha, work_conserving), joblevel_one_by_one(slot, alpha, work_conserving)) << round;
    }
  }
}

TEST(SwitchingSlot, JobLevelTakesHugeAmountsAtOnce) {
  // Equal jobs, equal marginals for equal cores: both get half; the odd core goes to the lower row.
  const Amount pool = (Amount{1} << 52) + 1;
  const Slot slot{{pool}, {-1, -1}, {pool, pool}, {pool, pool}, {0, 0}, {}};
  const std::vector<Amount> cores = rates(slot, 1e30, true);
  EXPECT_EQ(cores[0] + cores[1], pool);
  // Neighbouring marginals differ by less than a double holds, so that a few cores are ties.
  EXPECT_NEAR(static_cast<double>(cores[0] - cores[1]), 1.0, 8.0);
}

TEST(SwitchingSlot, CutIsTheLastRowThatRunsBelowItsLimit) {
  // Marginals alpha (2u - 1) / 4 - c / 2: cores 1 and 2 of each row cost -2 and -1.5; the pool of 3 is spread over the
  // first three rows.  The fourth has no cores and is never the cut row, wherever it stands in the order.
  const Slot slot{{3}, {-4.5, -4.5, -4.5, 100}, {2, 2, 2, 2}, {2, 2, 2, 2}, {0, 0, 0, 0}, {}};
  std::vector<Amount> cores;
  SwitchingSlot solver(slot.capacity, 1, SwitchingSolver::joblevel, true);
  EXPECT_EQ(solver.rates(slot.rows(), slot.previous_total(), std::vector<double>{-1, -2, -1, 5}, cores), 2u);
  EXPECT_EQ(cores, (std::vector<Amount>{1, 1, 1, 0}));
  EXPECT_EQ(solver.rates(slot.rows(), slot.previous_total(), std::vector<double>{-1, -2, -1, -3}, cores), 2u);
  EXPECT_EQ(solver.rates(slot.rows(), slot.previous_total(), std::vector<double>{-1, 2, -1, -3}, cores), 1u);
}

TEST(SwitchingSlot, WithoutAPriceTheCutRowIsThatOfTheRates) {
  const Slot slot{{3}, {-4.5, -4.5, -4.5, 100}, {2, 2, 2, 2}, {2, 2, 2, 2}, {0, 0, 0, 0}, {}};
  std::vector<Amount> cores;
  SwitchingSlot solver(slot.capacity, 0, SwitchingSolver::joblevel, true);
  EXPECT_EQ(solver.rates(slot.rows(), slot.previous_total(), slot.omega(), cores), 1u);
  EXPECT_EQ(cores, (std::vector<Amount>{2, 1, 0, 0}));
}

TEST(SwitchingSlot, TheMonitorEndsASlotOfManyCores) {
  struct Impatient final : Monitor {
    void poll(std::uint64_t, std::uint64_t) override { throw 7; }
  } monitor;
  const Amount many = 1 << 20;
  const Slot slot{{many, many}, {-1, -1}, {many, many}, {many, many}, {0, 0}, {}};
  for (const SwitchingSolver solver : {SwitchingSolver::greedy, SwitchingSolver::flow}) {
    std::vector<CorePiece> pieces;
    SwitchingSlot placing(slot.capacity, 1, solver, true, &monitor);
    EXPECT_THROW(placing.place(slot.rows(), slot.previous, pieces), int);
  }
}

TEST(SwitchingSlot, GreedyEqualsOneCoreAtATime) {
  RandomStream random(2);
  for (int round = 0; round < 1500; ++round) {
    const Slot slot = random_slot(random, 1 + random.below(12), 1 + random.below(6), 6, random.below(2) == 0);
    // With 1e-30 all cores of a row cost the same double, so that the lowest machine with room is next.
    const double alpha = std::vector<double>{0, 0.3, 1, 10, 1e4, 1e-30}[random.below(6)];
    for (const bool work_conserving : {false, true}) {
      const std::vector<CorePiece> pieces = placement(slot, alpha, SwitchingSolver::greedy, work_conserving);
      ASSERT_EQ(pieces, greedy_one_by_one(slot, alpha, work_conserving)) << round;
      expect_feasible(slot, pieces, work_conserving);
    }
  }
}

TEST(SwitchingSlot, FlowEqualsTheBestOfAllPlacements) {
  RandomStream random(3);
  for (int round = 0; round < 600; ++round) {
    const Slot slot = random_slot(random, 1 + random.below(3), 1 + random.below(3), 3, random.below(2) == 0);
    const double alpha = std::vector<double>{0, 0.3, 1, 10, 1e4}[random.below(5)];
    for (const bool work_conserving : {false, true}) {
      const std::vector<CorePiece> pieces = placement(slot, alpha, SwitchingSolver::flow, work_conserving);
      expect_feasible(slot, pieces, work_conserving);
      const double least = least_value(slot, alpha, work_conserving);
      ASSERT_NEAR(slot.value(pieces, alpha), least, 1e-9 * (1 + std::abs(least) + alpha)) << round;
    }
  }
}

TEST(SwitchingSlot, FlowIsNeverWorseThanGreedy) {
  RandomStream random(4);
  int better = 0;
  for (int round = 0; round < 300; ++round) {
    const Slot slot = random_slot(random, 1 + random.below(30), 1 + random.below(8), 8, random.below(2) == 0);
    const double alpha = std::vector<double>{0.3, 1, 10, 1e4}[random.below(4)];
    const double exact = slot.value(placement(slot, alpha, SwitchingSolver::flow, true), alpha);
    const double greedy = slot.value(placement(slot, alpha, SwitchingSolver::greedy, true), alpha);
    EXPECT_LE(exact, greedy + 1e-9 * (1 + std::abs(greedy) + alpha));
    if (exact < greedy - 1e-6) ++better;
  }
  EXPECT_GT(better, 0);
}

TEST(SwitchingSlot, AlphaZeroGivesTheRatesOfLemmaOne) {
  RandomStream random(5);
  for (int round = 0; round < 300; ++round) {
    const Slot slot = random_slot(random, 1 + random.below(20), 1 + random.below(5), 6, random.below(2) == 0);
    const std::vector<double> omega = slot.omega();
    std::vector<std::size_t> order(slot.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return omega[row]; });
    Amount left = std::accumulate(slot.capacity.begin(), slot.capacity.end(), Amount{0});
    std::vector<Amount> expected(slot.size(), 0);
    for (const std::size_t row : order) left -= expected[row] = std::min(left, slot.limit[row]);
    EXPECT_EQ(rates(slot, 0, true), expected);
    std::vector<Amount> greedy(slot.size(), 0);
    for (const CorePiece& piece : placement(slot, 0, SwitchingSolver::greedy, true)) greedy[piece.row] += piece.cores;
    EXPECT_EQ(greedy, expected);
  }
}

TEST(SwitchingSlot, ExtremeNumbersEnd) {
  // Costs that differ by more digits than 128 bits hold are rounded, and the search still ends with all cores placed.
  const Slot slot{{5, 6, 7},
                  {-1e250, 3e-200, 0.1, -7e240, 1e249},
                  {3, 1048573, 7, 11, 13},
                  {3, 9, 7, 8, 4},
                  {0, 0, 1, 0, 0},
                  {{0, 1, 2}, {1, 0, 5}, {3, 2, 7}}};
  for (const double alpha : {0.0, 1e-300, 1.0, 1e200, std::numeric_limits<double>::max()}) {
    for (const SwitchingSolver solver : {SwitchingSolver::greedy, SwitchingSolver::flow}) {
      expect_feasible(slot, placement(slot, alpha, solver, true), true);
      expect_feasible(slot, placement(slot, alpha, solver, false), false);
    }
  }
}

TEST(SwitchingSlot, ASlotWithoutRowsOrCoresIsEmpty) {
  const Slot none{{2, 3}, {}, {}, {}, {}, {}};
  const Slot idle{{2, 0}, {-1}, {2}, {0}, {0}, {{0, 0, 2}}};
  for (const SwitchingSolver solver : {SwitchingSolver::greedy, SwitchingSolver::flow}) {
    EXPECT_TRUE(placement(none, 1, solver, true).empty());
    EXPECT_TRUE(placement(idle, 1, solver, true).empty());
  }
  EXPECT_TRUE(rates(none, 1, true).empty());
  EXPECT_EQ(rates(idle, 1, false), std::vector<Amount>{0});
}

}  // namespace
}  // namespace schedcore::switching_slot_test
