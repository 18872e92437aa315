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

}  // namespace schedcore
