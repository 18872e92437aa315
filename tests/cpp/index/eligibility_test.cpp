#include "schedcore/index/eligibility.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace schedcore {
namespace {

using Machines = std::vector<std::uint32_t>;

TEST(Eligibility, SaysWhichMachinesAreAllowedAndInWhichPlace) {
  EligibilitySets sets;
  const Eligibility some = sets.intern({1, 4, 6}, 8);
  EXPECT_FALSE(some.is_everywhere());
  EXPECT_FALSE(some.allows(0));
  EXPECT_EQ(some.place_of(4), 1u);
  EXPECT_EQ(some.place_of(5), kNoMachine);
  EXPECT_TRUE(Eligibility().allows(7));
  EXPECT_TRUE(sets.intern({0, 1, 2}, 3).is_everywhere());
}

TEST(Eligibility, EqualSetsAreKeptOnceAndOfOthersToo) {
  EligibilitySets sets;
  EligibilitySets others;
  const Eligibility some = sets.intern({1, 4}, 8);
  EXPECT_EQ(some.machines().data(), sets.intern({1, 4}, 8).machines().data());
  EXPECT_EQ(some, others.intern({1, 4}, 8));
  EXPECT_NE(some, sets.intern({1, 5}, 8));
  EXPECT_NE(some, Eligibility());
}

// A set that comes and goes while many others stay leaves one entry, not one each time.
TEST(Eligibility, NoMoreSetsAreKeptThanWereEverNamedTogether) {
  EligibilitySets sets;
  std::vector<Eligibility> named;
  for (std::uint32_t machine = 0; machine < 500; ++machine) named.push_back(sets.intern({machine}, 1000));
  for (int again = 0; again < 5000; ++again) EXPECT_FALSE(sets.intern({7, 9}, 1000).is_everywhere());
  EXPECT_EQ(sets.n_kept(), 501u);
  named.clear();
  for (std::uint32_t machine = 0; machine < 5000; ++machine) EXPECT_FALSE(sets.intern({machine, 9999}, 10000).is_everywhere());
  EXPECT_LE(sets.n_kept(), 1500u);
}

}  // namespace
}  // namespace schedcore
