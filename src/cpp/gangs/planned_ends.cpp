#include "schedcore/gangs/planned_ends.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace schedcore {

void PlannedEnds::insert(JobSlot job, Time end) {
  if (job >= end_.size()) end_.resize(job + std::size_t{1}, kNever);
  end_[job] = end;
  const Entry entry{end, job};
  ends_.insert(std::ranges::lower_bound(ends_, entry, std::greater<>()), entry);
}

Time PlannedEnds::reschedule(JobSlot job, const JobTable& jobs) {
  const Time before = end_[job];
  erase(job);
  insert(job, rounded_up(jobs.start_time(job) + jobs.processing_time(job), resolution_));
  return before;
}

void PlannedEnds::erase(JobSlot job) {
  ends_.erase(std::ranges::lower_bound(ends_, Entry{std::exchange(end_[job], kNever), job}, std::greater<>()));
}

}  // namespace schedcore
