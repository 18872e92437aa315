#include "schedcore/parallel_tasks/batch_packing.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "schedcore/parallel_tasks/fitting_list.hpp"
#include "schedcore/parallel_tasks/machine_room.hpp"

namespace schedcore {
namespace {

class BatchPacking {
 public:
  explicit BatchPacking(const ParallelTasksView& tasks) : tasks_(tasks), room_(tasks.machines) {
    pieces_.reserve(tasks.n_tasks());
  }

  // When the last task of the batch ends.
  Time pack(std::size_t machine, std::span<const std::size_t> list, Time now) {
    demand_.clear();
    for (const std::size_t task : list) {
      const auto demand = tasks_.demand_of(task);
      demand_.insert(demand_.end(), demand.begin(), demand.end());
    }
    FittingList waiting(demand_, tasks_.n_resources());
    while (true) {
      start_what_fits(machine, list, waiting, now);
      if (running_.empty()) break;
      now = running_.top().first;
      while (!running_.empty() && running_.top().first == now) {
        room_.give(machine, tasks_.demand_of(running_.top().second));
        running_.pop();
      }
    }
    assert(waiting.first_fitting(0, room_.free_of(machine)) == list.size());
    return now;
  }

  [[nodiscard]] std::vector<TaskPiece> pieces() && { return std::move(pieces_); }

 private:
  using EndAndTask = std::pair<Time, std::size_t>;

  void start_what_fits(std::size_t machine, std::span<const std::size_t> list, FittingList& waiting, Time now) {
    const auto free = room_.free_of(machine);
    for (std::size_t p = waiting.first_fitting(0, free); p < list.size(); p = waiting.first_fitting(p + 1, free)) {
      const std::size_t task = list[p];
      room_.take(machine, tasks_.demand_of(task));
      waiting.remove(p);
      const Time end = now + static_cast<Time>(tasks_.placement_time[tasks_.placement_on(task, machine)]);
      running_.emplace(end, task);
      pieces_.push_back({task, machine, now, end});
    }
  }

  const ParallelTasksView& tasks_;
  MachineRoom room_;
  std::vector<Amount> demand_;  // of the tasks of a batch, in list order
  std::priority_queue<EndAndTask, std::vector<EndAndTask>, std::greater<>> running_;
  std::vector<TaskPiece> pieces_;
};

}  // namespace

std::vector<TaskPiece> pack_batches(const ParallelTasksView& tasks, std::span<const MachineInterval> place,
                                    std::span<const std::int64_t> job_rank) {
  std::vector<std::size_t> list(tasks.n_tasks());
  std::iota(list.begin(), list.end(), std::size_t{0});
  std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(place[a].machine, place[a].interval, job_rank[tasks.job_of(a)], a) <
           std::tuple(place[b].machine, place[b].interval, job_rank[tasks.job_of(b)], b);
  });
  BatchPacking packing(tasks);
  Time now = 0;
  for (std::size_t first = 0, last = 0; first < list.size(); first = last) {
    const MachineInterval here = place[list[first]];
    while (last < list.size() && place[list[last]] == here) ++last;
    if (first == 0 || place[list[first - 1]].machine != here.machine) now = 0;
    now = packing.pack(here.machine, std::span(list).subspan(first, last - first), now);
  }
  return std::move(packing).pieces();
}

}  // namespace schedcore
