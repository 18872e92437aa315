#include "schedcore/gangs/planned_ends.hpp"

#include <algorithm>
#include <functional>

namespace schedcore {

void PlannedEnds::insert(JobSlot job, Time end) {
  if (job >= end_.size()) end_.resize(job + std::size_t{1}, kNever);
  end_[job] = end;
  const Entry entry{end, job};
  ends_.insert(std::ranges::lower_bound(ends_, entry, std::greater<>()), entry);
}

void PlannedEnds::erase(JobSlot job) {
  ends_.erase(std::ranges::lower_bound(ends_, Entry{end_[job], job}, std::greater<>()));
}

bool PlannedEnds::extend_overruns(Time now, const JobTable& jobs) {
  bool any = false;
  while (!ends_.empty() && ends_.back().first <= now) {
    const JobSlot job = ends_.back().second;
    ends_.pop_back();
    insert(job, renewed_end(now, jobs.processing_time(job), resolution_));
    ++n_overruns_;
    any = true;
  }
  return any;
}

}  // namespace schedcore
