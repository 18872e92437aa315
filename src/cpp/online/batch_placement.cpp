#include "schedcore/online/batch_placement.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "schedcore/engine/job_checks.hpp"
#include "schedcore/index/start_index.hpp"
#include "schedcore/index/waiting_index.hpp"
#include "schedcore/online/earliest_starts.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kJobsBetweenPolls = 256;
constexpr std::size_t kJobsAhead = 4;

}  // namespace

void place_by_scan(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                   std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements) {
  if (batch.empty()) return;
  const std::size_t n_resources = jobs.demand(batch.front().job).size();
  WaitingIndex<CostQueue> waiting(n_resources);
  for (const WaitingJob& job : batch) {
    waiting.push(job, jobs.demand(job.job), jobs.processing_time(job.job), jobs.eligibility(job.job));
  }

  using Look = std::pair<Time, std::uint32_t>;  // look at this machine at this instant
  std::priority_queue<Look, std::vector<Look>, std::greater<>> looks;
  for (std::size_t machine = 0; machine < timelines.size(); ++machine) {
    looks.emplace(from, static_cast<std::uint32_t>(machine));
  }
  // Free amounts after the last look at a machine, row-major: a look where nothing rose cannot start anything, since
  // the instant that blocked a job then still lies ahead of it.
  std::vector<Amount> seen(timelines.size() * n_resources, -1);
  std::vector<Amount> available(n_resources);
  for (std::size_t step = 1; !waiting.empty() && !looks.empty(); ++step) {
    if (step % kJobsBetweenPolls == 0) turn.poll();
    const Time now = looks.top().first;
    const std::uint32_t machine = looks.top().second;
    looks.pop();
    ResourceTimeline& timeline = timelines[machine];
    timeline.free_at(now, available);
    Amount* before = seen.data() + machine * n_resources;
    bool rose = now == from;
    for (std::size_t r = 0; r < n_resources; ++r) rose |= available[r] > before[r];
    while (rose) {
      const auto fits_for_long_enough = [&](auto leaf) {
        const Time shortage = timeline.first_shortage(now, waiting.demand(leaf));
        return waiting.queue(leaf).first_where([&](double processing_time) { return now + processing_time <= shortage; });
      };
      const auto found = waiting.first_offer(available, fits_for_long_enough, AnyCost(), machine);
      if (!found) break;
      const JobSlot job = found.job.job;
      const auto demand = jobs.demand(job);
      check_duration(jobs.id(job), now, jobs.processing_time(job));
      waiting.erase(found.leaf, found.job.priority);
      timeline.reserve(now, now + jobs.processing_time(job), demand);
      for (std::size_t r = 0; r < n_resources; ++r) available[r] -= demand[r];
      placements.push_back({job, machine, now});
    }
    std::copy(available.begin(), available.end(), before);
    const Time next = timeline.next_change(now);
    if (next < kNever) looks.emplace(next, machine);
  }
}

void place_in_order_by_machine(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                               std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements) {
  for (std::size_t position = 0; position < batch.size(); ++position) {
    if (position % kJobsBetweenPolls == 0) turn.poll();
    const JobSlot job = batch[position].job;
    const Time processing_time = jobs.processing_time(job);
    const auto demand = jobs.demand(job);
    Placement first{job, 0, kNever};
    const auto look_at = [&](std::uint32_t machine) {
      const Time start = timelines[machine].earliest_fit(from, processing_time, demand, first.start_time);
      if (start < first.start_time) first = {job, machine, start};
    };
    if (jobs.eligibility(job).is_everywhere()) {
      for (std::uint32_t machine = 0; machine < timelines.size() && first.start_time > from; ++machine) look_at(machine);
    } else {
      for (const std::uint32_t machine : jobs.eligibility(job).machines()) look_at(machine);
    }
    if (first.start_time == kNever) continue;
    check_duration(jobs.id(job), first.start_time, processing_time);
    timelines[first.machine].reserve(first.start_time, first.start_time + processing_time, demand);
    placements.push_back(first);
  }
}

void place_in_order(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                    std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements) {
  if (batch.empty()) return;
  if (jobs.any_placed()) {
    place_in_order_by_machine(batch, from, jobs, timelines, turn, placements);
    return;
  }
  EarliestStarts earliest_starts(batch, jobs, from);
  StartIndex starts(timelines, from);
  for (std::size_t position = 0; position < batch.size(); ++position) {
    if (position % kJobsBetweenPolls == 0) turn.poll();
    if (position + kJobsAhead < batch.size()) {
      jobs.prefetch(batch[position + kJobsAhead].job);
      earliest_starts.prefetch(position + kJobsAhead);
    }
    const JobSlot job = batch[position].job;
    const Time processing_time = jobs.processing_time(job);
    const auto demand = jobs.demand(job);
    const Time not_before = earliest_starts.bound(position);
    const StartIndex::Start start = starts.earliest_fit(not_before, processing_time, demand);
    check_duration(jobs.id(job), start.time, processing_time);
    starts.reserve(start, processing_time, demand);
    earliest_starts.record(position, start.time);
    placements.push_back({job, static_cast<std::uint32_t>(start.machine), start.time});
  }
}

}  // namespace schedcore
