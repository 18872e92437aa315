#include "schedcore/batch_placement.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

#include "schedcore/job_checks.hpp"
#include "schedcore/waiting_index.hpp"

namespace schedcore {
namespace {

constexpr std::size_t kPollInterval = 256;

// What placed jobs tell about later ones of the same demand.  While a batch is placed its timelines only fill up, so a
// job that is no shorter than one placed before starts no earlier than that one did.
class EarlierFits {
 public:
  using StartByLength = std::map<Time, Time>;  // processing time -> start, both increasing

  explicit EarlierFits(const JobTable& jobs) : by_demand_(16, DemandHash{&jobs}, EqualDemand{&jobs}) {}

  [[nodiscard]] StartByLength& of(JobSlot job) { return by_demand_[job]; }

  [[nodiscard]] static Time bound(const StartByLength& known, Time processing_time, Time from) {
    const auto longer = known.upper_bound(processing_time);
    return longer == known.begin() ? from : std::prev(longer)->second;
  }

  static void record(StartByLength& known, Time processing_time, Time start) {
    auto longer = known.insert_or_assign(processing_time, start).first;
    for (++longer; longer != known.end() && longer->second <= start;) longer = known.erase(longer);
  }

 private:
  struct DemandHash {
    const JobTable* jobs;
    std::size_t operator()(JobSlot job) const {
      std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
      for (const Amount amount : jobs->demand(job)) {
        hash = (hash ^ static_cast<std::uint64_t>(amount)) * 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 29;
      }
      return static_cast<std::size_t>(hash);
    }
  };
  struct EqualDemand {
    const JobTable* jobs;
    bool operator()(JobSlot a, JobSlot b) const { return std::ranges::equal(jobs->demand(a), jobs->demand(b)); }
  };

  std::unordered_map<JobSlot, StartByLength, DemandHash, EqualDemand> by_demand_;  // a job stands for its demand
};

}  // namespace

void place_by_scan(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                   std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements) {
  if (batch.empty()) return;
  const std::size_t n_resources = jobs.demand(batch.front().job).size();
  WaitingIndex<CostQueue> waiting(n_resources);
  for (const WaitingJob& job : batch) waiting.push(job, jobs.demand(job.job), jobs.processing_time(job.job));

  using Look = std::pair<Time, std::uint32_t>;  // look at this machine at this instant
  std::priority_queue<Look, std::vector<Look>, std::greater<>> looks;
  for (std::size_t machine = 0; machine < timelines.size(); ++machine) {
    looks.emplace(from, static_cast<std::uint32_t>(machine));
  }
  // Free amounts after the last look at a machine, row-major: a look where nothing rose cannot start anything, since
  // the instant that blocked a job then still lies ahead of it.
  std::vector<Amount> seen(timelines.size() * n_resources, -1);
  std::vector<Amount> available(n_resources);
  for (std::size_t step = 1; !waiting.empty(); ++step) {
    if (step % kPollInterval == 0) turn.poll();
    const auto [now, machine] = looks.top();
    looks.pop();
    ResourceTimeline& timeline = timelines[machine];
    timeline.free_at(now, available);
    Amount* before = seen.data() + machine * n_resources;
    bool rose = now == from;
    for (std::size_t r = 0; r < n_resources; ++r) rose |= available[r] > before[r];
    while (rose) {
      const auto found = waiting.first_offer(available, [&](auto leaf) {
        const Time shortage = timeline.first_shortage(now, waiting.demand(leaf));
        return waiting.queue(leaf).first_where([&](double processing_time) { return now + processing_time <= shortage; });
      });
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

void place_in_order(std::span<const WaitingJob> batch, Time from, const JobTable& jobs,
                    std::vector<ResourceTimeline>& timelines, Turn& turn, std::vector<Placement>& placements) {
  EarlierFits earlier_fits(jobs);
  std::size_t step = 0;
  for (const WaitingJob& job : batch) {
    if (++step % kPollInterval == 0) turn.poll();
    const Time processing_time = jobs.processing_time(job.job);
    const auto demand = jobs.demand(job.job);
    auto& known = earlier_fits.of(job.job);
    const Time not_before = EarlierFits::bound(known, processing_time, from);
    Time earliest = kNever;
    std::size_t chosen = 0;
    for (std::size_t machine = 0; machine < timelines.size() && earliest > not_before; ++machine) {
      const Time fit = timelines[machine].earliest_fit(not_before, processing_time, demand, earliest);
      if (fit < earliest) {
        earliest = fit;
        chosen = machine;
      }
    }
    check_duration(jobs.id(job.job), earliest, processing_time);
    timelines[chosen].reserve(earliest, earliest + processing_time, demand);
    EarlierFits::record(known, processing_time, earliest);
    placements.push_back({job.job, static_cast<std::uint32_t>(chosen), earliest});
  }
}

}  // namespace schedcore
