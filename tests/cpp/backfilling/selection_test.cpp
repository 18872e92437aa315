#include "schedcore/backfilling/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <random>
#include <vector>

#include "exact/plain_natural.hpp"

namespace schedcore::selection_test {
namespace {

using testing::PlainNatural;
using Row = std::vector<Amount>;

PlainNatural plain(Amount amount) { return PlainNatural(static_cast<std::uint64_t>(amount)); }

// The definition, as a fraction of natural numbers.
struct PlainScore {
  PlainNatural numerator;
  PlainNatural denominator{1};
};

PlainNatural power(const PlainNatural& base, std::uint32_t exponent) {
  PlainNatural product(1);
  for (; exponent > 0; --exponent) product = product * base;
  return product;
}

// The estimate counts in eighths.
PlainScore plain_score(const Selection& selection, const Row& capacity, const Row& free, const Row& demand,
                       std::uint64_t eighths) {
  std::vector<std::size_t> resources;
  PlainNatural one(1);
  for (std::size_t k = 0; k < capacity.size(); ++k) {
    if (capacity[k] == 0) continue;
    resources.push_back(k);
    one = one * plain(capacity[k]);
  }
  const auto share = [&](Amount amount, std::size_t of) {
    PlainNatural product = plain(amount);
    for (std::size_t k = 0; k < capacity.size(); ++k) {
      if (k != of && capacity[k] > 0) product = product * plain(capacity[k]);
    }
    return product;
  };
  PlainNatural largest;
  PlainNatural sum;
  for (const std::size_t k : resources) {
    const PlainNatural after = share(capacity[k] - free[k] + demand[k], k);
    largest = std::max(largest, after);
    sum = sum + after;
  }
  const PlainNatural count = plain(static_cast<Amount>(resources.size()));
  PlainScore score;
  if (selection.rule == SelectionRule::first_fit) return score;
  const PlainScore balance = sum == PlainNatural() ? PlainScore{PlainNatural(1)} : PlainScore{count * largest, sum};
  if (selection.rule == SelectionRule::product) {
    score = {power(balance.numerator, selection.balance) * power(PlainNatural(eighths), selection.estimate),
             power(balance.denominator, selection.balance) * power(PlainNatural(8), selection.estimate)};
  } else {
    std::stable_sort(resources.begin(), resources.end(), [&](std::size_t a, std::size_t b) {
      return share(capacity[a] - free[a], a) < share(capacity[b] - free[b], b);
    });
    const std::size_t window = std::min<std::size_t>(selection.balance, resources.empty() ? 0 : resources.size() - 1);
    std::size_t matched = 0;
    while (matched < window &&
           std::all_of(resources.begin() + static_cast<std::ptrdiff_t>(matched), resources.end(), [&](std::size_t k) {
             return share(demand[resources[matched]], resources[matched]) >= share(demand[k], k);
           })) {
      ++matched;
    }
    score.numerator = plain(static_cast<Amount>(1 + window - matched));
  }
  score.numerator = score.numerator * power(count * one - sum, selection.fullness);
  score.denominator = score.denominator * power(count * one, selection.fullness);
  return score;
}

struct Pair {
  std::size_t machine = 0;
  Row demand;
  std::uint64_t eighths = 8;
};

const std::vector<Selection> kSelections{
    Selection{},
    Selection::product(1, 1, 0), Selection::product(1, 0, 0), Selection::product(0, 0, 1), Selection::product(1, 0, 1),
    Selection::product(3, 0, 1), Selection::product(0, 1, 0), Selection::product(3, 1, 0), Selection::product(2, 1, 1),
    Selection::product(0, 2, 1), Selection::product(1, 3, 2), Selection::product(5, 0, 2), Selection::product(0, 0, 2),
    Selection::lowest(0, true),  Selection::lowest(1, true),  Selection::lowest(1, false), Selection::lowest(2, true),
    Selection::lowest(7, true),  Selection::lowest(7, false)};

// Compares random pairs on some machines in both ways; amounts come from `draw(bound)`, at most `bound`.
template <class Draw>
void expect_exact_order(std::mt19937_64& random, const std::vector<Row>& capacity, const Draw& draw, int n_pairs) {
  const std::size_t n_resources = capacity.front().size();
  Row all;
  std::vector<Row> free = capacity;
  for (std::size_t machine = 0; machine < capacity.size(); ++machine) {
    all.insert(all.end(), capacity[machine].begin(), capacity[machine].end());
    for (Amount& amount : free[machine]) amount -= draw(amount);
  }
  std::vector<Pair> pairs;
  for (int i = 0; i < n_pairs; ++i) {
    Pair pair{random() % capacity.size(), Row(n_resources), 1 + random() % 40};
    if (random() % 4 == 0) pair.eighths += (std::uint64_t{1} << 52) - random() % 3;
    for (std::size_t k = 0; k < n_resources; ++k) pair.demand[k] = draw(free[pair.machine][k]);
    pairs.push_back(std::move(pair));
  }
  const auto free_of = [&](std::uint32_t machine) { return std::span<const Amount>(free[machine]); };
  for (const Selection& selection : kSelections) {
    SelectionScores scores(MachinesView{all, capacity.size(), n_resources}, selection);
    std::vector<ScoredPair> scored;
    std::vector<PlainScore> expected;
    for (const Pair& pair : pairs) {
      scores.look_at(pair.machine, free[pair.machine]);
      scored.push_back(scores.score(pair.demand, static_cast<Time>(pair.eighths) / 8));
      expected.push_back(plain_score(selection, capacity[pair.machine], free[pair.machine], pair.demand,
                                     pair.eighths));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t j = 0; j < pairs.size(); ++j) {
        const std::weak_ordering exact = expected[i].numerator * expected[j].denominator <=>
                                         expected[j].numerator * expected[i].denominator;
        ASSERT_TRUE(scores.compare(scored[i], scored[j], free_of) == exact)
            << "rule " << static_cast<int>(selection.rule) << " balance " << selection.balance << " fullness "
            << selection.fullness << " estimate " << selection.estimate << " pairs " << i << ", " << j;
      }
    }
  }
}

TEST(SelectionScores, OrderPairsAsTheDefinitionDoes) {
  std::mt19937_64 random(1);
  const auto draw = [&](Amount bound) {
    return static_cast<Amount>(random() % (static_cast<std::uint64_t>(bound) + 1));
  };
  for (int round = 0; round < 60; ++round) {
    const std::size_t n_resources = 1 + random() % 5;
    std::vector<Row> capacity(1 + random() % 3, Row(n_resources));
    for (Row& row : capacity) {
      for (Amount& amount : row) amount = random() % 8 == 0 ? 0 : draw(11) + 1;
      row.front() = draw(11) + 1;  // no job fits a machine that has nothing
    }
    expect_exact_order(random, capacity, draw, 8);
  }
}

// Capacities near 2^53 that hardly differ, and amounts that differ by one: doubles cannot tell.
TEST(SelectionScores, AreExactWhereDoublesAreNot) {
  std::mt19937_64 random(2);
  const auto near = [&](Amount amount) { return std::max<Amount>(0, amount - static_cast<Amount>(random() % 3)); };
  const auto draw = [&](Amount bound) { return near(random() % 3 == 0 ? bound : bound / 4); };
  for (int round = 0; round < 12; ++round) {
    const std::size_t n_resources = 1 + random() % 3;
    std::vector<Row> capacity(1 + random() % 2, Row(n_resources));
    for (Row& row : capacity) {
      for (Amount& amount : row) amount = near(Amount{1} << 53);
    }
    expect_exact_order(random, capacity, draw, 5);
  }
}

// Used (60, 40) of (100, 100); a (20, 10), b (30, 20), c (10, 30), d (40, 55).  BB: 28/65, 3/10, 3/10, 1/39.
// BL: 7/10, 1/2, 3/10, 1/40, where only c and d match the least used resource.
TEST(SelectionScores, GiveTheWorkedExample) {
  const Row capacity{100, 100};
  const Row free{40, 60};
  const std::vector<Row> demands{{20, 10}, {30, 20}, {10, 30}, {40, 55}};
  const auto score_all = [&](const Selection& selection) {
    SelectionScores scores(MachinesView{capacity, 1, 2}, selection);
    scores.look_at(0, free);
    std::vector<double> all;
    for (const Row& demand : demands) all.push_back(scores.score(demand, 1).score);
    return all;
  };
  const auto balanced = score_all(Selection::product(1, 1, 0));
  const auto lowest = score_all(Selection::lowest(1, true));
  const std::vector<double> bb{28.0 / 65, 0.3, 0.3, 1.0 / 39};
  const std::vector<double> bl{0.7, 0.5, 0.3, 0.025};
  for (std::size_t i = 0; i < demands.size(); ++i) {
    EXPECT_NEAR(balanced[i], bb[i], 1e-12);
    EXPECT_NEAR(lowest[i], bl[i], 1e-12);
  }
}

TEST(SelectionScores, APerfectFillOfEveryResourceBeatsAll) {
  const Row capacity{7, 11, 13};
  const Row free{3, 5, 2};
  SelectionScores scores(MachinesView{capacity, 1, 3}, Selection::product(1, 1, 0));
  scores.look_at(0, free);
  const ScoredPair fill = scores.score(free, 1);
  const Row less{3, 5, 1};
  const auto free_of = [&](std::uint32_t) { return std::span<const Amount>(free); };
  EXPECT_TRUE(scores.compare(fill, scores.score(less, 1), free_of) == std::weak_ordering::less);
}

}  // namespace
}  // namespace schedcore::selection_test
