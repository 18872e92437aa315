#include "schedcore/site/fair_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "schedcore/base/archive.hpp"
#include "site/snapshot_damage.hpp"

namespace schedcore {
namespace {

std::string written(const FairShare& use) {
  SnapshotWriter archive;
  archive(use);
  return archive.bytes();
}

// Beside a list of all runs there ever were, over which the integral is taken anew for every factor.
class Accounts {
 public:
  Accounts(std::uint64_t seed, Time half_life) : random_(seed), half_life_(half_life), use_(half_life) {}

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      if (share_.size() < 2 || (share_.size() < 8 && below(20) == 0)) add_account();
      if (below(3) == 0) now_ += static_cast<Time>(below(40)) / 8;
      switch (below(5)) {
        case 0:
        case 1: begin(); break;
        case 2: end(); break;
        case 3: pass(); break;
        default: if (below(4) == 0) save_and_load(); break;
      }
      // Not always and not of all, so that some are told of several instants at once.
      if (below(3) == 0) compare();
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_LT(least_, 0.75);
  }

 private:
  struct Run {
    std::uint32_t account = 0;
    double size = 0;
    Time from = 0;
    Time to = kNever;
  };

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

  void add_account() {
    share_.push_back(static_cast<double>(1 + below(4)) / 4);
    use_.add_account(share_.back());
  }
  void begin() {
    const Run run{static_cast<std::uint32_t>(below(static_cast<std::int64_t>(share_.size()))),
                  static_cast<double>(below(9)) / 8, now_};
    use_.begin_run(run.account, run.size, now_);
    runs_.push_back(run);
  }
  void end() {
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].to == kNever) running.push_back(i);
    }
    if (running.empty()) return;
    Run& run = runs_[running[static_cast<std::size_t>(below(static_cast<std::int64_t>(running.size())))]];
    use_.end_run(run.account, run.size, now_);
    run.to = now_;
  }
  void pass() {
    // The instant lies behind what happened before it, and not ahead of now.
    instant_ = now_;
    now_ += static_cast<Time>(below(8)) / 8;
    use_.pass_to(instant_);
  }

  // size * integral over the run, up to T, of 2^(-(T - x) / half_life) dx
  [[nodiscard]] double used_by(const Run& run) const {
    const Time to = std::min(run.to, instant_);
    if (to <= run.from) return 0;
    if (half_life_ == kNever) return run.size * (to - run.from);
    const auto primitive = [&](Time x) { return half_life_ / std::numbers::ln2 * std::exp2(-(instant_ - x) / half_life_); };
    return run.size * (primitive(to) - primitive(run.from));
  }
  void compare() {
    std::vector<double> used(share_.size());
    double together = 0;
    for (const Run& run : runs_) {
      used[run.account] += used_by(run);
      together += used_by(run);
    }
    for (std::uint32_t account = 0; account < share_.size(); ++account) {
      if (below(4) == 0) continue;
      const double part = together > 0 ? used[account] / together : 0;
      const double expected = std::exp2(-part / share_[account]);
      const double found = use_.factor(account);
      EXPECT_NEAR(found, expected, 1e-9) << "account " << account << " at " << instant_;
      EXPECT_EQ(use_.factor(account), found);
      least_ = std::min(least_, found);
    }
    EXPECT_EQ(use_.n_accounts(), share_.size());
    EXPECT_TRUE(use_.is_sound(now_));
  }
  void save_and_load() {
    const std::string bytes = written(use_);
    FairShare again(half_life_);
    for (const double share : share_) again.add_account(share);
    SnapshotReader archive(bytes);
    archive(again);
    EXPECT_TRUE(archive.at_end());
    EXPECT_EQ(written(again), bytes);
    EXPECT_TRUE(again.runs_as_many_as(use_) && again.is_sound(now_));
    // Bit for bit, whoever was asked about before.
    for (std::uint32_t account = 0; account < share_.size(); ++account) {
      EXPECT_EQ(FairShare(again).factor(account), FairShare(use_).factor(account));
    }
    use_ = again;
  }

  std::mt19937_64 random_;
  Time half_life_;
  FairShare use_;
  std::vector<double> share_;
  std::vector<Run> runs_;
  Time now_ = 0;
  Time instant_ = 0;
  double least_ = 1;
};

TEST(FairShareTest, IsTheIntegralOverAllRuns) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Time half_life : {1.0, 7.0, 100.0, 1e6, kNever}) {
      Accounts(seed, half_life).run(400);
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << ", half life " << half_life;
    }
  }
}

TEST(FairShareTest, FactorsStandStillBetweenTwoInstants) {
  FairShare use(10);
  use.add_account(0.5);
  use.add_account(0.5);
  use.begin_run(0, 1, 2);
  use.pass_to(4);
  use.begin_run(1, 8, 5);
  use.end_run(0, 1, 6);
  EXPECT_EQ(use.factor(0), 0.25);  // all use is that of the first account: 2^(-1 / 0.5)
  EXPECT_EQ(use.factor(1), 1);
  use.begin_run(1, 1, 7);
  EXPECT_EQ(use.factor(0), 0.25);
  use.pass_to(8);
  EXPECT_GT(use.factor(0), 0.25);
  EXPECT_LT(use.factor(1), 1);
}

// Adding and taking away doubles in another order leaves a rest, which would count for ever.
TEST(FairShareTest, WhereNobodyRunsNothingIsUsed) {
  FairShare use(1);
  use.add_account(1);
  const std::vector<double> sizes{0.1, 0.2, 0.3, 0.7, 1e16};
  for (const double size : sizes) use.begin_run(0, size, 0);
  for (const double size : sizes) use.end_run(0, size, 0);
  use.pass_to(50);
  EXPECT_EQ(use.factor(0), 1);
}

