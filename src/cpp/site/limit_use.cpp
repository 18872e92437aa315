#include "schedcore/site/limit_use.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace schedcore {

LimitUse::Profile LimitUse::add(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> key(values.begin(), values.end());
  if (const auto found = profile_of_.find(key); found != profile_of_.end()) {
    ++profiles_[found->second].n_jobs;
    return found->second;
  }
  Profile profile = 0;
  if (free_profiles_.empty()) {
    profile = static_cast<Profile>(profiles_.size());
    profiles_.emplace_back();
  } else {
    profile = free_profiles_.back();
    free_profiles_.pop_back();
  }
  ProfileOf& made = profiles_[profile];
  made = {{}, 1, key};
  for (std::uint32_t limit = 0; limit < values.size(); ++limit) {
    if (values[limit] != kNotCounted) made.counted.push_back({limit, counter_of(limit, values[limit])});
  }
  profile_of_.emplace(std::move(key), profile);
  return profile;
}

std::uint32_t LimitUse::counter_of(std::uint32_t limit, std::int64_t value) {
  const std::pair key(limit, value);
  if (const auto found = counter_of_.find(key); found != counter_of_.end()) {
    ++counters_[found->second].n_profiles;
    return found->second;
  }
  std::uint32_t counter = 0;
  if (free_counters_.empty()) {
    counter = static_cast<std::uint32_t>(counters_.size());
    counters_.emplace_back();
  } else {
    counter = free_counters_.back();
    free_counters_.pop_back();
  }
  counters_[counter] = {0, 1, key};
  counter_of_.emplace(key, counter);
  return counter;
}

void LimitUse::remove(Profile profile) {
  ProfileOf& each = profiles_[profile];
  if (--each.n_jobs > 0) return;
  for (const Counted& counted : each.counted) {
    Counter& counter = counters_[counted.counter];
    if (--counter.n_profiles > 0) continue;
    counter_of_.erase(counter.key);
    free_counters_.push_back(counted.counter);
  }
  profile_of_.erase(each.key);
  each = {};
  free_profiles_.push_back(profile);
}

void LimitUse::count(Profile profile, Amount n_tasks, std::span<const Amount> demand, Amount sign) {
  for (const auto& [limit, counter] : profiles_[profile].counted) {
    const SiteLimit& rule = limits_[limit];
    Amount of_job = 1;
    if (rule.what == SiteLimit::What::tasks) of_job = n_tasks;
    if (rule.what == SiteLimit::What::resource) of_job = n_tasks * demand[rule.resource];
    counters_[counter].used += sign * of_job;
    if (sign < 0 && of_job > 0) note_freed(counter);
  }
}

void LimitUse::note_freed(std::uint32_t counter) {
  if (freed_.size() >= 2 * counters_.size() + 128) {
    freed_.erase(freed_.begin(), freed_.begin() + static_cast<std::ptrdiff_t>(freed_.size() / 2));
  }
  freed_.push_back(counter);
  ++n_freed_;
}

Amount LimitUse::most_tasks(const Counted& counted, std::span<const Amount> demand) const {
  const SiteLimit& rule = limits_[counted.limit];
  const Amount left = std::max(Amount{0}, rule.most - counters_[counted.counter].used);
  switch (rule.what) {
    case SiteLimit::What::jobs: return left > 0 ? kAnyNumber : 0;
    case SiteLimit::What::tasks: return left;
    case SiteLimit::What::resource: break;
  }
  return demand[rule.resource] > 0 ? left / demand[rule.resource] : kAnyNumber;
}

Amount LimitUse::most_tasks(Profile profile, std::span<const Amount> demand) const {
  Amount most = kAnyNumber;
  for (const Counted& counted : profiles_[profile].counted) most = std::min(most, most_tasks(counted, demand));
  return most;
}

const LimitUse::Counted* LimitUse::first_counted_exceeded(Profile profile, Amount n_tasks,
                                                          std::span<const Amount> demand) const {
  const auto& all = profiles_[profile].counted;
  const auto is_exceeded = [&](const Counted& counted) { return most_tasks(counted, demand) < n_tasks; };
  const auto found = std::ranges::find_if(all, is_exceeded);
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::size_t> LimitUse::first_exceeded(Profile profile, Amount n_tasks,
                                                    std::span<const Amount> demand) const {
  const Counted* found = first_counted_exceeded(profile, n_tasks, demand);
  return found == nullptr ? std::nullopt : std::optional<std::size_t>(found->limit);
}

std::optional<std::uint32_t> LimitUse::counter_exceeded(Profile profile, Amount n_tasks,
                                                        std::span<const Amount> demand) const {
  const Counted* found = first_counted_exceeded(profile, n_tasks, demand);
  return found == nullptr ? std::nullopt : std::optional(found->counter);
}

void LimitUse::check_invariants() const {
  if (profiles_.size() != profile_of_.size() + free_profiles_.size() || counters_.size() != counter_of_.size() + free_counters_.size()) {
    throw std::logic_error("LimitUse: what is neither in use nor free");
  }
  std::vector<std::uint64_t> n_profiles(counters_.size());
  for (const auto& [key, profile] : profile_of_) {
    if (profiles_[profile].n_jobs == 0) throw std::logic_error("LimitUse: a profile without jobs");
    for (const Counted& counted : profiles_[profile].counted) ++n_profiles[counted.counter];
  }
  for (const auto& [key, counter] : counter_of_) {
    if (n_profiles[counter] == 0 || n_profiles[counter] != counters_[counter].n_profiles) {
      throw std::logic_error("LimitUse: how many profiles share a counter");
    }
  }
}

}  // namespace schedcore
