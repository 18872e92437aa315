#include "schedcore/packing/bin_completion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "packing/partition_makers.hpp"

namespace schedcore {
namespace {

constexpr std::uint64_t kEnough = 10'000'000;

struct Attempt {
  PackingAnswer answer;
  std::uint64_t work = 0;
  std::vector<std::uint32_t> bin;
};

Attempt attempt(const std::vector<Amount>& size, std::size_t n_bins, Amount capacity, std::uint64_t limit = kEnough) {
  Attempt made{PackingAnswer::unknown, 0, std::vector<std::uint32_t>(size.size())};
  made.answer = pack_bins(size, n_bins, capacity, limit, made.work, nullptr, made.bin);
  return made;
}

TEST(BinCompletion, DecidesWhatTryingEveryAssignmentDecides) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 1500; ++round) {
    const PartitionProblem problem = random_problem(random, 8, 4, round % 2 == 0 ? 8 : 60, 1);
    const std::size_t n_bins = problem.speed.size();
    std::vector<Amount> ones(n_bins, 1);
    const Amount optimum = brute_force_optimum({problem.sorted_size, ones}).load;
    for (const Amount capacity : {optimum - 1, optimum, optimum + 1}) {
      if (capacity < 0) continue;
      const Attempt made = attempt(problem.sorted_size, n_bins, capacity);
      ASSERT_EQ(made.answer, capacity < optimum ? PackingAnswer::impossible : PackingAnswer::packed);
      if (made.answer != PackingAnswer::packed) continue;
      ASSERT_LE(makespan_of(loads_of(problem.sorted_size, made.bin, n_bins), ones).load, capacity);
    }
  }
}

TEST(BinCompletion, FindsAPerfectPacking) {
  // 12 bins of three tasks that fill them exactly.
  std::mt19937_64 random(9);
  std::vector<Amount> size;
  for (int b = 0; b < 12; ++b) {
    const Amount first = 200 + static_cast<Amount>(random() % 200);
    const Amount second = 200 + static_cast<Amount>(random() % 200);
    size.insert(size.end(), {first, second, 1000 - first - second});
  }
  std::sort(size.begin(), size.end(), std::greater<>());
  const Attempt made = attempt(size, 12, 1000);
  ASSERT_EQ(made.answer, PackingAnswer::packed);
  EXPECT_EQ(loads_of(size, made.bin, 12), std::vector<Amount>(12, 1000));
}

TEST(BinCompletion, EndsWhenItsWorkIsUsedUp) {
  std::mt19937_64 random(10);
  std::vector<Amount> size(300);
  for (Amount& one : size) one = 400'000 + static_cast<Amount>(random() % 200'000);
  std::sort(size.begin(), size.end(), std::greater<>());
  Amount total = 0;
  for (const Amount one : size) total += one;
  const Attempt made = attempt(size, 100, total / 100 + 1, 100'000);
  EXPECT_EQ(made.answer, PackingAnswer::unknown);
  EXPECT_LT(made.work, 200'000U);
}

TEST(BinCompletion, AnswersTheSmallestQuestions) {
  EXPECT_EQ(attempt({}, 0, 0).answer, PackingAnswer::packed);
  EXPECT_EQ(attempt({3}, 0, 5).answer, PackingAnswer::impossible);
  EXPECT_EQ(attempt({6}, 4, 5).answer, PackingAnswer::impossible);
  EXPECT_EQ(attempt({5, 5}, 1000, 5).answer, PackingAnswer::packed);
}

}  // namespace
}  // namespace schedcore
