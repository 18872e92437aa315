#include "limit_counts.hpp"

#include <algorithm>

namespace schedcore {

LimitCounts::LimitCounts(const ClusterJobsView& jobs, const RunRules& rules) : jobs_(jobs), limits_(rules.limits) {
  used_.reserve(limits_.size());
  for (const RunLimit& limit : limits_) {
    std::int64_t last = 0;
    if (limit.only < 0 && !limit.party.empty()) last = std::max(last, std::ranges::max(limit.party));
    used_.emplace_back(static_cast<std::size_t>(last) + 1, Int128{0});
  }
}

std::int64_t LimitCounts::slot_of(std::size_t limit, std::size_t job) const {
  const std::int64_t only = limits_[limit].only;
  const std::int64_t party = limits_[limit].party[job];
  if (only < 0) return party;
  return party == only ? 0 : -1;
}

Int128 LimitCounts::amount_of(std::size_t limit, std::size_t job) const {
  const Amount n_tasks = jobs_.n_tasks.empty() ? 1 : jobs_.n_tasks[job];
  switch (limits_[limit].amount) {
    case LimitedAmount::tasks: return Int128(n_tasks);
    case LimitedAmount::resource: return Int128(n_tasks) * jobs_.jobs.demand_of(job)[limits_[limit].resource];
    default: return Int128(1);
  }
}

std::optional<LimitCounts::Exceeded> LimitCounts::first_exceeded_by(std::size_t job) const {
  for (std::size_t limit = 0; limit < limits_.size(); ++limit) {
    const std::int64_t slot = slot_of(limit, job);
    if (slot < 0) continue;
    const Int128 used = used_[limit][static_cast<std::size_t>(slot)] + amount_of(limit, job);
    if (used > limits_[limit].most) return Exceeded{limit, used - limits_[limit].most};
  }
  return std::nullopt;
}

void LimitCounts::start(std::size_t job) {
  for (std::size_t limit = 0; limit < limits_.size(); ++limit) {
    const std::int64_t slot = slot_of(limit, job);
    if (slot >= 0) used_[limit][static_cast<std::size_t>(slot)] += amount_of(limit, job);
  }
}

void LimitCounts::end(std::size_t job) {
  for (std::size_t limit = 0; limit < limits_.size(); ++limit) {
    const std::int64_t slot = slot_of(limit, job);
    if (slot >= 0) used_[limit][static_cast<std::size_t>(slot)] -= amount_of(limit, job);
  }
}

}  // namespace schedcore
