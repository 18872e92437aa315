#include "schedcore/engine/cluster.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace schedcore {
namespace {

// A change of one machine's free amounts: a job that begins or ends there.
struct Change {
  std::uint32_t machine;
  Time time;
  JobSlot job;
  bool begins;
};

// Far beyond what overruns can take, and far from where sums of a few more demands would overflow.
constexpr Amount kLeastFree = -(Amount{1} << 60);

}  // namespace

std::vector<ResourceTimeline> timelines_beside(const Cluster& cluster, std::vector<Occupation> occupations) {
  std::vector<Change> changes;
  changes.reserve(2 * occupations.size());
  for (const Occupation& each : occupations) {
    if (each.end <= cluster.now) continue;
    changes.push_back({each.machine, std::max(each.start, cluster.now), each.job, true});
    if (each.end < kNever) changes.push_back({each.machine, each.end, each.job, false});
  }
  // At one instant what ends comes first, so that no amount is lower in between than before and after.
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.machine, a.time, a.begins, a.job) < std::tie(b.machine, b.time, b.begins, b.job);
  });
  const std::size_t n_resources = cluster.machines.n_resources;
  std::vector<ResourceTimeline> timelines;
  timelines.reserve(cluster.machines.n_machines);
  auto change = changes.begin();
  for (std::size_t machine = 0; machine < cluster.machines.n_machines; ++machine) {
    const auto capacity = cluster.machines.capacity_of(machine);
    std::vector<Amount> free(capacity.begin(), capacity.end());
    ResourceTimeline::Stretches stretches{{cluster.now}, free};
    for (; change != changes.end() && change->machine == machine; ++change) {
      const auto demand = cluster.jobs.demand(change->job);
      for (std::size_t r = 0; r < n_resources; ++r) {
        free[r] += change->begins ? -demand[r] : demand[r];
        SnapshotReader::refuse_unless(free[r] >= kLeastFree, "machine " + std::to_string(machine) + " is overfull");
      }
      if (stretches.time.back() < change->time) {
        stretches.time.push_back(change->time);
        stretches.free.insert(stretches.free.end(), free.begin(), free.end());
      } else {
        std::copy(free.begin(), free.end(), stretches.free.end() - static_cast<std::ptrdiff_t>(n_resources));
      }
    }
    timelines.push_back(ResourceTimeline::from_stretches(n_resources, stretches));
  }
  return timelines;
}

void require_each_once(std::vector<JobSlot> listed, const std::vector<JobSlot>& expected, std::string_view what) {
  std::vector<JobSlot> all = expected;
  std::sort(all.begin(), all.end());
  std::sort(listed.begin(), listed.end());
  SnapshotReader::refuse_unless(listed == all, what);
}

void require_different_machines(const SnapshotReader& archive, std::vector<TaskPlace> places) {
  std::ranges::sort(places, {}, &TaskPlace::machine);
  archive.require(std::ranges::adjacent_find(places, {}, &TaskPlace::machine) == places.end(), "a job is twice on a machine");
}

}  // namespace schedcore