// The part of the use that fades is lost in rounding long before the half-life is infinite.
TEST(FairShareTest, UseThatHardlyFadesCountsInFull) {
  for (const Time half_life : {1e15, 1e17, 1e18, 1e40, 1e300, 1.7e308, 5e-324}) {
    FairShare use(half_life);
    FairShare in_full(kNever);
    for (FairShare* each : {&use, &in_full}) {
      for (int account = 0; account < 3; ++account) each->add_account(0.5);
      each->begin_run(0, 0.25, 1);
      each->begin_run(1, 0.5, 3);
      each->end_run(0, 0.25, 10);
      each->pass_to(20);
    }
    if (half_life < 1) {
      EXPECT_GE(use.factor(0), 0) << "nothing is left";
      EXPECT_TRUE(use.is_sound(20));
      continue;
    }
    for (std::uint32_t account = 0; account < 3; ++account) {
      EXPECT_NEAR(use.factor(account), in_full.factor(account), 1e-12) << "account " << account << ", half life " << half_life;
    }
    EXPECT_TRUE(use.is_sound(20));
    EXPECT_LT(use.factor(0), 1);
  }
}

TEST(FairShareTest, AnAccountIsSpentWhenItsFactorIsThatOfANewOne) {
  FairShare use(1);
  for (int account = 0; account < 3; ++account) use.add_account(0.25);
  EXPECT_TRUE(use.is_spent(0));
  use.begin_run(0, 1, 0);
  EXPECT_FALSE(use.is_spent(0));  // it runs, though it has used nothing
  use.begin_run(1, 1, 2);
  use.end_run(0, 1, 2);
  EXPECT_FALSE(use.is_spent(0));
  Time instant = 2;
  while (!use.is_spent(0)) {
    ASSERT_LT(instant, 100);
    instant += 0.5;
    use.pass_to(instant);
  }
  EXPECT_GT(instant, 50);
  EXPECT_EQ(use.factor(0), 1);
  EXPECT_TRUE(use.is_spent(2));
  EXPECT_FALSE(use.is_spent(1));
  FairShare renewed = use;
  renewed.renew(0, 0.25);
  for (FairShare* each : {&use, &renewed}) {
    each->begin_run(0, 2, instant);
    each->pass_to(instant + 1);
  }
  EXPECT_EQ(use.factor(0), renewed.factor(0));
  EXPECT_EQ(use.factor(1), renewed.factor(1));
}

// Between two T factors are those of the last one, whatever has faded since.
TEST(FairShareTest, WhatHasFadedSinceTheLastInstantStillCounts) {
  FairShare use(1);
  use.add_account(0.5);
  use.add_account(0.5);
  use.begin_run(0, 1, 0);
  use.end_run(0, 1, 5);
  use.pass_to(5);
  use.begin_run(1, 1, 5);
  use.end_run(1, 1, 200);
  EXPECT_FALSE(use.is_spent(0));
  EXPECT_LT(use.factor(0), 1);
  use.pass_to(200);
  EXPECT_TRUE(use.is_spent(0));
}

TEST(FairShareTest, CountsWhoRuns) {
  FairShare use;
  FairShare other;
  for (FairShare* each : {&use, &other}) {
    each->add_account(1);
    each->add_account(1);
  }
  EXPECT_TRUE(use.runs_as_many_as(other));
  use.begin_run(0, 1, 0);
  EXPECT_FALSE(use.runs_as_many_as(other));
  other.begin_run(1, 1, 0);
  EXPECT_FALSE(use.runs_as_many_as(other));  // as many, but of another account
  other.begin_run(0, 5, 1);
  use.begin_run(1, 2, 1);
  EXPECT_TRUE(use.runs_as_many_as(other));
}

// Whatever is read and sound gives factors, and goes on to give some.
TEST(FairShareTest, DamagedBytesAreRefusedOrUnsoundOrGiveFactors) {
  const auto with_accounts = [] {
    FairShare use(5);
    use.add_account(0.25);
    use.add_account(0.75);
    return use;
  };
  FairShare use = with_accounts();
  use.begin_run(0, 0.5, 0);
  use.begin_run(1, 0.25, 1);
  use.pass_to(3);
  use.end_run(1, 0.25, 4);
  static_cast<void>(use.factor(0));
  int n_refused = 0;
  int n_read = 0;
  testing::for_each_damage(written(use), [&](const std::string& damaged) {
    FairShare found = with_accounts();
    SnapshotReader archive(damaged);
    try {
      archive(found);
    } catch (const InvalidInstanceError&) {
      ++n_refused;
      return;
    }
    if (!found.is_sound(4) || !found.runs_as_many_as(use)) {
      ++n_refused;
      return;
    }
    ++n_read;
    const auto is_factor = [](double factor) { return factor >= 0 && factor <= 1; };
    for (const Time instant : {4.0, 9.0}) {
      for (std::uint32_t account = 0; account < 2; ++account) EXPECT_PRED1(is_factor, found.factor(account));
      found.pass_to(instant);
    }
    found.end_run(0, 0.5, 9);
    found.pass_to(20);
    for (std::uint32_t account = 0; account < 2; ++account) EXPECT_PRED1(is_factor, found.factor(account));
  });
  EXPECT_GT(n_refused, 150);
  EXPECT_GT(n_read, 100);
}

TEST(FairShareTest, ImpossibleUseIsUnsound) {
  FairShare use(5);
  use.add_account(1);
  use.begin_run(0, 1, 2);
  use.pass_to(3);
  EXPECT_TRUE(use.is_sound(3));
  EXPECT_FALSE(use.is_sound(2.5));  // of later on
}

}  // namespace
}  // namespace schedcore
