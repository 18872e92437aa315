#include "schedcore/parallel_tasks/fitting_list.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace schedcore {
namespace {

TEST(FittingList, FindsWhatALinearScanFinds) {
  std::mt19937_64 random(1);
  const auto draw = [&](Amount from, Amount to) { return std::uniform_int_distribution<Amount>(from, to)(random); };
  for (int round = 0; round < 300; ++round) {
    const auto n_resources = static_cast<std::size_t>(draw(1, 3)), n = static_cast<std::size_t>(draw(0, 20));
    std::vector<Amount> demand(n * n_resources);
    for (Amount& amount : demand) amount = draw(0, 9);
    FittingList list(demand, n_resources);
    std::vector<bool> left(n, true);
    while (true) {
      for (int question = 0; question < 10; ++question) {
        std::vector<Amount> available(n_resources);
        for (Amount& amount : available) amount = draw(0, 9);
        const auto from = static_cast<std::size_t>(draw(0, static_cast<Amount>(n)));
        std::size_t expected = from;
        while (expected < n &&
               !(left[expected] && fits(&demand[expected * n_resources], available.data(), n_resources))) {
          ++expected;
        }
        ASSERT_EQ(list.first_fitting(from, available), expected);
      }
      std::size_t gone = 0;
      while (gone < n && !left[gone]) ++gone;
      if (gone == n) break;
      gone = draw(0, 1) == 0 ? gone : static_cast<std::size_t>(draw(static_cast<Amount>(gone), static_cast<Amount>(n) - 1));
      if (left[gone]) list.remove(gone);
      left[gone] = false;
    }
  }
}

TEST(FittingList, EmptyListHasNothingThatFits) {
  const FittingList list({}, 2);
  EXPECT_EQ(list.first_fitting(0, std::vector<Amount>{5, 5}), 0U);
}

}  // namespace
}  // namespace schedcore
