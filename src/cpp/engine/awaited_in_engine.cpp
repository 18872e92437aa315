// Jobs of an engine that wait for others: who may be served from now on, and who leaves because what it waits for cannot be
// any more.
#include <algorithm>

#include "schedcore/engine/engine.hpp"

namespace schedcore {

// A job that waits for nobody, and is not held.
void Engine::wait_from_now(JobSlot job) {
  if (jobs_.names_reservation(job)) {
    wait_inside(job);
    return;
  }
  jobs_.set_submitted(job);
  released_.push_back(job);
}

// Whoever waits for the job that had the id before is told first.
void Engine::use_again(std::int64_t id) {
  if (std::erase(ended_outside_, id) > 0) awaited_.ended(id, false, settled_);
  awaited_.use_again(id);
}

void Engine::leave(JobSlot job) {
  left_.push_back(job);
  awaited_.forget(jobs_.id(job));
  jobs_.set_held(job);  // nobody is to think that it waits
  awaited_.ended(jobs_.id(job), false, settled_);
}

void Engine::settle(const AwaitedJobs::Settled& each) {
  if (each.standing == AwaitedJobs::Standing::lost) {
    leave(each.job);
    return;
  }
  awaited_.forget(jobs_.id(each.job));
  if (jobs_.state(each.job) == JobState::awaiting) wait_from_now(each.job);
}

void Engine::take_up_arrivals(std::span<const JobSlot> arrived, std::vector<JobSlot>& served) {
  for (const JobSlot job : arrived) {
    switch (awaited_.arrive(jobs_.id(job), job)) {
      case AwaitedJobs::Standing::free:
        awaited_.forget(jobs_.id(job));
        served.push_back(job);
        break;
      case AwaitedJobs::Standing::waits: jobs_.set_awaiting(job); break;
      case AwaitedJobs::Standing::lost: leave(job); break;
    }
  }
}

// After everything else that happened: those that have ended settle others, and these perhaps more.
void Engine::settle_awaited(const Happenings& happenings, std::span<const KilledJob> killed) {
  arrived_.assign(happenings.arrived.begin(), happenings.arrived.end());
  named_.assign(happenings.named.begin(), happenings.named.end());
  if (awaited_.is_idle()) return;
  for (const std::int64_t id : ended_outside_) awaited_.ended(id, false, settled_);
  ended_outside_.clear();
  for (const JobSlot job : happenings.completed) awaited_.ended(jobs_.id(job), true, settled_);
  for (const JobSlot job : happenings.cancelled) awaited_.ended(jobs_.id(job), false, settled_);
  for (const auto& [job, is_dropped] : killed) {
    if (is_dropped) awaited_.ended(jobs_.id(job), false, settled_);
  }
  arrived_.clear();
  named_.clear();
  take_up_arrivals(happenings.arrived, arrived_);
  take_up_arrivals(happenings.named, named_);
  for (const JobSlot job : arrived_held_) {
    const AwaitedJobs::Standing standing = awaited_.arrive(jobs_.id(job), job);
    if (standing == AwaitedJobs::Standing::free) awaited_.forget(jobs_.id(job));
    if (standing == AwaitedJobs::Standing::lost) leave(job);
  }
  arrived_held_.clear();
  while (!settled_.empty()) {
    const AwaitedJobs::Settled each = settled_.back();
    settled_.pop_back();
    settle(each);
  }
  std::ranges::sort(left_, {}, [&](JobSlot job) { return jobs_.id(job); });
}

}  // namespace schedcore
