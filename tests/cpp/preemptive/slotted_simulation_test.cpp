#include "schedcore/preemptive/slotted_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "schedcore/base/errors.hpp"

namespace schedcore {
namespace {

struct Case {
  std::vector<Slot> release, time;
  std::vector<Amount> demand;
  std::vector<Amount> capacity;
  std::size_t n_resources = 1;
  [[nodiscard]] SlotJobs jobs() const { return {release, time, demand, {}, n_resources}; }
  [[nodiscard]] MachinesView machines() const { return {capacity, capacity.size() / n_resources, n_resources}; }
  [[nodiscard]] Amount cores() const {
    Amount all = 0;
    for (std::size_t i = 0; i < capacity.size(); i += n_resources) all += capacity[i];
    return all;
  }
};

SlotRules rules_of(SlotPolicy policy) {
  SlotRules rules;
  rules.policy = policy;
  return rules;
}

PreemptiveOutcome run(const Case& c, const SlotRules& rules, Slot max_slots = kNoSlot) {
  return run_slots(c.jobs(), c.machines(), rules, max_slots, false, nullptr);
}

constexpr SlotPolicy kBaselines[] = {SlotPolicy::srpt, SlotPolicy::srvf, SlotPolicy::svf, SlotPolicy::srf,
                                     SlotPolicy::fifo};
const Case kThreeJobs{{0, 0, 1}, {2, 3, 1}, {2, 1, 1}, {2}};

TEST(SlottedSimulation, FollowsTheWorkedExamples) {
  SlotRules ocorp = rules_of(SlotPolicy::ocorp);
  ocorp.dual.k = 1;
  ocorp.dual.gamma = 8.0;
  EXPECT_EQ(run(kThreeJobs, ocorp).completion_time, (std::vector<double>{4, 3, 2}));
  ocorp.dual.initial = InitialMultiplier::zero;
  EXPECT_EQ(run(kThreeJobs, ocorp).completion_time, (std::vector<double>{2, 5, 3}));
  ocorp.work_conserving = false;
  EXPECT_EQ(run(kThreeJobs, ocorp).completion_time, (std::vector<double>{10, 8, 9}));
  ocorp.dual.constant_step = 1.0;
  EXPECT_TRUE(std::isinf(run(kThreeJobs, ocorp, 10'000).completion_time[0]));
  for (const SlotPolicy policy : {SlotPolicy::svf, SlotPolicy::srvf, SlotPolicy::srf})
    EXPECT_EQ(run(kThreeJobs, rules_of(policy)).completion_time, (std::vector<double>{4, 3, 2}));
  EXPECT_EQ(run(kThreeJobs, rules_of(SlotPolicy::srpt)).completion_time, (std::vector<double>{2, 5, 3}));
}

TEST(SlottedSimulation, MemoryKeepsJobsApart) {
  // Both fit the cores, not the memory: one after the other where idle cores stay idle.
  const Case c{{0, 0}, {3, 3}, {1, 5, 1, 5}, {2, 8}, 2};
  SlotRules rules = rules_of(SlotPolicy::fifo);
  const PreemptiveOutcome outcome = run(c, rules);
  EXPECT_EQ(outcome.completion_time, (std::vector<double>{3, 6}));
  EXPECT_EQ(outcome.n_refused, 3u);
  EXPECT_EQ(outcome.pieces.n_pieces(), 2u);
}

TEST(SlottedSimulation, ARunCutShortReturnsWhatIsFinished) {
  const PreemptiveOutcome outcome = run(kThreeJobs, rules_of(SlotPolicy::svf), 2);
  EXPECT_EQ(outcome.completion_time[2], 2.0);
  EXPECT_TRUE(std::isinf(outcome.completion_time[0]) && std::isinf(outcome.completion_time[1]));
}

TEST(SlottedSimulation, LongJobsCostAHandfulOfEvents) {
  // Slot by slot, 10^12 slots would take hours.
  constexpr Slot length = 1'000'000'000'000;
  const Case c{{0, 5, 2 * length + 9}, {length, length, 1}, {2, 1, 1}, {2}};
  for (const SlotPolicy policy : kBaselines) {
    const PreemptiveOutcome outcome = run(c, rules_of(policy));
    EXPECT_EQ(outcome.completion_time[2], 2.0 * static_cast<double>(length) + 10);
    EXPECT_LE(outcome.pieces.n_pieces(), 5u);
    EXPECT_EQ(run_slots(c.jobs(), c.machines(), rules_of(policy), kNoSlot, true, nullptr).completion_time,
              outcome.completion_time);
  }
  // Multipliers that have come down to 0 change nothing any more.
  SlotRules ocorp = rules_of(SlotPolicy::ocorp);
  ocorp.dual.initial = InitialMultiplier::zero;
  ocorp.dual.gamma = 4.0 * static_cast<double>(length);
  EXPECT_EQ(run({{0}, {length}, {1}, {1}}, ocorp).completion_time[0], static_cast<double>(length));
}

TEST(SlottedSimulation, TheLastExactSlotIsServed) {
  constexpr Slot kHalf = Slot{1} << 52;
  const Case c{{kHalf, 2 * kHalf - 1}, {kHalf, 1}, {1, 1}, {2}};
  for (const SlotPolicy policy : {SlotPolicy::srpt, SlotPolicy::fifo})
    EXPECT_EQ(run(c, rules_of(policy)).completion_time, (std::vector<double>{0x1p53, 0x1p53}));
}

TEST(SlottedSimulation, RefusesSlotsBeyondExactDoubles) {
  const Case c{{(Slot{1} << 53) - 1}, {5}, {1}, {1}};
  EXPECT_THROW(run(c, rules_of(SlotPolicy::fifo)), UnsupportedError);
}

TEST(SlottedSimulation, LeastAttainedServiceJumpsWhileThoseThatRunHaveGotLess) {
  // The first job gets a million slots before the second comes, which needs as many to have got as much; then they take
  // turns, slot by slot, until both are done.
  constexpr Slot million = 1'000'000;
  const Case c{{0, million}, {million + 2, million + 2}, {1, 1}, {1}};
  const PreemptiveOutcome outcome = run(c, rules_of(SlotPolicy::las));
  EXPECT_EQ(outcome.completion_time, (std::vector<double>{2 * million + 3, 2 * million + 4}));
  EXPECT_EQ(outcome.pieces.n_pieces(), 6u);
}

// Every slot decided anew, on cores alone: last slot of each job.
std::vector<double> plain_completion_times(const Case& c, SlotPolicy policy) {
  const std::size_t n = c.time.size();
  std::vector<Amount> remaining(n);
  std::vector<double> completion(n);
  for (std::size_t j = 0; j < n; ++j) remaining[j] = c.time[j] * c.demand[j];
  for (Slot slot = 1; std::ranges::any_of(remaining, [](Amount left) { return left > 0; }); ++slot) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t j = 0; j < n; ++j) {
      if (remaining[j] == 0 || c.release[j] >= slot) continue;
      const SlotJob job{c.release[j], c.time[j], c.demand[j], c.demand[j]};
      double key = 0.0;
      if (policy == SlotPolicy::las) {
        key = static_cast<double>(c.time[j] * c.demand[j] - remaining[j]);
      } else {
        key = follows_remaining_work(policy) ? key_ratio(policy, job).key(remaining[j]) : constant_key(policy, job);
      }
      order.emplace_back(key, j);
    }
    std::ranges::sort(order);
    Amount left = c.cores();
    for (const auto& [key, j] : order) {
      const Amount given = std::min({c.demand[j], remaining[j], left});
      left -= given;
      remaining[j] -= given;
      if (remaining[j] == 0) completion[j] = static_cast<double>(slot);
    }
  }
  return completion;
}

TEST(SlottedSimulation, JumpsGiveWhatDecidingEverySlotGives) {
  std::mt19937_64 random(7);
  const auto draw = [&](int most) { return 1 + static_cast<Amount>(random() % static_cast<std::uint64_t>(most)); };
  for (int round = 0; round < 1500; ++round) {
    Case c;
    for (Amount i = draw(3); i > 0; --i) c.capacity.push_back(draw(6));
    for (Amount j = draw(8); j > 0; --j) {
      c.release.push_back(draw(40) - 1);
      c.time.push_back(draw(60));
      c.demand.push_back(draw(static_cast<int>(c.cores())));
    }
    std::vector<SlotPolicy> policies(std::begin(kBaselines), std::end(kBaselines));
    policies.push_back(SlotPolicy::las);
    for (const SlotPolicy policy : policies) {
      SlotRules rules = rules_of(policy);
      rules.sticky = random() % 2 == 0;
      ASSERT_EQ(run(c, rules).completion_time, plain_completion_times(c, policy)) << static_cast<int>(policy);
    }
  }
}

TEST(SlottedSimulation, AServerIsNeverOverfullAndNobodyDoesMoreThanItsWork) {
  std::mt19937_64 random(8);
  const auto draw = [&](int most) { return 1 + static_cast<Amount>(random() % static_cast<std::uint64_t>(most)); };
  for (int round = 0; round < 400; ++round) {
    Case c;
    c.n_resources = 1 + random() % 3;
    const Amount n_machines = draw(3);
    for (Amount i = 0; i < n_machines; ++i)
      for (std::size_t r = 0; r < c.n_resources; ++r) c.capacity.push_back(r == 0 ? draw(5) : 6);
    const Amount n_jobs = draw(7);
    for (Amount j = 0; j < n_jobs; ++j) {
      c.release.push_back(draw(20) - 1);
      c.time.push_back(draw(15));
      for (std::size_t r = 0; r < c.n_resources; ++r)
        c.demand.push_back(r == 0 ? draw(static_cast<int>(c.cores())) : draw(7) - 1);
    }
    SlotRules rules = rules_of(static_cast<SlotPolicy>(random() % 11));
    rules.sticky = random() % 2 == 0;
    rules.memory = static_cast<MemoryMode>(has_multipliers(rules.policy) ? random() % 3 : 2 * (random() % 2));
    rules.dual.gamma = 60.0;
    rules.alpha = 10.0 * static_cast<double>(random() % 2);
    if (random() % 2 == 0) rules.dual.initial = InitialMultiplier::zero;
    rules.carries_remainders = random() % 2 == 0;
    PreemptiveOutcome outcome = run(c, rules);
    const std::size_t n = outcome.pieces.n_pieces();
    std::vector<std::int64_t> job(n), machine(n), amount(n);
    std::vector<double> start(n), end(n);
    outcome.pieces.take_job(job);
    outcome.pieces.take_machine(machine);
    outcome.pieces.take_amount(amount);
    outcome.pieces.take_times(start, end);
    std::map<std::pair<Slot, std::int64_t>, std::vector<Amount>> used;
    std::vector<Amount> done(c.time.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto j = static_cast<std::size_t>(job[i]);
      ASSERT_GE(start[i], static_cast<double>(c.release[j]));
      ASSERT_LE(end[i], outcome.completion_time[j]);
      done[j] += amount[i] * static_cast<Amount>(end[i] - start[i]);
      for (auto slot = static_cast<Slot>(start[i]); slot < static_cast<Slot>(end[i]); ++slot) {
        auto& here = used[{slot, machine[i]}];
        here.resize(c.n_resources);
        here[0] += amount[i];
        for (std::size_t r = 1; r < c.n_resources; ++r) here[r] += c.demand[j * c.n_resources + r];
      }
    }
    for (std::size_t j = 0; j < done.size(); ++j) ASSERT_EQ(done[j], c.time[j] * c.demand[j * c.n_resources]);
    for (const auto& [place, here] : used)
      for (std::size_t r = 0; r < c.n_resources; ++r)
        ASSERT_LE(here[r], c.capacity[static_cast<std::size_t>(place.second) * c.n_resources + r]);
  }
}

}  // namespace
}  // namespace schedcore
