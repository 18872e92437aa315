#include "schedcore/backfilling/window_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace schedcore {
namespace {

using Amounts = std::vector<Amount>;

struct Problem {
  std::size_t n_resources = 0;
  std::size_t n_machines = 0;
  Amounts capacity;  // row-major
  Amounts available;
  std::vector<Amounts> demand;
};

constexpr Amount kMultiple = 2520;  // of all sums of two capacities up to 5
constexpr std::array<Amount, 3> kUnits{562949953421231, 562949953421173, 562949953421141};  // without a common divisor

Problem some_problem(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return static_cast<Amount>(random() % bound); };
  Problem problem;
  problem.n_resources = 1 + random() % 3;
  problem.n_machines = 1 + random() % 2;
  for (std::size_t i = 0; i < problem.n_machines * problem.n_resources; ++i) {
    problem.capacity.push_back(1 + below(5));
    problem.available.push_back(1 + below(static_cast<std::uint64_t>(problem.capacity.back())));
  }
  std::vector<Amounts> kinds(1 + random() % 5, Amounts(problem.n_resources));
  for (Amounts& kind : kinds) {
    for (Amount& amount : kind) amount = below(4);
    if (std::ranges::all_of(kind, [](Amount amount) { return amount == 0; })) kind.front() = 1;
  }
  const MachineIndex machines(problem.available, problem.n_resources);
  for (int i = 0; i < 8; ++i) {
    const Amounts& kind = kinds[random() % kinds.size()];
    if (machines.first_fit(kind) != kNoMachine) problem.demand.push_back(kind);
  }
  return problem;
}

WindowChoice chosen(const Problem& problem, std::size_t primary, TradeFactor trade, std::uint64_t work) {
  const MachinesView machines{problem.capacity, problem.n_machines, problem.n_resources};
  WindowSearch search(machines, primary, trade, work);
  std::vector<WindowCandidate> candidates;
  for (const Amounts& demand : problem.demand) candidates.push_back({demand, {}});
  return search.choose(candidates, MachineIndex(problem.available, problem.n_resources), [] {});
}

// Use of a set that fits and holds the earliest of equal jobs; nothing of others.
Amounts use_of(const Problem& problem, std::uint64_t set) {
  MachineIndex machines(problem.available, problem.n_resources);
  Amounts use(problem.n_resources);
  for (std::size_t i = 0; i < problem.demand.size(); ++i) {
    if (((set >> i) & 1) == 0) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (((set >> j) & 1) == 0 && problem.demand[j] == problem.demand[i]) return {};
    }
    const std::size_t machine = machines.first_fit(problem.demand[i]);
    if (machine == kNoMachine) return {};
    machines.acquire(machine, problem.demand[i]);
    for (std::size_t k = 0; k < use.size(); ++k) use[k] += problem.demand[i][k];
  }
  return use;
}

bool dominates(const Amounts& a, const Amounts& b) {
  return a != b && std::ranges::equal(a, b, [](Amount x, Amount y) { return x >= y; });
}

// As the rule is printed: of the front, with everything compared with everything.
std::uint64_t by_enumeration(const Problem& problem, std::size_t primary, TradeFactor trade) {
  const MachinesView machines{problem.capacity, problem.n_machines, problem.n_resources};
  const Amounts total = machines.total();
  struct Set {
    std::uint64_t jobs;
    Amounts use;
    Amount primary;
    Amount others;
  };
  std::vector<Set> sets;
  const std::size_t n = problem.demand.size();
  for (std::uint64_t code = 0; code < (std::uint64_t{1} << n); ++code) {
    std::uint64_t jobs = 0;  // the first job decides most, and taken is before left
    for (std::size_t i = 0; i < n; ++i) jobs |= (((code >> (n - 1 - i)) & 1) ^ 1) << i;
    const Amounts use = use_of(problem, jobs);
    if (use.empty()) continue;
    Set set{jobs, use, 0, 0};
    for (std::size_t k = 0; k < use.size(); ++k) {
      (k == primary ? set.primary : set.others) += use[k] * (kMultiple / total[k]);
    }
    sets.push_back(set);
  }
  std::vector<Set> front;
  for (const Set& set : sets) {
    if (std::ranges::none_of(sets, [&](const Set& other) { return dominates(other.use, set.use); })) front.push_back(set);
  }
  const auto most = [](const Set& a, const Set& b) {
    return std::tie(a.primary, a.others) < std::tie(b.primary, b.others);
  };
  const Set best = *std::ranges::max_element(front, most);  // the first of equals
  std::vector<Set> better;
  for (const Set& set : front) {
    const Amount gain = (set.others - best.others) * static_cast<Amount>(trade.denominator);
    if (gain > (best.primary - set.primary) * static_cast<Amount>(trade.numerator)) better.push_back(set);
  }
  if (better.empty()) return best.jobs;
  return std::ranges::max_element(better, [](const Set& a, const Set& b) {
           return std::tie(a.others, a.primary) < std::tie(b.others, b.primary);
         })->jobs;
}

