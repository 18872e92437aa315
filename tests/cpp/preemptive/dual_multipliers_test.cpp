#include "schedcore/preemptive/dual_multipliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

// Two cores, jobs (release, cores, time) = (0, 2, 2), (0, 1, 3), (1, 1, 1); k = 1, Gamma = 8, lambda from 0.
TEST(DualMultipliers, FollowTheWorkedExample) {
  DualRules rules;
  rules.k = 1;
  rules.gamma = 8.0;
  rules.initial = InitialMultiplier::zero;
  ActiveRows active;
  DualMultipliers multipliers(rules);
  active.add(std::vector<std::uint32_t>{0, 1});
  multipliers.follow(active);
  multipliers.start(0, 0, 2, 2, 2);
  multipliers.start(1, 0, 3, 1, 1);
  std::vector<double> omega, cost;
  multipliers.keys(1, omega, cost);
  EXPECT_EQ(omega, (std::vector<double>{0.75, 1.0 / 3.0 + 1.0}));
  multipliers.advance(1, 1, std::vector<Amount>{2, 0});
  EXPECT_EQ(multipliers.values()[0], 0.0);
  EXPECT_EQ(multipliers.values()[1], 0.375);

  active.add(std::vector<std::uint32_t>{2});
  multipliers.follow(active);
  multipliers.start(2, 1, 1, 1, 1);
  multipliers.advance(2, 1, std::vector<Amount>{2, 0, 0});
  EXPECT_NEAR(multipliers.values()[1], 1.43566, 1e-5);
  EXPECT_NEAR(multipliers.values()[2], 0.404061, 1e-6);
}

TEST(DualMultipliers, StartAsTold) {
  DualRules rules;
  rules.k = 2;
  rules.gamma = 4.0;
  EXPECT_EQ(rules.first_multiplier(3), 4.0 * (16.0 * 2.0));
  rules.initial = InitialMultiplier::steps;
  rules.initial_value = 10.0;
  EXPECT_EQ(rules.first_multiplier(3), 10.0 * (16.0 * 2.0));
  rules.constant_step = 0.5;
  EXPECT_EQ(rules.first_multiplier(3), 5.0);
  rules.initial = InitialMultiplier::constant;
  EXPECT_EQ(rules.first_multiplier(3), 10.0);
}

TEST(DualMultipliers, ManySlotsAtOnceEqualOneByOne) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    DualRules rules;
    rules.k = 1 + static_cast<unsigned>(random() % 5);
    rules.gamma = 1.0 + static_cast<double>(random() % 300);
    if (random() % 3 == 0) rules.constant_step = 0.25 * static_cast<double>(random() % 5);
    rules.initial = random() % 2 == 0 ? InitialMultiplier::zero : InitialMultiplier::big;
    ActiveRows active;
    active.add(std::vector<std::uint32_t>{0, 1, 2});
    DualMultipliers at_once(rules), one_by_one(rules);
    std::vector<Amount> work;
    for (auto* multipliers : {&at_once, &one_by_one}) multipliers->follow(active);
    for (std::size_t row = 0; row < 3; ++row) {
      const auto release = static_cast<Slot>(random() % 10), time = 1 + static_cast<Slot>(random() % 30);
      for (auto* multipliers : {&at_once, &one_by_one}) multipliers->start(row, release, time, 4, 3);
      work.push_back(static_cast<Amount>(random() % 5));
    }
    const auto n_slots = static_cast<Slot>(random() % 400);
    const bool settled = at_once.advance(10, n_slots, work);
    for (Slot slot = 10; slot < 10 + n_slots; ++slot) one_by_one.advance(slot, 1, work);
    ASSERT_TRUE(std::ranges::equal(at_once.values(), one_by_one.values()));
    one_by_one.advance(10 + n_slots, 1, work);
    if (settled) {
      ASSERT_TRUE(std::ranges::equal(at_once.values(), one_by_one.values()));
    }
  }
}

TEST(DualMultipliers, RefuseToLeaveTheDoubles) {
  DualRules rules;
  rules.k = 64;
  ActiveRows active;
  active.add(std::vector<std::uint32_t>{0});
  DualMultipliers multipliers(rules);
  multipliers.follow(active);
  EXPECT_THROW(multipliers.start(0, 0, 1'000'000, 1, 1), UnsupportedError);
  multipliers.start(0, 0, 1, 1, 1);
  std::vector<double> omega, cost;
  EXPECT_NO_THROW(multipliers.keys(1000, omega, cost));
  EXPECT_THROW(multipliers.keys(1'000'000, omega, cost), UnsupportedError);
}

}  // namespace
}  // namespace schedcore
