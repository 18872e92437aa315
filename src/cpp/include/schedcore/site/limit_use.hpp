// How much of each limit of a site the running jobs use, and how much a waiting job could still have.
//
// Jobs that the same limits count alike share a *profile*, a small number, so that whoever keeps them together asks once for
// all.  A limit has a *counter* for each of its values.  Whoever found that a counter leaves a job no room need not ask again
// until it is freed: until a job that it counts ends.
// Cost: add and remove O(L) expected for L limits; everything else O(limits that count the job).  Profiles and counters that
// no job needs are used again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
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
  [[nodiscard]] Profile add(std::span<const std::int64_t> values);
  void remove(Profile profile);

  // A job runs, or runs no more.
  void begin(Profile profile, Amount n_tasks, std::span<const Amount> demand) { count(profile, n_tasks, demand, 1); }
  void end(Profile profile, Amount n_tasks, std::span<const Amount> demand) { count(profile, n_tasks, demand, -1); }

  // How many tasks a job with that demand of a task may have to start now; kAnyNumber without a limit.
  [[nodiscard]] Amount most_tasks(Profile profile, std::span<const Amount> demand) const;
  // The first limit that a job would exceed if it started now.
  [[nodiscard]] std::optional<std::size_t> first_exceeded(Profile profile, Amount n_tasks,
                                                          std::span<const Amount> demand) const;
  // Its counter.
  [[nodiscard]] std::optional<std::uint32_t> counter_exceeded(Profile profile, Amount n_tasks,
                                                              std::span<const Amount> demand) const;
  // No job that the counter counts may start now, but for one that has nothing of the resource it limits.
  [[nodiscard]] bool is_used_up(std::uint32_t counter) const {
    return counters_[counter].used >= limits_[counters_[counter].key.first].most;
  }

  // How often counters have been freed, and which ones since then; false if that is known no more, and it may be any of them.
  [[nodiscard]] std::uint64_t n_freed() const { return n_freed_; }
  template <class Visit>
  [[nodiscard]] bool for_each_freed_since(std::uint64_t n_seen, const Visit& visit) const {
    if (n_seen > n_freed_ || n_freed_ - n_seen > freed_.size()) return false;
    const std::size_t n_new = static_cast<std::size_t>(n_freed_ - n_seen);
    for (std::size_t i = freed_.size() - n_new; i < freed_.size(); ++i) visit(freed_[i]);
    return true;
  }
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
    std::uint64_t n_jobs = 0;
    std::vector<std::int64_t> key;
  };

  void count(Profile profile, Amount n_tasks, std::span<const Amount> demand, Amount sign);
  void note_freed(std::uint32_t counter);
  [[nodiscard]] const Counted* first_counted_exceeded(Profile profile, Amount n_tasks,
                                                      std::span<const Amount> demand) const;
  [[nodiscard]] Amount most_tasks(const Counted& counted, std::span<const Amount> demand) const;
  [[nodiscard]] std::uint32_t counter_of(std::uint32_t limit, std::int64_t value);

  std::vector<SiteLimit> limits_;
  std::vector<ProfileOf> profiles_;
  std::vector<Profile> free_profiles_;
  std::map<std::vector<std::int64_t>, Profile> profile_of_;  // by values
  std::vector<Counter> counters_;
  std::vector<std::uint32_t> free_counters_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> counter_of_;
  std::vector<std::uint32_t> freed_;  // the last ones
  std::uint64_t n_freed_ = 0;
};

}  // namespace schedcore