TEST(WindowSearch, TakesWhatTheRuleTakesOfTheFront) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1500; ++round) {
    const Problem problem = some_problem(random);
    if (problem.demand.empty()) continue;
    const std::size_t primary = random() % problem.n_resources;
    const TradeFactor trade{random() % 5, 1 + random() % 3};
    const WindowChoice choice = chosen(problem, primary, trade, 1'000'000);
    ASSERT_FALSE(choice.is_cut);
    ASSERT_EQ(choice.set, by_enumeration(problem, primary, trade)) << "round " << round;
    // Whatever the units of resources are; with these, 128 bits do not hold a common multiple of three.
    Problem in_units = problem;
    const auto scale = [&](Amounts& amounts) {
      for (std::size_t i = 0; i < amounts.size(); ++i) amounts[i] *= kUnits[i % problem.n_resources];
    };
    scale(in_units.capacity);
    scale(in_units.available);
    for (Amounts& demand : in_units.demand) scale(demand);
    ASSERT_EQ(chosen(in_units, primary, trade, 1'000'000).set, choice.set) << "round " << round;
  }
}

// On one machine whose capacities are alike: in two searches over all sets, as the header says.
std::uint64_t in_two_searches(const Problem& problem, TradeFactor trade) {
  const std::size_t n = problem.demand.size();
  std::uint64_t best = 0;
  Amount best_primary = -1;
  Amount best_others = 0;
  Amount threshold = 0;
  const auto traded = [&](Amount primary, Amount others) {
    return others * static_cast<Amount>(trade.denominator) + primary * static_cast<Amount>(trade.numerator);
  };
  for (const bool is_trading : {false, true}) {
    threshold = traded(best_primary, best_others);
    for (std::uint64_t code = 0; code < (std::uint64_t{1} << n); ++code) {
      std::uint64_t jobs = 0;
      for (std::size_t i = 0; i < n; ++i) jobs |= (((code >> (n - 1 - i)) & 1) ^ 1) << i;
      Amounts use(problem.n_resources);
      for (std::size_t i = 0; i < n; ++i) {
        if (((jobs >> i) & 1) == 0) continue;
        for (std::size_t k = 0; k < use.size(); ++k) use[k] += problem.demand[i][k];
      }
      if (!std::ranges::equal(use, problem.available, [](Amount x, Amount y) { return x <= y; })) continue;
      const Amount primary = use.front();
      const Amount others = std::accumulate(use.begin() + 1, use.end(), Amount{0});
      const bool is_better = is_trading ? traded(primary, others) > threshold &&
                                              std::tie(others, primary) > std::tie(best_others, best_primary)
                                        : std::tie(primary, others) > std::tie(best_primary, best_others);
      if (!is_better) continue;
      best = jobs;
      best_primary = primary;
      best_others = others;
    }
  }
  return best;
}

TEST(WindowSearch, TakesTheSameSetWhereItListsSums) {
  std::mt19937_64 random(3);
  int n_long = 0;
  for (int round = 0; round < 24; ++round) {
    Problem problem{2 + random() % 2, 1, {}, {}, {}};
    problem.capacity.assign(problem.n_resources, 400);
    problem.available.assign(problem.n_resources, 80 + static_cast<Amount>(random() % 120));
    for (int i = 0; i < 13; ++i) {
      Amounts demand(problem.n_resources);
      for (Amount& amount : demand) amount = 1 + static_cast<Amount>(random() % 60);
      problem.demand.push_back(std::move(demand));
    }
    const TradeFactor trade{random() % 3, 1};
    const WindowChoice choice = chosen(problem, 0, trade, 1'000'000);
    ASSERT_EQ(choice.set, in_two_searches(problem, trade)) << "round " << round;
    n_long += chosen(problem, 0, trade, 300).is_cut ? 1 : 0;
  }
  EXPECT_GE(n_long, 6);  // sums are listed after 256 looks
}

TEST(WindowSearch, IsAtLeastTheFirstFitHoweverLittleItMayLook) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    const Problem problem = some_problem(random);
    if (problem.demand.empty()) continue;
    MachineIndex machines(problem.available, problem.n_resources);
    Amount by_first_fit = 0;
    for (const Amounts& demand : problem.demand) {
      const std::size_t machine = machines.first_fit(demand);
      if (machine == kNoMachine) continue;
      machines.acquire(machine, demand);
      by_first_fit += demand.front();
    }
    for (const std::uint64_t work : {1U, 2U, 5U, 20U}) {
      const Amounts use = use_of(problem, chosen(problem, 0, {1, 0}, work).set);
      ASSERT_FALSE(use.empty());
      ASSERT_GE(use.front(), by_first_fit);
    }
  }
}

}  // namespace
}  // namespace schedcore
