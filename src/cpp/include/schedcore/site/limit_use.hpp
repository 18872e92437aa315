// How much of each limit of a site the running jobs use, and how much a waiting job could still have.
//
// Jobs that the same limits count alike share a *profile*, a small number, so that whoever keeps jobs in classes asks once
// for a class.  The level of a job is part of its profile, where levels matter.
// Cost: add and remove O(L) expected for L limits; everything else O(limits that count the job).  Profiles and counters that
// no job needs are used again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "schedcore/base/types.hpp"
#include "schedcore/index/job_shape.hpp"
#include "schedcore/site/site_rules.hpp"

namespace schedcore {

class LimitUse {
 public:
  using Profile = std::uint32_t;

  LimitUse() = default;
  explicit LimitUse(std::vector<SiteLimit> limits) : limits_(std::move(limits)) {}

  // The job as the limits see it: for each limit the value under which it counts, or kNotCounted.
  static constexpr std::int64_t kNotCounted = -1;
  // One job more of the profile, or one less.
  [[nodiscard]] Profile add(std::span<const std::int64_t> values, std::int64_t level);
  void remove(Profile profile);
  [[nodiscard]] std::int64_t level(Profile profile) const { return profiles_[profile].level; }

  // A job runs, or runs no more.
  void begin(Profile profile, Amount n_tasks, std::span<const Amount> demand) { count(profile, n_tasks, demand, 1); }
  void end(Profile profile, Amount n_tasks, std::span<const Amount> demand) { count(profile, n_tasks, demand, -1); }

  // How many tasks a job with that demand of a task may have to start now; kAnyNumber without a limit.
  [[nodiscard]] Amount most_tasks(Profile profile, std::span<const Amount> demand) const;
  // The first limit that a job would exceed if it started now.
  [[nodiscard]] std::optional<std::size_t> first_exceeded(Profile profile, Amount n_tasks, std::span<const Amount> demand) const;
  [[nodiscard]] const std::vector<SiteLimit>& limits() const { return limits_; }

  // Throws std::logic_error if profiles or counters are lost, or counted wrongly; for tests.
  void check_invariants() const;

 private:
  struct Counted {
    std::uint32_t limit = 0;
    std::uint32_t counter = 0;
  };
  struct Counter {
    Amount used = 0;
    std::uint64_t n_profiles = 0;
    std::pair<std::uint32_t, std::int64_t> key;  // limit and value
  };
  struct ProfileOf {
    std::vector<Counted> counted;
    std::int64_t level = 0;
    std::uint64_t n_jobs = 0;
    std::vector<std::int64_t> key;
  };

  void count(Profile profile, Amount n_tasks, std::span<const Amount> demand, Amount sign);
  [[nodiscard]] Amount most_tasks(const Counted& counted, std::span<const Amount> demand) const;
  [[nodiscard]] std::uint32_t counter_of(std::uint32_t limit, std::int64_t value);

  std::vector<SiteLimit> limits_;
  std::vector<ProfileOf> profiles_;
  std::vector<Profile> free_profiles_;
  std::map<std::vector<std::int64_t>, Profile> profile_of_;  // values, then the level
  std::vector<Counter> counters_;
  std::vector<std::uint32_t> free_counters_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> counter_of_;
};

}  // namespace schedcore
