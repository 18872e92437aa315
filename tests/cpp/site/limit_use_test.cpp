#include "schedcore/site/limit_use.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace schedcore {
namespace {

using What = SiteLimit::What;

// Beside a list of the jobs, of which the running ones are added up for every question.
class Limited {
 public:
  explicit Limited(std::uint64_t seed) : random_(seed) {
    for (auto left = 1 + below(4); left > 0; --left) {
      SiteLimit limit;
      limit.what = static_cast<What>(below(3));
      limit.resource = static_cast<std::size_t>(below(kResources));
      limit.most = below(12);
      limits_.push_back(limit);
    }
    use_ = LimitUse(limits_);
  }

  void run(int n_steps) {
    for (int step = 0; step < n_steps; ++step) {
      const auto some = static_cast<std::size_t>(jobs_.empty() ? 0 : below(static_cast<std::int64_t>(jobs_.size())));
      if (jobs_.size() < 3 || (jobs_.size() < 25 && below(3) == 0)) {
        add();
      } else if (below(3) == 0) {
        remove(some);
      } else {
        begin_or_end(some);
      }
      compare();
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_LE(greatest_, most_at_once_);  // those that nobody needs are used again
  }

 private:
  struct Job {
    std::vector<std::int64_t> values;
    Amount n_tasks = 1;
    std::vector<Amount> demand;
    LimitUse::Profile profile = 0;
    bool runs = false;
    std::optional<std::uint32_t> held_at;  // a counter, as of the last comparison
  };

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }

  Amount counted(std::size_t limit, const Job& job) const {
    switch (limits_[limit].what) {
      case What::jobs: return 1;
      case What::tasks: return job.n_tasks;
      case What::resource: break;
    }
    return job.n_tasks * job.demand[limits_[limit].resource];
  }
  // Whether the limit has room for the job with so many tasks, beside those that run.
  bool has_room(std::size_t limit, Job job, Amount n_tasks) const {
    job.n_tasks = n_tasks;
    Amount sum = counted(limit, job);
    for (const Job& other : jobs_) {
      if (other.runs && other.values[limit] == job.values[limit]) sum += counted(limit, other);
    }
    return sum <= limits_[limit].most;
  }
  // Nothing is asked of limits that do not count the job, nor of a resource of which it has nothing.
  bool is_asked(std::size_t limit, const Job& job) const {
    if (job.values[limit] == LimitUse::kNotCounted) return false;
    return limits_[limit].what != What::resource || job.demand[limits_[limit].resource] > 0;
  }

