// Scores by blocks against each class by itself.
#include "schedcore/online/score_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace schedcore {
namespace {

struct PlainClass {
  std::vector<Amount> demand;
  double count = 0;
  double sum = 0;
  double best = 0;
};

class Classes {
 public:
  Classes(std::size_t n_leaves, std::size_t n_resources, std::uint64_t seed)
      : random_(seed), n_resources_(n_resources), classes_(n_leaves) {
    blocks_.lay_out(n_leaves, n_resources);
  }

  Amount below(Amount n) { return static_cast<Amount>(random_() % static_cast<std::uint64_t>(n)); }

  // Leaves near each other have demands near each other, so that blocks fit as a whole, in part, and not at all.
  void change_some(bool has_negative_terms) {
    for (int change = 0; change < 20; ++change) {
      const auto leaf = static_cast<std::size_t>(below(static_cast<Amount>(classes_.size())));
      std::optional<PlainClass>& at = classes_[leaf];
      if (below(3) == 0) {
        if (at) blocks_.clear(static_cast<std::uint32_t>(leaf));
        at.reset();
        continue;
      }
      if (!at) {
        at.emplace();
        for (std::size_t r = 0; r < n_resources_; ++r) at->demand.push_back(static_cast<Amount>(leaf / 64) * 10 + below(12));
      }
      const double sign = has_negative_terms ? -1 : 1;
      at->count = static_cast<double>(1 + below(3));
      at->best = sign * static_cast<double>(1 + below(100)) / 64;
      at->sum = at->count * at->best - static_cast<double>(below(5));
      blocks_.set(static_cast<std::uint32_t>(leaf), at->demand, at->count, at->sum, at->best);
    }
  }

  void compare() {
    std::vector<Amount> available;
    std::vector<double> room;
    for (std::size_t r = 0; r < n_resources_; ++r) {
      available.push_back(below(static_cast<Amount>(classes_.size() / 64) * 10 + 12));
      room.push_back(static_cast<double>(below(65)) / 64);
    }
    // Sums of these numbers are exact, in whatever order.
    ScoreBlocks::Fitting expected;
    std::vector<std::uint32_t> fitting;
    blocks_.start(available, room);
    for (std::size_t block = 0; block * 64 < classes_.size(); ++block) {
      std::uint64_t candidates = 0;
      for (std::size_t lane = 0; lane < 64 && block * 64 + lane < classes_.size(); ++lane) {
        const auto leaf = static_cast<std::uint32_t>(block * 64 + lane);
        if (!classes_[leaf] || below(50) == 0) continue;  // some may not run there
        candidates |= std::uint64_t{1} << lane;
        const PlainClass& each = *classes_[leaf];
        bool fits = true;
        for (std::size_t r = 0; r < n_resources_; ++r) fits = fits && each.demand[r] <= available[r];
        if (!fits) continue;
        fitting.push_back(leaf);
        expected.add(each.count, each.count * alignment(each, room), each.sum);
      }
      if (candidates != 0) blocks_.add(block, candidates);
    }
    EXPECT_EQ(blocks_.fitting().count, expected.count);
    EXPECT_EQ(blocks_.fitting().alignment, expected.alignment);
    EXPECT_EQ(blocks_.fitting().term, expected.term);
    for (const bool has_term : {true, false}) {
      const TetrisScore score{0.5, expected.count > 0 ? expected.alignment / expected.count : 0, has_term};
      double best = -INFINITY;
      for (const std::uint32_t leaf : fitting) best = std::max(best, score_of(leaf, score, room));
      std::set<std::uint32_t> tied, found;
      for (const std::uint32_t leaf : fitting) {
        if (score_of(leaf, score, room) >= score.tied_with(best)) tied.insert(leaf);
      }
      std::vector<ScoreBlocks::Candidate> candidates;
      EXPECT_EQ(blocks_.best(score, candidates), best);
      for (const ScoreBlocks::Candidate& candidate : candidates) {
        EXPECT_EQ(candidate.score, score_of(candidate.leaf, score, room));
        const bool is_tied = candidate.score >= score.tied_with(best);
        EXPECT_TRUE(!is_tied || found.insert(candidate.leaf).second);
      }
      EXPECT_EQ(found, tied);
      n_ties_ += tied.size() > 1 ? 1 : 0;
    }
  }
  [[nodiscard]] int n_ties() const { return n_ties_; }

 private:
  [[nodiscard]] double alignment(const PlainClass& each, const std::vector<double>& room) const {
    double sum = 0;
    for (std::size_t r = 0; r < n_resources_; ++r) sum += static_cast<double>(each.demand[r]) * room[r];
    return sum;
  }
  [[nodiscard]] double score_of(std::uint32_t leaf, const TetrisScore& score, const std::vector<double>& room) const {
    const PlainClass& each = *classes_[leaf];
    return score(alignment(each, room), each.best);
  }

  std::mt19937_64 random_;
  std::size_t n_resources_;
  std::vector<std::optional<PlainClass>> classes_;
  ScoreBlocks blocks_;
  int n_ties_ = 0;
};

void compare_under_churn(std::size_t n_leaves, std::size_t n_resources, bool has_negative_terms) {
  Classes classes(n_leaves, n_resources, 7 * n_leaves + n_resources);
  for (int step = 0; step < 1000 && !testing::Test::HasFailure(); ++step) {
    classes.change_some(has_negative_terms);
    classes.compare();
  }
  EXPECT_GT(classes.n_ties(), 0);
}

TEST(ScoreBlocks, EqualEachClassByItselfWhereBlocksAreFew) {
  compare_under_churn(64, 1, false);
  compare_under_churn(320, 5, false);
}

TEST(ScoreBlocks, EqualEachClassByItself) { compare_under_churn(70 * 64, 2, false); }

TEST(ScoreBlocks, EqualEachClassByItselfWhereTermsAreNegative) {
  compare_under_churn(64, 1, true);
  compare_under_churn(70 * 64, 3, true);
}

// 2^53 - 1 and 2^53 are told apart.
TEST(ScoreBlocks, HugeAmountsAreComparedExactly) {
  ScoreBlocks blocks;
  blocks.lay_out(64, 1);
  const Amount most = Amount{1} << 53;
  blocks.set(0, std::vector<Amount>{most}, 1, 1, 1);
  blocks.set(1, std::vector<Amount>{most - 1}, 1, 1, 1);
  const std::vector<double> room{1.0};
  blocks.start(std::vector<Amount>{most - 1}, room);
  blocks.add(0, 3);
  EXPECT_EQ(blocks.fitting().count, 1);
  blocks.start(std::vector<Amount>{most}, room);
  blocks.add(0, 3);
  EXPECT_EQ(blocks.fitting().count, 2);
}

}  // namespace
}  // namespace schedcore
