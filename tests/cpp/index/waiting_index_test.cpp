// The waiting-job index against a linear scan over all waiting jobs, for both kinds of queue.
#include "schedcore/index/waiting_index.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>


namespace schedcore {
namespace {

constexpr std::size_t kMachines = 7;

struct PlainJob {
  WaitingJob job;
  std::vector<Amount> demand;
  double cost = 0;
  Eligibility eligibility;
};

// The definition: the first job in priority order that may use the machine, fits and costs at most `limit`.
const PlainJob* linear_first(const std::vector<PlainJob>& jobs, const std::vector<Amount>& available, double limit,
                             std::size_t machine = 0) {
  const PlainJob* best = nullptr;
  for (const PlainJob& job : jobs) {
    if (job.cost <= limit && job.eligibility.allows(machine) && fits(job.demand.data(), available.data(), available.size()) &&
        (best == nullptr || job.job < best->job)) {
      best = &job;
    }
  }
  return best;
}

class Churn {
 public:
  explicit Churn(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

  PlainJob job(JobSlot slot, std::int64_t n_demands, std::size_t n_resources = 3) {
    PlainJob job;
    // Few distinct keys, so that ties are decided by id.
    job.job = {number_priority(static_cast<double>(below(5)), slot), slot};
    for (std::size_t r = 0; r < n_resources; ++r) job.demand.push_back(below(n_demands));
    job.cost = static_cast<double>(1 + below(20));
    return job;
  }

 private:
  std::mt19937_64 random_;
};

// One whose classes stand near those that are like them.
class VolumeQueue : public CostQueue {
 public:
  [[nodiscard]] double volume() const { return least_cost(); }
};
static_assert(KnowsVolume<VolumeQueue> && !KnowsVolume<CostQueue>);

template <class Queue>
void compare_with_linear_scan(std::int64_t n_demands, std::size_t n_resources = 3) {
  Churn churn(17);
  WaitingIndex<Queue> index(n_resources);
  std::vector<PlainJob> jobs;
  JobSlot next = 0;
  for (int step = 0; step < 4000; ++step) {
    if (jobs.empty() || churn.below(100) < (step < 2000 ? 60 : 45)) {
      jobs.push_back(churn.job(next++, n_demands, n_resources));
      index.push(jobs.back().job, jobs.back().demand, jobs.back().cost);
    }
    // Many resources at once leave room only where there is much of most of them.
    std::vector<Amount> available;
    for (std::size_t r = 0; r < n_resources; ++r) {
      const std::int64_t short_of = churn.below(static_cast<std::int64_t>(n_resources)) < 2 ? n_demands + 2 : n_demands / 8 + 2;
      available.push_back(n_demands + 1 - churn.below(short_of));
    }
    if constexpr (KnowsVolume<Queue>) index.regroup();
    double limit = kNever;
    auto found = index.first_fit(available);
    ASSERT_EQ(index.any_fits(available), static_cast<bool>(found));
    if constexpr (KnowsLeastCost<Queue>) {
      if (churn.below(2) == 0) {
        limit = static_cast<double>(churn.below(12));
        found = index.first_fit_where(available, [&](double cost) { return cost <= limit; });
      }
    }
    const PlainJob* expected = linear_first(jobs, available, limit);
    ASSERT_EQ(static_cast<bool>(found), expected != nullptr) << "step " << step;
    if (expected != nullptr) {
      ASSERT_EQ(found.job.job, expected->job.job) << "step " << step;
      index.erase(found.leaf, found.job.priority);
      jobs.erase(jobs.begin() + (expected - jobs.data()));
    }
    ASSERT_EQ(index.size(), jobs.size());
    if (step % 100 == 0) index.check_invariants();
  }
}

TEST(WaitingIndex, HeapsEqualTheLinearScanWithFewDemands) { compare_with_linear_scan<ClassHeap>(3); }
TEST(WaitingIndex, HeapsEqualTheLinearScanWithManyDemands) { compare_with_linear_scan<ClassHeap>(1000); }
TEST(WaitingIndex, CostQueuesEqualTheLinearScanWithFewDemands) { compare_with_linear_scan<CostQueue>(3); }
TEST(WaitingIndex, CostQueuesEqualTheLinearScanWithManyDemands) { compare_with_linear_scan<CostQueue>(1000); }

TEST(WaitingIndex, QueuesNearEachOtherEqualTheLinearScanWithFewDemands) { compare_with_linear_scan<VolumeQueue>(3); }
TEST(WaitingIndex, QueuesNearEachOtherEqualTheLinearScanWithManyDemands) { compare_with_linear_scan<VolumeQueue>(1000); }

// Of 8,000 classes an eighth have like volumes.  These are 16 blocks, four along each resource, so a block spans about a
// quarter of it.
TEST(WaitingIndex, RegroupingPutsClassesNearThoseThatAreLikeThem) {
  Churn churn(13);
  WaitingIndex<VolumeQueue> index(2);
  const auto mean_spread = [&] {
    std::vector<Amount> least(index.n_leaves() / 64, 1 << 20), greatest(index.n_leaves() / 64, 0);
    std::size_t n_blocks = 0;
    double sum = 0;
    for (std::uint32_t leaf = 0; leaf < index.n_used(); ++leaf) {
      least[leaf / 64] = std::min(least[leaf / 64], index.demand(leaf)[0]);
      greatest[leaf / 64] = std::max(greatest[leaf / 64], index.demand(leaf)[0]);
    }
    for (std::size_t block = 0; block * 64 < index.n_used(); ++block) {
      sum += static_cast<double>(greatest[block] - least[block]);
      ++n_blocks;
    }
    return sum / static_cast<double>(n_blocks) / (1 << 16);
  };
  for (JobSlot slot = 0; slot < 8000; ++slot) {
    const PlainJob job = churn.job(slot, 1 << 16, 2);
    index.push(job.job, job.demand, job.cost);
  }
  EXPECT_GT(mean_spread(), 0.5);
  const std::uint64_t layout = index.layout();
  index.regroup();
  EXPECT_NE(index.layout(), layout);
  EXPECT_LT(mean_spread(), 0.3);
  const std::uint64_t regrouped = index.layout();
  index.regroup();
  EXPECT_EQ(index.layout(), regrouped);  // nothing has come since
  index.check_invariants();
}

TEST(WaitingIndex, HeapsEqualTheLinearScanWithManyResources) { compare_with_linear_scan<ClassHeap>(1000, 40); }
TEST(WaitingIndex, CostQueuesEqualTheLinearScanWithHugeDemands) {
  compare_with_linear_scan<CostQueue>((std::int64_t{1} << 53) - 3, 5);
}

// Jobs come with no restriction at first, then some with sets of machines, then none again; a part of the machines is
// named by no set.
template <class Queue>
void compare_eligible_with_linear_scan(std::int64_t n_demands) {
  Churn churn(29);
  EligibilitySets sets;
  WaitingIndex<Queue> index(2);
  std::vector<PlainJob> jobs;
  for (JobSlot step = 0; step < 6000; ++step) {
    if (jobs.empty() || churn.below(100) < (step < 3000 ? 60 : 45)) {
      PlainJob job = churn.job(step, n_demands, 2);
      if (step > 500 && step < 5000 && churn.below(3) > 0) {
        std::vector<std::uint32_t> machines;
        for (std::uint32_t machine = 0; machine + 1 < kMachines; ++machine) {
          if (churn.below(3) == 0) machines.push_back(machine);
        }
        job.eligibility = sets.intern(machines, kMachines);
        ASSERT_FALSE(job.eligibility.is_everywhere());
      }
      index.push(job.job, job.demand, job.cost, job.eligibility);
      jobs.push_back(std::move(job));
    }
    const auto machine = static_cast<std::size_t>(churn.below(kMachines));
    const std::vector<Amount> available{churn.below(n_demands + 1), churn.below(n_demands + 1)};
    const auto found = index.first_fit(available, machine);
    ASSERT_EQ(index.any_fits(available, machine), static_cast<bool>(found));
    const PlainJob* expected = linear_first(jobs, available, kNever, machine);
    ASSERT_EQ(static_cast<bool>(found), expected != nullptr) << "step " << step;
    if (expected == nullptr) continue;
    ASSERT_EQ(found.job.job, expected->job.job) << "step " << step;
    ASSERT_EQ(index.leaf_of(expected->demand, expected->eligibility), found.leaf);
    std::size_t n_classes = 0;
    index.for_each_fitting_class(available, [&](auto leaf) {
      EXPECT_TRUE(index.eligibility(leaf).allows(machine));
      ++n_classes;
    }, machine);
    ASSERT_GT(n_classes, 0u);
    index.erase(found.leaf, found.job.priority);
    jobs.erase(jobs.begin() + (expected - jobs.data()));
    if (step % 50 == 0) index.check_invariants();
  }
}

TEST(WaitingIndex, HeapsServeMachinesTheJobsThatMayUseThem) { compare_eligible_with_linear_scan<ClassHeap>(4); }
TEST(WaitingIndex, CostQueuesServeMachinesTheJobsThatMayUseThem) { compare_eligible_with_linear_scan<CostQueue>(200); }

TEST(Eligibility, EqualSetsAreOneAndSetsThatNobodyNamesAreForgotten) {
  EligibilitySets sets;
  const std::vector<std::uint32_t> two{1, 3};
  const Eligibility kept = sets.intern(two, 5);
  EXPECT_EQ(sets.intern(two, 5), kept);
  EXPECT_NE(sets.intern({1}, 5), kept);
  EXPECT_EQ(sets.intern({0, 1}, 2), Eligibility());
  EXPECT_TRUE(kept.allows(3) && !kept.allows(2) && Eligibility().allows(2));
  for (std::uint32_t machine = 0; machine < 10'000; ++machine) {
    static_cast<void>(sets.intern({machine}, 20'000));
  }
  EXPECT_LT(sets.n_kept(), 200u);
  EXPECT_EQ(sets.intern(two, 5), kept);
}

TEST(WaitingIndex, ShrinksAfterABurst) {
  Churn churn(21);
  WaitingIndex<ClassHeap> index(3);
  const std::size_t empty = index.n_leaves();
  std::vector<PlainJob> jobs;
  for (JobSlot slot = 0; slot < 3000; ++slot) {
    jobs.push_back(churn.job(slot, 1000));
    index.push(jobs.back().job, jobs.back().demand);
  }
  const std::size_t full = index.n_leaves();
  while (!jobs.empty()) {
    index.erase(index.leaf_of(jobs.back().demand), jobs.back().job.priority);
    jobs.pop_back();
    if (jobs.size() % 100 == 0) index.check_invariants();
    if (jobs.size() == 100) {
      EXPECT_LT(index.n_leaves(), full / 4);
    }
  }
  EXPECT_EQ(index.n_leaves(), empty);
}

TEST(WaitingIndex, AnyWaitingJobCanBeErased) {
  Churn churn(5);
  WaitingIndex<CostQueue> index(3);
  std::vector<PlainJob> jobs;
  for (JobSlot slot = 0; slot < 300; ++slot) {
    jobs.push_back(churn.job(slot, 4));
    index.push(jobs.back().job, jobs.back().demand, jobs.back().cost);
  }
  while (!jobs.empty()) {
    const auto victim = jobs.begin() + churn.below(static_cast<std::int64_t>(jobs.size()));
    index.erase(index.leaf_of(victim->demand), victim->job.priority);
    jobs.erase(victim);
    index.check_invariants();
  }
  EXPECT_TRUE(index.empty());
}

TEST(WaitingIndex, AnIndexLaidOutLikeAnotherHasItsLeavesAndItsAnswers) {
  Churn churn(9);
  WaitingIndex<CostQueue> index(3);
  std::vector<PlainJob> jobs;
  for (JobSlot slot = 0; slot < 200; ++slot) {
    jobs.push_back(churn.job(slot, 6));
    index.push(jobs.back().job, jobs.back().demand, jobs.back().cost);
  }
  for (; jobs.size() > 60; jobs.pop_back()) {  // leaves classes without jobs behind
    index.erase(index.leaf_of(jobs.back().demand), jobs.back().job.priority);
  }
  std::vector<Amount> demands;
  for (WaitingIndex<CostQueue>::Leaf leaf = 0; leaf < index.n_used(); ++leaf) {
    demands.insert(demands.end(), index.demand(leaf).begin(), index.demand(leaf).end());
  }
  WaitingIndex<CostQueue> rebuilt(3);
  rebuilt.lay_out(index.n_leaves(), demands);
  rebuilt.check_invariants();
  for (const PlainJob& job : jobs) rebuilt.push(job.job, job.demand, job.cost);
  rebuilt.check_invariants();
  for (const PlainJob& job : jobs) EXPECT_EQ(rebuilt.leaf_of(job.demand), index.leaf_of(job.demand));
  for (Amount room = 0; room < 8; ++room) {
    const std::vector<Amount> available{room, room, room};
    const auto expected = index.first_fit(available);
    const auto found = rebuilt.first_fit(available);
    ASSERT_EQ(static_cast<bool>(found), static_cast<bool>(expected));
    if (expected) {
      EXPECT_EQ(found.job.job, expected.job.job);
    }
  }
}

TEST(CostQueue, KeepsItsInvariantsUnderChurn) {
  Churn churn(3);
  CostQueue queue;
  std::vector<PlainJob> jobs;
  for (JobSlot slot = 0; slot < 2000; ++slot) {
    jobs.push_back(churn.job(slot, 2));
    queue.insert(jobs.back().job, jobs.back().cost);
    if (churn.below(3) == 0) {
      const auto victim = jobs.begin() + churn.below(static_cast<std::int64_t>(jobs.size()));
      queue.erase(victim->job.priority);
      jobs.erase(victim);
    }
    if (slot % 50 == 0) queue.check_invariants();
  }
  EXPECT_EQ(queue.size(), jobs.size());
}

}  // namespace
}  // namespace schedcore
