#include "schedcore/metrics/work_curves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "metrics/slotted_maker.hpp"
#include "schedcore/metrics/power_sums.hpp"
#include "schedcore/metrics/slot_facts.hpp"

namespace schedcore {
namespace {

// Jobs with random pieces that keep to their volumes; machines do not matter here.
SlottedMaker random_jobs(std::mt19937_64& random, bool has_estimates, Slot longest) {
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  SlottedMaker made(1, {1000});
  for (std::int64_t job = 0; job < 8; ++job) {
    const Amount cores = draw(1, 7);
    const Slot time = draw(1, longest), release = draw(0, longest);
    made.job(release, time, {cores});
    if (has_estimates) made.believe({2 * cores});
    Amount left = cores * time;
    for (Slot now = release + draw(0, 3); left > 0;) {
      const Amount held = std::min(left, draw(1, has_estimates ? 2 * cores : cores));
      const Slot length = draw(1, std::max<Slot>(1, left / held));
      made.piece({job, -1, 0, now, now + length, held});
      left -= std::min(held, cores) * length;
      now += length + draw(0, 4);
      if (draw(0, 30) == 0) break;  // unfinished
    }
  }
  return made;
}

TEST(WorkCurves, EqualSumsSlotBySlotOnAnyGrid) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const bool has_estimates = round % 3 == 0;
    SlottedMaker made = random_jobs(random, has_estimates, round % 2 == 0 ? 12 : 90);
    const int k = 1 + round % 4;
    const SlotTasksView tasks = made.tasks();
    const SlotPiecesView pieces = made.pieces();
    const SlotFacts facts = slot_facts(tasks, pieces, k, 0);
    std::set<Slot> grid;
    for (Slot t = 0; t < 700; t += round % 5 == 0 ? 1 : std::uniform_int_distribution<Slot>(1, 40)(random)) grid.insert(t);
    const std::vector<Slot> times(grid.begin(), grid.end());
    const WorkCurves curves = work_curves(tasks, pieces, k, times);

    std::vector<Amount> left;
    for (std::size_t job = 0; job < tasks.n_jobs(); ++job) left.push_back(tasks.work_of(job));
    double fractional = 0;
    std::size_t i = 0;
    for (Slot slot = 0; slot < 700; ++slot) {
      for (std::size_t job = 0; slot > 0 && job < left.size(); ++job) {
        Amount held = 0;
        for (const SlottedPiece& p : made.list()) {
          if (static_cast<std::size_t>(p.job) == job && p.start < slot && slot <= p.end) held += p.cores;
        }
        const Amount work = std::min({held, tasks.cores_of(job), left[job]});
        left[job] -= work;
        const auto age = static_cast<double>(slot - tasks.release_time[job]);
        const auto p = static_cast<double>(tasks.processing_time[job]);
        fractional += static_cast<double>(work) / static_cast<double>(tasks.cores_of(job)) *
                      (integer_power(age, k) / p + integer_power(p, k - 1));
      }
      if (i == times.size() || times[i] != slot) continue;
      double offered = 0, unfinished = 0, unfinished_time = 0, flow_power = 0;
      for (std::size_t job = 0; job < left.size(); ++job) {
        if (tasks.release_time[job] >= slot) continue;
        offered += static_cast<double>(tasks.work_of(job));
        unfinished += static_cast<double>(left[job]);
        unfinished_time += static_cast<double>(left[job]) / static_cast<double>(tasks.cores_of(job));
        const double flow = facts.completion_time[job] - static_cast<double>(tasks.release_time[job]);
        if (facts.completion_time[job] <= static_cast<double>(slot)) flow_power += integer_power(flow, k);
      }
      ASSERT_EQ(curves.offered_volume[i], offered) << round << ' ' << slot;
      ASSERT_EQ(curves.unfinished_volume[i], unfinished) << round << ' ' << slot;
      ASSERT_NEAR(curves.unfinished_time[i], unfinished_time, 1e-12) << round << ' ' << slot;
      ASSERT_NEAR(curves.flow_power[i], flow_power, 1e-12 * flow_power) << round << ' ' << slot;
      ASSERT_NEAR(curves.fractional[i], fractional, 1e-12 * fractional) << round << ' ' << slot;
      ++i;
    }
    double total = 0;
    for (const double cost : facts.fractional) total += cost;
    ASSERT_NEAR(curves.fractional.back(), total, 1e-13 * total);
  }
}

TEST(WorkCurves, AreExactFarOutAndForHugeWork) {
  constexpr Slot kLong = 1'000'000'000, kFar = Slot{1} << 40;
  SlottedMaker made(1, {9'000'000});
  made.job(kFar, kLong, {9'000'000});
  made.job(kFar, kLong, {3});
  made.piece({0, -1, 0, kFar, kFar + kLong, 9'000'000});
  made.piece({1, -1, 0, kFar, kFar + kLong - 1, 3});
  const std::vector<Slot> times{0, kFar, kFar + 1, kFar + kLong - 1, kFar + kLong};
  const WorkCurves curves = work_curves(made.tasks(), made.pieces(), 2, times);
  EXPECT_EQ(curves.offered_volume, (std::vector<double>{0, 0, 9000003e9, 9000003e9, 9000003e9}));
  EXPECT_EQ(curves.unfinished_volume, (std::vector<double>{0, 0, 9000003e9 - 9000003, 9000003, 3}));
  EXPECT_EQ(curves.unfinished_time, (std::vector<double>{0, 0, 2e9 - 2, 2, 1}));
  EXPECT_EQ(curves.flow_power, (std::vector<double>{0, 0, 0, 0, 1e18}));
}

TEST(WorkCurves, KeepTheirPrecisionWhereTimesAreLongBesideTheAgeOfJobs) {
  // A job of a million slots early on, one of a slot at the end: its cost is not lost in what came before.
  constexpr Slot kLong = 1'000'000;
  SlottedMaker made(1, {4});
  made.job(0, kLong, {1});
  made.job(2 * kLong, 1, {1});
  made.piece({0, -1, 0, 0, kLong, 1});
  made.piece({1, -1, 0, 2 * kLong, 2 * kLong + 1, 1});
  std::vector<Slot> times;
  for (Slot t = 1; t <= 2 * kLong + 1; t += 10) times.push_back(t);
  const WorkCurves curves = work_curves(made.tasks(), made.pieces(), 1, times);
  const SlotFacts facts = slot_facts(made.tasks(), made.pieces(), 1, 0);
  EXPECT_EQ(curves.fractional.back() - curves.fractional[times.size() - 2], 2);
  EXPECT_NEAR(curves.fractional.back() / (facts.fractional[0] + 2), 1, 1e-15);
  for (const double cost : work_curves(made.tasks(), made.pieces(), 64, std::vector<Slot>{kLong, 2 * kLong}).fractional) {
    EXPECT_TRUE(std::isinf(cost));
  }
}

TEST(WorkCurves, OfNothingAreEmpty) {
  SlottedMaker made(1, {4});
  made.job(0, 1, {1});
  EXPECT_TRUE(work_curves(made.tasks(), made.pieces(), 2, {}).fractional.empty());
}

}  // namespace
}  // namespace schedcore
