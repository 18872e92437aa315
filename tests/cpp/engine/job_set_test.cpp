#include "schedcore/engine/job_set.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <vector>

namespace schedcore {
namespace {

TEST(JobSet, EqualsAnOrderedSet) {
  for (const std::size_t n_slots : {1U, 64U, 65U, 1000U}) {
    std::mt19937_64 random(n_slots);
    JobSet jobs;
    std::set<JobSlot> plain;
    for (int step = 0; step < 2000; ++step) {
      const auto job = static_cast<JobSlot>(random() % n_slots);
      if (plain.contains(job)) {
        jobs.erase(job);
        plain.erase(job);
      } else {
        jobs.insert(job);
        plain.insert(job);
      }
      EXPECT_EQ(jobs.contains(job), plain.contains(job));
      EXPECT_FALSE(jobs.contains(static_cast<JobSlot>(n_slots + random() % 1000)));
      if (step % 50 > 0) continue;
      std::vector<JobSlot> members;
      jobs.for_each([&](JobSlot member) { members.push_back(member); });
      EXPECT_EQ(members, std::vector<JobSlot>(plain.begin(), plain.end()));
    }
  }
}

}  // namespace
}  // namespace schedcore