  void add() {
    Job job;
    for (std::size_t limit = 0; limit < limits_.size(); ++limit) job.values.push_back(below(4) - 1);
    job.n_tasks = 1 + below(4);
    for (std::int64_t k = 0; k < kResources; ++k) job.demand.push_back(below(4));
    job.profile = use_.add(job.values);
    jobs_.push_back(job);
    std::map<std::vector<std::int64_t>, LimitUse::Profile> profiles;
    for (const Job& each : jobs_) {
      const auto [found, is_new] = profiles.try_emplace(each.values, each.profile);
      EXPECT_EQ(found->second, each.profile) << "jobs that are counted alike have one profile";
    }
    std::vector<LimitUse::Profile> numbers;
    for (const auto& [values, profile] : profiles) numbers.push_back(profile);
    std::ranges::sort(numbers);
    EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end()) << "others have others";
    most_at_once_ = std::max(most_at_once_, profiles.size());
    greatest_ = std::max<std::size_t>(greatest_, job.profile + 1);
  }
  void remove(std::size_t number) {
    const Job job = jobs_[number];
    if (job.runs) use_.end(job.profile, job.n_tasks, job.demand);
    use_.remove(job.profile);
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(number));
  }
  // Whether there is room or not: somebody may have said that it runs.
  void begin_or_end(std::size_t number) {
    Job& job = jobs_[number];
    if (job.runs) {
      use_.end(job.profile, job.n_tasks, job.demand);
    } else {
      use_.begin(job.profile, job.n_tasks, job.demand);
    }
    job.runs = !job.runs;
  }
  void compare() {
    use_.check_invariants();
    std::vector<std::uint32_t> freed;
    EXPECT_TRUE(use_.for_each_freed_since(n_seen_, [&](std::uint32_t counter) { freed.push_back(counter); }));
    n_seen_ = use_.n_freed();
    for (Job& job : jobs_) {
      const std::optional<std::uint32_t> held_at = std::exchange(job.held_at, std::nullopt);
      if (job.runs) continue;
      job.held_at = use_.counter_exceeded(job.profile, job.n_tasks, job.demand);
      EXPECT_TRUE(!held_at || job.held_at || std::ranges::find(freed, *held_at) != freed.end())
          << "somebody has room whose limit was not freed";
      const Amount most = use_.most_tasks(job.profile, job.demand);
      std::optional<std::size_t> first;
      bool any_asks_by_task = false;
      for (std::size_t limit = limits_.size(); limit-- > 0;) {
        if (!is_asked(limit, job)) continue;
        if (!has_room(limit, job, job.n_tasks)) first = limit;
        any_asks_by_task |= limits_[limit].what != What::jobs;
      }
      EXPECT_EQ(use_.first_exceeded(job.profile, job.n_tasks, job.demand), first);
      const auto all_have_room = [&](Amount n_tasks) {
        for (std::size_t limit = 0; limit < limits_.size(); ++limit) {
          if (is_asked(limit, job) && !has_room(limit, job, n_tasks)) return false;
        }
        return true;
      };
      if (!any_asks_by_task) {
        EXPECT_EQ(most, all_have_room(1) ? kAnyNumber : 0);
      } else {
        ASSERT_GE(most, 0);
        ASSERT_LT(most, 100);
        EXPECT_TRUE(most == 0 || all_have_room(most));
        EXPECT_FALSE(all_have_room(most + 1));
      }
    }
  }

  static constexpr std::int64_t kResources = 2;
  std::mt19937_64 random_;
  std::vector<SiteLimit> limits_;
  LimitUse use_;
  std::vector<Job> jobs_;
  std::uint64_t n_seen_ = 0;
  std::size_t most_at_once_ = 0;
  std::size_t greatest_ = 0;
};

TEST(LimitUseTest, AllowsWhatAddingUpTheRunningJobsAllows) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Limited(seed).run(400);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(LimitUseTest, WithoutLimitsAnyNumberMayStart) {
  LimitUse use;
  const LimitUse::Profile profile = use.add({});
  const std::vector<Amount> demand{3};
  use.begin(profile, 5, demand);
  EXPECT_EQ(use.most_tasks(profile, demand), kAnyNumber);
  EXPECT_EQ(use.first_exceeded(profile, kAnyNumber, demand), std::nullopt);
}

TEST(LimitUseTest, SaysWhereTooManyCountersWereFreedToNameThem) {
  SiteLimit limit;
  limit.most = 1;
  LimitUse use({limit});
  const LimitUse::Profile profile = use.add(std::vector<std::int64_t>{0});
  const auto visit = [](std::uint32_t counter) { EXPECT_EQ(counter, 0U); };
  for (int n = 0; n < 1000; ++n) {
    use.begin(profile, 1, {});
    use.end(profile, 1, {});
  }
  EXPECT_EQ(use.n_freed(), 1000U);
  EXPECT_TRUE(use.for_each_freed_since(990, visit));
  EXPECT_FALSE(use.for_each_freed_since(0, visit));
  EXPECT_FALSE(use.for_each_freed_since(1001, visit)) << "of another one";
}

// A value, of which copies are apart.
TEST(LimitUseTest, CopiesCountByThemselves) {
  SiteLimit limit;
  limit.most = 1;
  LimitUse use({limit});
  const std::vector<std::int64_t> values{0};
  const LimitUse::Profile profile = use.add(values);
  LimitUse copy = use;
  copy.begin(profile, 1, {});
  EXPECT_EQ(copy.most_tasks(profile, {}), 0);
  EXPECT_EQ(use.most_tasks(profile, {}), kAnyNumber);
}

}  // namespace
}  // namespace schedcore
